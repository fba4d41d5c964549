"""Tables without what says nothing: columns without a figure, rows that differ by batch alone."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from breakeven.report.evidence import NONE
from breakeven.report.view import Table

_EMPTY = frozenset({"", NONE})


def trimmed(table: Table, *, keys: int = 2) -> Table:
    """Return a table without its empty columns; those that name the rows stay.

    Parameters
    ----------
    keys : int
        Columns at the left that name a row.
    """
    kept = [
        i
        for i in range(len(table.columns))
        if i < keys or any(row[i] not in _EMPTY for row in table.rows)
    ]
    if len(kept) == keys:
        # Nothing but names: such a table has nothing to tell.
        return replace(table, rows=())
    return replace(
        table,
        columns=tuple(table.columns[i] for i in kept),
        numeric=tuple(table.numeric[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in table.rows),
    )


def merged(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return rows of which those that differ in their batch alone are one, batches listed."""
    found: dict[tuple[str, ...], list[str]] = {}
    for batch, *rest in rows:
        found.setdefault(tuple(rest), []).append(batch)
    return [(", ".join(batches), *rest) for rest, batches in found.items()]
