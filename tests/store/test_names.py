"""Ids, and what a name means."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from breakeven.errors import InputError, RunNotFoundError, StoreError
from breakeven.store.names import checked, default_folder, file_meant, ids, new_id, run_meant

KNOWN = ("2026-12-02T08-00-00-aaaa", "2026-12-01T10-22-07-3f9a", "2026-12-01T10-22-07-0001",
         "2026-11-30T00-00-00-beef")  # fmt: skip
FOLDER = Path("runs")


def test_an_id_is_the_time_in_utc_with_a_token() -> None:
    """Ids sort by time wherever they were made."""
    noon = datetime(2026, 12, 1, 12, 22, 7, tzinfo=timezone(timedelta(hours=2)))
    assert new_id(noon, "3f9a") == "2026-12-01T10-22-07-3f9a"
    assert checked(new_id(datetime(2026, 1, 2, tzinfo=UTC), "00")) == "2026-01-02T00-00-00-00"


@pytest.mark.parametrize(("zone", "token"), [(None, "3f9a"), (UTC, ""), (UTC, "../x")])
def test_no_id_is_made_of_a_time_without_a_zone_or_a_wild_token(zone: object, token: str) -> None:
    """An id that would not sort, or would leave the folder, is refused."""
    with pytest.raises(ValueError, match="no id can be made"):
        new_id(datetime(2026, 12, 1, tzinfo=zone), token)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".hidden", "x" * 200, "a b"])
def test_an_id_cannot_leave_the_folder(name: str) -> None:
    """What is no plain file name is no id."""
    with pytest.raises(InputError, match="is no id of a run"):
        checked(name)


def test_the_default_folder_is_the_users_choice_first() -> None:
    """BREAKEVEN_STORE goes before XDG_DATA_HOME, which goes before the home folder."""
    both = {"BREAKEVEN_STORE": "/s", "XDG_DATA_HOME": "/x"}
    assert default_folder(both) == Path("/s")
    assert default_folder({"BREAKEVEN_STORE": "", "XDG_DATA_HOME": "/x"}) == Path(
        "/x/breakeven/runs"
    )
    assert default_folder({"BREAKEVEN_STORE": "~/s"}) == Path.home() / "s"
    assert default_folder({}) == Path.home() / ".local/share/breakeven/runs"


def test_a_home_that_is_not_known_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's user may have neither a name nor a home."""

    def unknown(*_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", unknown)
    with pytest.raises(StoreError, match=r"no home folder is known .*; give another folder"):
        default_folder({})


@pytest.mark.parametrize(
    ("name", "meant"),
    [("last", KNOWN[0]), (KNOWN[2], KNOWN[2]), ("2026-12-02", KNOWN[0]), ("2026-11", KNOWN[3]),
     ("2026-12-01T10-22-07-3", KNOWN[1]), (KNOWN[3] + ".json", KNOWN[3])],
)  # fmt: skip
def test_a_name_is_an_id_the_start_of_one_or_last(name: str, meant: str) -> None:
    """Each way to name a run leads to it."""
    assert run_meant(name, KNOWN, FOLDER) == meant


@pytest.mark.parametrize("name", ["2026-12-01", "2026"])
def test_an_ambiguous_start_names_its_candidates(name: str) -> None:
    """The user is shown between which runs to choose."""
    with pytest.raises(InputError, match=rf"{KNOWN[1]}, {KNOWN[2]}.*; give more of the id"):
        run_meant(name, KNOWN, FOLDER)


@pytest.mark.parametrize("name", ["2025", "", "lasts"])
def test_an_unknown_name_is_answered_with_the_newest_three(name: str) -> None:
    """A user who mistyped sees what there is."""
    with pytest.raises(RunNotFoundError) as told:
        run_meant(name, KNOWN, FOLDER)
    assert ", ".join(KNOWN[:3]) in told.value.fix
    assert KNOWN[3] not in told.value.fix


@pytest.mark.parametrize("name", ["last", "2026"])
def test_an_empty_store_says_how_to_fill_it(name: str) -> None:
    """Without any run, the message is about that."""
    with pytest.raises(RunNotFoundError, match="holds no run; breakeven run makes one"):
        run_meant(name, (), FOLDER)


def test_a_path_is_a_file_where_there_is_one(tmp_path: Path) -> None:
    """A path to a document means that file; one to nothing is told; an id is no path."""
    path = tmp_path / "run.json"
    with pytest.raises(RunNotFoundError, match=r"no run document .*run\.json"):
        file_meant(str(path), KNOWN)
    path.touch()
    assert file_meant(str(path), KNOWN) == path
    assert file_meant(KNOWN[0], KNOWN) is None
    assert file_meant(KNOWN[0] + ".json", KNOWN) is None
    assert file_meant("2026", KNOWN) is None


@pytest.mark.parametrize(
    "name", ["~nobody-of-this-name/run.json", "a/" * 3000, "a" * 300 + ".json"]
)
def test_a_path_that_no_file_can_have_is_told(name: str) -> None:
    """What the system refuses to look up is not there."""
    with pytest.raises(RunNotFoundError, match="no run document"):
        file_meant(name, KNOWN)


def test_ids_are_those_of_documents_and_journals_newest_first(tmp_path: Path) -> None:
    """A run counts once, temporary and foreign files not at all."""
    names = ["2026-12-01T10-22-07-3f9a.json", "2026-12-01T10-22-07-3f9a.journal",
             "2026-12-02T10-22-07-0000.journal", ".x.json.1.ab.tmp", "notes.txt"]  # fmt: skip
    for name in names:
        (tmp_path / name).touch()
    assert ids(tmp_path) == ("2026-12-02T10-22-07-0000", "2026-12-01T10-22-07-3f9a")
    assert ids(tmp_path / "none") == ()


@pytest.mark.parametrize("later", ["0000", "ffff"])
def test_runs_of_one_second_are_ordered_by_their_last_write(tmp_path: Path, later: str) -> None:
    """The token is random: within a second, the file's own time decides."""
    for token in ("0000", "ffff"):
        path = tmp_path / f"2026-12-01T10-22-07-{token}.json"
        path.touch()
        os.utime(path, ns=(0, 2 if token == later else 1))
    assert ids(tmp_path)[0].endswith(later)


def test_a_store_that_is_a_file_is_told(tmp_path: Path) -> None:
    """A file in the folder's place is an error, not an empty store."""
    (tmp_path / "runs").touch()
    with pytest.raises(StoreError, match="runs cannot be read: Not a directory"):
        ids(tmp_path / "runs")
