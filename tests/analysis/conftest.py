"""Edits to records that tests of the analysis share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from breakeven.model.run import Case, RunRecord, Slot

CaseEdit = Callable[..., RunRecord]
SlotEdit = Callable[..., RunRecord]


def edit_case(run: RunRecord, entry: str, size: int, **fields: object) -> RunRecord:
    """Return the record with fields of one case changed."""
    hit = [c for c in run.cases if c.entry == entry and c.size == size]
    assert hit, f"no case of {entry} at {size}"
    cases = tuple(replace(c, **fields) if c in hit else c for c in run.cases)
    return replace(run, cases=cases)


def edit_slots(
    run: RunRecord, change: Callable[[Case, int, Slot], Slot], *, entry: str | None = None
) -> RunRecord:
    """Return the record with each slot replaced by what `change(case, round, slot)` gives."""
    cases = []
    for c in run.cases:
        if entry is not None and c.entry != entry:
            cases.append(c)
            continue
        rounds = tuple(
            replace(r, slots=tuple(change(c, r.round, s) for s in r.slots)) for r in c.rounds
        )
        cases.append(replace(c, rounds=rounds))
    return replace(run, cases=tuple(cases))


@pytest.fixture(name="edit_case")
def _edit_case() -> CaseEdit:
    return edit_case


@pytest.fixture(name="edit_slots")
def _edit_slots() -> SlotEdit:
    return edit_slots
