"""Two stored runs, and what changed between them."""

from __future__ import annotations

from pathlib import Path

from breakeven.analysis.difference import difference
from breakeven.errors import NothingMeasuredError
from breakeven.lab.shelf import load
from breakeven.model.difference import Difference
from breakeven.report import difference as shown


def diff(a: str, b: str, store: Path | str | None = None) -> Difference:
    """Return what changed from one stored run to another, by id, start of one, ``"last"`` or path.

    Raises
    ------
    StoreError
        If a run cannot be found or read.
    NothingMeasuredError
        If no case was measured in both.
    """
    folder = None if store is None else Path(store)
    found = difference(load(a, folder), load(b, folder))
    if not found.changes:
        raise NothingMeasuredError(
            f"no case was measured in both {found.a.id} and {found.b.id}",
            "compare runs of the same workloads and sizes",
        )
    return found


def diff_text(found: Difference) -> str:
    """Return a difference as people read it."""
    return shown.text_of(found)
