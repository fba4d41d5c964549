"""Names of runs: what a new run is called, and which run a name means."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from breakeven.errors import InputError, RunNotFoundError, StoreError
from breakeven.store.files import ELSEWHERE

DOCUMENT = ".json"
JOURNAL = ".journal"
TRACES = ".traces"
LAST = "last"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}")
_FILES = (DOCUMENT, JOURNAL, ".json.gz")
_TIME = len("2026-12-01T10-22-07")
_SHOWN = 3


def default_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where runs are kept: BREAKEVEN_STORE, or the user's data folder.

    Raises
    ------
    StoreError
        The user has no home folder, as in a container whose user has no name.
    """
    if named := environment.get("BREAKEVEN_STORE"):
        return _at_home(named)
    if data := environment.get("XDG_DATA_HOME"):
        return Path(data) / "breakeven" / "runs"
    return _at_home("~/.local/share/breakeven/runs")


def _at_home(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise StoreError(f"no home folder is known for the store {name}", ELSEWHERE) from None


def new_id(now: datetime, token: str) -> str:
    """Return the id of a run that begins at `now`, such as ``2026-12-01T10-22-07-3f9a``.

    Parameters
    ----------
    now : datetime
        With a time zone; the id has UTC, so that ids sort by time everywhere.
    token : str
        A few random hexadecimal digits, which tell runs of one second apart.

    Raises
    ------
    ValueError
        `now` has no time zone, or `token` is not made of small letters and digits.
    """
    if now.tzinfo is None or not re.fullmatch(r"[0-9a-z]+", token):
        raise ValueError(f"no id can be made of {now!r} with {token!r}")
    return f"{now.astimezone(UTC):%Y-%m-%dT%H-%M-%S}-{token}"


def checked(run_id: str) -> str:
    """Return `run_id` if a file can be named by it.

    Raises
    ------
    InputError
        It is empty, too long, or holds other than letters, digits, points, dashes.
    """
    if not _ID.fullmatch(run_id):
        raise InputError(
            f"{run_id[:60]!r} is no id of a run", "ids look like 2026-12-01T10-22-07-3f9a"
        )
    return run_id


def ids(folder: Path) -> tuple[str, ...]:
    """Return the ids of all runs in `folder`, newest first.

    Raises
    ------
    StoreError
        The folder is there, and cannot be read.
    """
    ages: dict[str, tuple[str, int]] = {}
    try:
        found = [path for path in folder.iterdir() if path.suffix in {DOCUMENT, JOURNAL}]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StoreError(
            f"the store {folder} cannot be read: {error.strerror}", ELSEWHERE
        ) from error
    for path in found:
        if _ID.fullmatch(path.stem):
            # Runs that began in one second are told apart by when they were last written.
            age = (path.stem[:_TIME], _written_ns(path))
            ages[path.stem] = max(age, ages.get(path.stem, age))
    return tuple(sorted(ages, key=lambda run_id: (ages[run_id], run_id), reverse=True))


def file_meant(name: str, known: Sequence[str]) -> Path | None:
    """Return the file that `name` means; None when it means a run among `known` ids.

    Raises
    ------
    RunNotFoundError
        It looks like the path of a file, and there is none.
    """
    looks = os.sep in name or "/" in name or name.endswith(_FILES)
    if not looks or name in known:
        return None
    path = Path(os.path.expanduser(name))  # noqa: PTH111  pathlib raises for ~nobody
    if os.path.isfile(path):  # noqa: PTH113  pathlib raises for names too long, folders closed to us
        return path
    if path.name == name and path.stem in known:
        return None
    raise RunNotFoundError(f"there is no run document {name}", _newest(known))


def run_meant(name: str, known: Sequence[str], folder: Path) -> str:
    """Return the id among `known` (newest first) that `name` means.

    Raises
    ------
    RunNotFoundError
        None does; the message has the newest three.
    InputError
        Several do.
    """
    if not known:
        raise RunNotFoundError(f"the store {folder} holds no run", "breakeven run makes one")
    if name == LAST:
        return known[0]
    start = Path(name).stem if name.endswith(_FILES) else name
    if start in known:
        return start
    alike = [run_id for run_id in known if start and run_id.startswith(start)]
    if not alike:
        raise RunNotFoundError(f"no run in {folder} is called {name!r}", _newest(known))
    if len(alike) > 1:
        more = ", …" if len(alike) > _SHOWN else ""
        raise InputError(
            f"{len(alike)} runs start with {name!r}: {', '.join(alike[:_SHOWN])}{more}",
            "give more of the id",
        )
    return alike[0]


def _newest(known: Sequence[str]) -> str:
    if not known:
        return "the store holds no run: breakeven run makes one"
    return f"the newest are {', '.join(known[:_SHOWN])}; breakeven runs lists all"


def _written_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        # It was removed since the folder was read (a journal, once its run had finished).
        return 0
