"""The pages of the documentation, read into the parts that tests ask about."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
)
_FENCE = re.compile(r"(`{3,})(\w*)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, lines, first line's number, and the comment above it."""

    language: str
    lines: tuple[str, ...]
    number: int
    comment: str

    @property
    def generated(self) -> bool:
        """Whether it is the output of a command."""
        return self.comment.startswith(("<!-- output:", "<!-- recorded:"))


def name_of(page: Path) -> str:
    """Return what a page is called in a test's id."""
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    lines = page.read_text(encoding="utf-8").splitlines()
    place = 0
    while place < len(lines):
        opening = _FENCE.fullmatch(lines[place].strip())
        if opening is None:
            place += 1
            continue
        end = next(i for i in range(place + 1, len(lines)) if lines[i].strip() == opening[1])
        above = lines[place - 1].strip() if place else ""
        comment = above if above.startswith("<!--") else ""
        yield Block(opening[2], tuple(lines[place + 1 : end]), place + 2, comment)
        place = end + 1


def prose(page: Path) -> str:
    """Return a page without its fenced blocks."""
    text = page.read_text(encoding="utf-8")
    return re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)


def clean_environment(folder: Path) -> dict[str, str]:
    """Return an environment whose store, scratch space and lock are in `folder`."""
    places = {"TMPDIR": str(folder), "BREAKEVEN_STORE": str(folder / "store"), "COLUMNS": "80"}
    return dict(os.environ) | places
