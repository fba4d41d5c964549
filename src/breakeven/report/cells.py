"""What the cells of all tables share: the table itself, times, errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from breakeven import units
from breakeven.report.evidence import NONE
from breakeven.report.view import Table


def table(
    title: str,
    caption: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    *,
    text: Iterable[int] = (),
) -> Table:
    """Return a table whose columns hold numbers, but for those named in `text` by position."""
    words = set(text)
    return Table(
        title=title,
        caption=caption,
        columns=tuple(columns),
        numeric=tuple(i not in words for i in range(len(columns))),
        rows=tuple(rows),
    )


def seconds(value: float | None) -> str:
    """Return a time, or the sign for none."""
    return NONE if value is None else units.seconds(value)
