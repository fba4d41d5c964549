"""Wall times read from a record."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from breakeven.analysis.times import Times
from breakeven.model.run import Case, RunRecord, Slot
from records import CUPY, NUMPY, record

PAIR = ("numpy-16", "cupy")


def _void(*turns: int) -> Callable[[Case, int, Slot], Slot]:
    def change(_case: Case, _round: int, slot: Slot) -> Slot:
        return replace(slot, voided="busy") if slot.turn in turns else slot

    return change


def test_a_round_is_the_median_of_its_turns(edit_slots: Callable[..., RunRecord]) -> None:
    """One spike among six turns does not move the value of a round."""

    def spike(case: Case, _round: int, slot: Slot) -> Slot:
        seconds = 1.0 if slot.turn == 2 and case.entry == "cupy" else 1e-3
        return replace(slot, median_s=seconds * (2.0 if case.entry == "numpy-16" else 1.0))

    times = Times(edit_slots(record(), spike))
    values = times.paired("matmul", 512, "transfer", *PAIR)
    assert values == {r: pytest.approx(math.log(2.0)) for r in range(1, 6)}


def test_scouting_is_no_round() -> None:
    """Round 0 is measured but never compared."""
    times = Times(record(rounds=4))
    assert sorted(times.paired("matmul", 512, "resident", *PAIR)) == [1, 2, 3, 4]


def test_cpu_slots_stand_for_either_scope() -> None:
    """A CPU entry has nothing to transfer: both scopes read the same slots."""
    times = Times(record())
    resident = times.median("matmul", 512, "numpy-16", "resident")
    assert times.median("matmul", 512, "numpy-16", "transfer") == resident
    moving = times.median("matmul", 512, "cupy", "transfer")
    still = times.median("matmul", 512, "cupy", "resident")
    assert moving is not None
    assert still is not None
    assert moving > still


def test_a_cpu_measured_in_both_scopes_is_compared_in_its_own(
    edit_case: Callable[..., RunRecord],
) -> None:
    """A training's loader is there on the CPU too: its transfer slots are not its resident ones."""
    run = record((NUMPY, CUPY), sizes=(128,), rounds=3)
    case = next(c for c in run.cases if c.entry == "numpy-16")
    slower = tuple(
        replace(r, scope="transfer", slots=tuple(replace(s, median_s=1.0) for s in r.slots))
        for r in case.rounds
    )
    times = Times(edit_case(run, "numpy-16", 128, rounds=(*case.rounds, *slower)))
    assert times.median("matmul", 128, "numpy-16", "transfer") == 1.0
    resident = times.median("matmul", 128, "numpy-16", "resident")
    assert resident is not None
    assert resident < 1.0


@pytest.mark.parametrize(("lost", "counts"), [((0, 1, 2), True), ((0, 1, 2, 3), False)])
def test_a_round_that_lost_over_half_its_turns_does_not_count(
    edit_slots: Callable[..., RunRecord], lost: tuple[int, ...], *, counts: bool
) -> None:
    """Three of six turns may be lost, four may not."""
    times = Times(edit_slots(record(), _void(*lost), entry="cupy"))
    assert bool(times.paired("matmul", 512, "resident", *PAIR)) is counts


def test_a_turn_measured_again_is_not_lost(edit_slots: Callable[..., RunRecord]) -> None:
    """A voided slot with a sound one in the same turn costs nothing."""
    run = edit_slots(record(), _void(0, 1, 2, 3), entry="cupy")
    cases = []
    for c in run.cases:
        again = tuple(
            replace(r, slots=r.slots + tuple(replace(s, order=s.order + 6, voided=None)
                                             for s in r.slots if s.voided))
            for r in c.rounds
        )  # fmt: skip
        cases.append(replace(c, rounds=again))
    times = Times(replace(run, cases=tuple(cases)))
    assert times.lost_turns("matmul", 512, "cupy", "resident") == (0, 30, {})
    assert len(times.paired("matmul", 512, "resident", *PAIR)) == 5


def test_lost_turns_are_counted_by_reason(edit_slots: Callable[..., RunRecord]) -> None:
    """What was lost, and why, is kept."""
    times = Times(edit_slots(record(), _void(0), entry="cupy"))
    assert times.lost_turns("matmul", 512, "cupy", "resident") == (5, 30, {"busy": 5})


def test_what_was_not_measured_is_none() -> None:
    """An unmeasured case has no median, rather than 0."""
    times = Times(record())
    assert times.median("matmul", 64, "cupy", "resident") is None
    assert times.scouted("matmul", 64, "cupy", voided=True) is None


def test_other_clocks_are_not_wall_time(edit_case: Callable[..., RunRecord]) -> None:
    """Device and issue times are never compared with a CPU's."""
    run = record()
    case = next(c for c in run.cases if c.entry == "cupy" and c.size == 512)
    rounds = tuple(replace(r, clock="device") for r in case.rounds)
    times = Times(edit_case(run, "cupy", 512, rounds=rounds))
    assert times.median("matmul", 512, "cupy", "resident") is None


def test_a_quick_run_shows_its_only_round() -> None:
    """Where a quick run has nothing but scouting, that is what it shows."""
    run = record(rounds=0)
    quick = replace(run, spec=replace(run.spec, effort="quick"))
    assert Times(run).paired("matmul", 512, "resident", *PAIR) == {}
    assert list(Times(quick).paired("matmul", 512, "resident", *PAIR)) == [0]


def test_a_clock_that_did_not_move_measured_nothing(edit_slots: Callable[..., RunRecord]) -> None:
    """A slot of 0 s has no ratio and no median."""

    def stuck(_case: Case, _round: int, slot: Slot) -> Slot:
        return replace(slot, median_s=0.0)

    times = Times(edit_slots(record(), stuck, entry="cupy"))
    assert times.paired("matmul", 512, "resident", *PAIR) == {}
    assert times.median("matmul", 512, "cupy", "resident") is None
    assert times.scouted("matmul", 512, "cupy", voided=True) is None


def test_a_round_that_was_cut_short_does_not_count() -> None:
    """What is left of an interrupted round says too little to stand beside whole ones."""
    run = record((NUMPY, CUPY), rounds=3)

    def cut(turns: int) -> dict[int, float]:
        cases = tuple(
            replace(c, rounds=tuple(
                replace(r, slots=tuple(s for s in r.slots if s.turn < turns or r.round != 3))
                for r in c.rounds))
            for c in run.cases
        )  # fmt: skip
        found = Times(replace(run, cases=cases))
        return found.paired("matmul", 2048, "transfer", "numpy-16", "cupy")

    assert [sorted(cut(turns)) for turns in (1, 2, 3, 6)] == [[1, 2], [1, 2], [1, 2, 3], [1, 2, 3]]
