"""A table of text that fits a width: words wrap in their cell, numbers never do."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

_GAP = "  "
_NARROW_GAP = " "
_HEADING = 8
_ROOMY_HEADING = 11
_WORDS = 8


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    spare : int
        0 is never left out; of the others the highest goes first.
    left : bool
        Whether cells are aligned left.
    heading_width : int
        Columns of text that the title may take beyond what the cells need.
    """

    title: str
    cells: Sequence[str]
    spare: int = 0
    left: bool = False
    heading_width: int = _HEADING

    def lines(self, row: int) -> list[str]:
        """Return a cell in lines: text without digits may wrap, anything else stays whole."""
        text = self.cells[row]
        if self.left or re.search(r"\d", text):
            return [text]
        return textwrap.wrap(text, _WORDS, break_on_hyphens=False, break_long_words=False) or [""]

    def heading(self) -> list[str]:
        """Return the title in lines no wider than the cells need, or its own width."""
        widest = max((len(x) for i in range(len(self.cells)) for x in self.lines(i)), default=0)
        width = max(widest, self.heading_width)
        return textwrap.wrap(self.title, width, break_on_hyphens=True) or [""]

    def width(self) -> int:
        """Return the columns of text that this column takes."""
        cells = [x for i in range(len(self.cells)) for x in self.lines(i)]
        return max(len(x) for x in [*cells, *self.heading()])


@dataclass(frozen=True)
class Grid:
    """Lines of a table, with the titles of the columns that found no room."""

    header: list[str]
    body: list[list[str]]
    left_out: list[str]


def fitted(columns: Sequence[Column], width: int) -> Grid:
    """Return the table in at most `width` columns of text, leaving spare columns out if need be."""
    kept, left_out = list(columns), []
    while _needed(kept, _NARROW_GAP) > width:
        spare = max(kept, key=lambda c: c.spare)
        if spare.spare == 0:
            break
        kept.remove(spare)
        left_out.append(spare.title)
    # Titles on fewer lines, where there is room for them.
    roomy = [replace(c, heading_width=_ROOMY_HEADING) for c in kept]
    if _needed(roomy, _NARROW_GAP) <= width:
        kept = roomy
    gap = _GAP if _needed(kept, _GAP) <= width else _NARROW_GAP
    headings = [c.heading() for c in kept]
    tallest = max(len(h) for h in headings)
    # Titles stand on their cells: short ones begin lower.
    raised = [[""] * (tallest - len(h)) + h for h in headings]
    header = _joined(kept, raised, gap)
    rows = range(len(kept[0].cells))
    body = [_joined(kept, [c.lines(i) for c in kept], gap) for i in rows]
    return Grid(header=header, body=body, left_out=left_out)


def _needed(columns: Sequence[Column], gap: str) -> int:
    return sum(c.width() for c in columns) + len(gap) * (len(columns) - 1)


def _joined(columns: Sequence[Column], cells: Sequence[Sequence[str]], gap: str) -> list[str]:
    lines = []
    for i in range(max(len(c) for c in cells)):
        parts = []
        for column, cell in zip(columns, cells, strict=True):
            text = cell[i] if i < len(cell) else ""
            pad = str.ljust if column.left else str.rjust
            parts.append(pad(text, column.width()))
        lines.append(gap.join(parts).rstrip())
    return lines
