"""What careless timing would have read."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from breakeven.analysis.naive import naive_costs
from breakeven.analysis.times import Times
from records import record, with_naive


def test_the_mistakes_add_up_to_what_was_read() -> None:
    """Resident call, journey and first-call excess make the one-shot reading."""
    run = record()
    rows = naive_costs(Times(replace(run, naive_shots=with_naive(run))))
    row = next(r for r in rows if r.entry == "cupy" and r.size == 128)
    parts = [row.sound_resident_s, row.transfer_s, row.first_call_s]
    assert None not in parts
    assert sum(p for p in parts if p is not None) == pytest.approx(row.one_shot_s)
    assert row.first_call_s is not None
    assert row.first_call_s > 0.29


def test_a_missing_synchronise_hides_time() -> None:
    """Stopping the clock early reads less than the call takes: the cost is negative."""
    run = record()
    rows = naive_costs(Times(replace(run, naive_shots=with_naive(run))))
    row = next(r for r in rows if r.entry == "cupy" and r.size == 8192)
    assert row.missing_sync_s is not None
    assert row.missing_sync_s < -0.02


def test_a_cpu_has_neither_journey_nor_synchronise() -> None:
    """What does not exist on a CPU is None, not 0."""
    run = record()
    rows = naive_costs(Times(replace(run, naive_shots=with_naive(run))))
    row = next(r for r in rows if r.entry == "numpy-16")
    assert (row.transfer_s, row.missing_sync_s) == (None, None)


def test_a_shot_without_a_sound_figure_keeps_its_reading() -> None:
    """A size that was never measured soundly has no mistakes that could be priced."""
    run = record(rounds=0)
    bare = tuple(replace(case, rounds=()) for case in run.cases)
    rows = naive_costs(Times(replace(run, cases=bare, naive_shots=with_naive(run))))
    assert rows[0].one_shot_s == 0.3
    assert rows[0].first_call_s is None
    assert rows[0].sound_transfer_s is None


def test_a_size_left_out_of_the_rounds_is_priced_by_its_scouting_slots() -> None:
    """Repeated calls of the scouting round are sound, where no later round has the size."""
    run = record(rounds=0)
    rows = naive_costs(Times(replace(run, naive_shots=with_naive(run))))
    assert rows[0].sound_resident_s is not None
    assert rows[0].first_call_s == rows[0].one_shot_s - rows[0].sound_resident_s
