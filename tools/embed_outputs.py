"""Puts the real output of commands into the documentation, or says where it differs.

A fenced block directly after a comment such as one of these is what the command prints::

    <!-- output: breakeven report examples/h200/tour.json -->
    <!-- output: breakeven report examples/h200/tour.json; lines 1-20 -->
    <!-- output: breakeven run nonsense; exit 2; stderr -->

A block after ``<!-- recorded: COMMAND on MACHINE, DATE -->`` depends on the machine or the time:
it is left as it is.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Documents of measurements that are not there yet: a block that needs one is left alone as long
# as the document is both missing and named here.
PENDING: tuple[str, ...] = ()

_COMMENT = re.compile(r"<!-- output: (?P<command>[^;]+?)(?:; (?P<options>.+))? -->")
_FENCE = re.compile(r"(?P<ticks>`{3,})\w*")
_LINES = re.compile(r"lines (\d+)-(\d+)")
_EXIT = re.compile(r"exit (\d+)")
_WIDTH = 80


class EmbedError(Exception):
    """A comment that cannot be served: what is wrong, in one line."""


@dataclass(frozen=True)
class Request:
    """What a comment asks for.

    Attributes
    ----------
    first, last : int
        Lines of the output that are shown, counted from 1, both included.
    code : int
        Exit code that the command must end with.
    stderr : bool
        Whether what it says on stderr is shown too.
    """

    command: str
    first: int = 1
    last: int = sys.maxsize
    code: int = 0
    stderr: bool = False


def parsed(comment: re.Match[str]) -> Request:
    """Return what a matched comment asks for."""
    values: dict[str, int] = {}
    options = [o.strip() for o in (comment["options"] or "").split(";") if o.strip()]
    for option in options:
        if found := _LINES.fullmatch(option):
            values |= {"first": int(found[1]), "last": int(found[2])}
        elif found := _EXIT.fullmatch(option):
            values["code"] = int(found[1])
        elif option != "stderr":
            raise EmbedError(f"unknown option {option!r}; known: lines A-B, exit N, stderr")
    return Request(comment["command"].strip(), **values, stderr="stderr" in options)


def pending(request: Request) -> bool:
    """Tell whether a command needs a document that is allowed to be missing, and is."""
    words = shlex.split(request.command)
    return any(word in PENDING and not (ROOT / word).exists() for word in words)


@cache
def printed(command: str, code: int, *, stderr: bool) -> tuple[str, ...]:
    """Run a command of this project at the root of the tree; return the lines that it prints."""
    program, *words = shlex.split(command)
    if program == "cat":
        return tuple(line for w in words for line in (ROOT / w).read_text("utf-8").splitlines())
    starts = {"breakeven": ["-m", "breakeven"], "python": []}
    if program not in starts:
        raise EmbedError(f"{program!r} is not run here: only breakeven, python and cat are")
    # Which runs the user of this machine has stored must not show in the pages.
    store = str(ROOT / ".no-stored-runs")
    plain = {"COLUMNS": str(_WIDTH), "NO_COLOR": "1", "TERM": "dumb", "PYTHONHASHSEED": "0"}
    plain |= {"BREAKEVEN_STORE": store}
    done = subprocess.run(
        [sys.executable, *starts[program], *words],
        cwd=ROOT,
        env={k: v for k, v in os.environ.items() if k != "FORCE_COLOR"} | plain,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if stderr else subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != code:
        said = (done.stderr or done.stdout or "").strip().splitlines()[-1:]
        raise EmbedError(f"`{command}` ended with {done.returncode}, not {code}: {''.join(said)}")
    return tuple(line.rstrip() for line in done.stdout.rstrip("\n").splitlines())


def run(request: Request) -> list[str]:
    """Return the lines that a request shows."""
    lines = printed(request.command, request.code, stderr=request.stderr)
    return list(lines[request.first - 1 : request.last])


def embedded(text: str, output: Callable[[Request], list[str]] = run) -> str:
    """Return Markdown text with every block after an output comment made anew.

    Parameters
    ----------
    text : str
        The page.
    output : callable
        Gives the lines that a request shows.

    Raises
    ------
    EmbedError
        If a comment cannot be served; the message says in which line.
    """
    lines = text.splitlines()
    made: list[str] = []
    place = 0
    while place < len(lines):
        made.append(lines[place])
        comment = _COMMENT.fullmatch(lines[place].strip())
        place += 1
        if comment is None:
            continue
        try:
            request = parsed(comment)
            if pending(request):
                continue
            body = output(request)
        except EmbedError as error:
            raise EmbedError(f"line {place}: {error}") from error
        opening, after = _block(lines, place)
        made += [opening, *body, _ticks(opening)]
        place = after
    return "\n".join(made) + "\n"


def _block(lines: Sequence[str], place: int) -> tuple[str, int]:
    """Return the opening line of the block that begins at `place`, with the place after it."""
    opening = lines[place].strip() if place < len(lines) else ""
    if not _FENCE.fullmatch(opening):
        raise EmbedError(f"line {place}: no fenced block follows the comment")
    for end in range(place + 1, len(lines)):
        if lines[end].strip() == _ticks(opening):
            return opening, end + 1
    raise EmbedError(f"line {place + 1}: the block never ends")


def _ticks(opening: str) -> str:
    found = _FENCE.fullmatch(opening)
    assert found is not None
    return found["ticks"]


def pages() -> Iterator[Path]:
    """Yield every page of the documentation."""
    yield from sorted(ROOT.glob("*.md"))
    for folder in ("docs", "examples"):
        yield from sorted((ROOT / folder).rglob("*.md"))


def prepare(texts: Sequence[str]) -> None:
    """Run the commands of pages, as many at a time as there are cores; what fails is told later.

    What each prints is kept, so that the pages are then made one after the other without waiting.
    """
    wanted: dict[tuple[str, int, bool], None] = {}
    for text in texts:
        for line in text.splitlines():
            comment = _COMMENT.fullmatch(line.strip())
            with contextlib.suppress(EmbedError, ValueError):
                if comment is not None and not pending(request := parsed(comment)):
                    wanted[request.command, request.code, request.stderr] = None

    def one(key: tuple[str, int, bool]) -> None:
        with contextlib.suppress(EmbedError, OSError):
            printed(key[0], key[1], stderr=key[2])

    with ThreadPoolExecutor(os.cpu_count()) as workers:
        list(workers.map(one, wanted))


def difference(old: str, new: str) -> str:
    """Return where two versions of a page part, in one line."""
    before, after = old.splitlines(), new.splitlines()
    pairs = zip([*before, ""], [*after, ""], strict=False)
    number = next((i for i, (a, b) in enumerate(pairs, 1) if a != b), len(before))
    wanted = after[number - 1] if number <= len(after) else "(the end)"
    return f"line {number} should read {wanted!r}"


def main(words: Sequence[str] | None = None) -> int:
    """Embed, or check; return 1 if a block differs or cannot be made."""
    parser = argparse.ArgumentParser(description="Put the outputs of commands into the docs.")
    parser.add_argument("--check", action="store_true", help="change nothing, say what differs")
    parser.add_argument("files", nargs="*", type=Path, help="pages  [default: all]")
    asked = parser.parse_args(words)
    faults, chosen = 0, asked.files or list(pages())
    prepare([page.read_text(encoding="utf-8") for page in chosen])
    for page in chosen:
        old = page.read_text(encoding="utf-8")
        name = page.resolve().relative_to(ROOT) if page.resolve().is_relative_to(ROOT) else page
        try:
            new = embedded(old)
        except EmbedError as error:
            print(f"{name}: {error}")
            faults += 1
            continue
        if new == old:
            continue
        if asked.check:
            print(f"{name}: {difference(old, new)}; run tools/embed_outputs.py")
            faults += 1
        else:
            page.write_text(new, encoding="utf-8")
            print(f"{name}: made anew")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
