"""What must be read beside the verdicts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from breakeven.analysis.caveats import SESSION, caveats
from breakeven.analysis.comparisons import Comparisons
from breakeven.model.run import Case, ColdStart, Conditions, Limits, RunRecord, Slot
from records import record


def said(run: RunRecord) -> str:
    """Return all caveats of a run as text."""
    return "\n".join(caveats(Comparisons(run)))


def test_a_claim_holds_for_its_session() -> None:
    """A calm run says first that its claims are of this session."""
    assert caveats(Comparisons(record()))[0] == SESSION


@pytest.mark.parametrize(
    ("voided", "words"),
    [("busy", "Busy machine: other processes took CPU time, 1.5 cores' worth; 15 of"),
     ("gpu_busy", "Busy GPU"), ("two_states", "Two states: pool threads shared a core")],
)  # fmt: skip
def test_voided_slots_are_counted_by_cause(
    edit_slots: Callable[..., RunRecord], voided: str, words: str
) -> None:
    """What was voided is told with its count and sizes."""

    def change(case: Case, round_: int, slot: Slot) -> Slot:
        hit = case.size == 512 and round_ > 0 and slot.turn < 3
        foreign = Conditions(foreign_cores=1.5)
        return replace(slot, voided=voided, conditions=foreign) if hit else slot

    text = said(edit_slots(record(), change, entry="numpy-16"))
    assert words in text
    assert "(sizes 512)" in text


@pytest.mark.parametrize(("sizes", "first"), [((512,), False), ((128, 512, 2048), True)])
def test_a_cause_of_many_voided_slots_weighs_most(
    edit_slots: Callable[..., RunRecord], sizes: tuple[int, ...], *, first: bool
) -> None:
    """A machine that was busy for much of the run says so first, a moment of it says so late."""

    def change(case: Case, _round: int, slot: Slot) -> Slot:
        return replace(slot, voided="busy") if case.size in sizes and slot.turn < 2 else slot

    run = edit_slots(record(), change, entry=None if first else "numpy-16")
    told = caveats(Comparisons(run))
    assert told[0].startswith("Busy machine") == first
    assert any(c.startswith("Busy machine") for c in told)


def test_a_calm_run_mentions_no_trouble() -> None:
    """What was not seen is not told."""
    text = said(record())
    for word in ("Busy", "Two states", "drift", "factor of 1.5", "interrupted", "Floors", "Quick"):
        assert word not in text


def test_drift_is_told_from_twelve_rounds_on(edit_slots: Callable[..., RunRecord]) -> None:
    """Rounds that resemble the one before make intervals too narrow."""

    def drift(_case: Case, round_: int, slot: Slot) -> Slot:
        return replace(slot, median_s=slot.median_s * 1.05**round_)

    drifting = edit_slots(record(rounds=12, spread=0.01), drift, entry="cupy")
    assert "Successive rounds resemble each other (drift)" in said(drifting)
    short = edit_slots(record(rounds=8, spread=0.01), drift, entry="cupy")
    assert "resemble" not in said(short)


def test_wild_rounds_are_told() -> None:
    """A spread over 0.40 makes false winners more frequent than the level says."""
    assert "factor of 1.5" in said(record(spread=0.7))


def test_a_first_process_that_compiled_is_told() -> None:
    """A first fresh process of 5 s before others of 1 s filled caches."""

    def start(order: int, first: float) -> ColdStart:
        return ColdStart(backend="cupy", workload="matmul", size=128, order=order, import_s=0.5,
                         context_s=0.3, calls_s=(first, 0.01, 0.01))  # fmt: skip

    run = replace(record(), cold_starts=(start(1, 0.2), start(0, 4.2), start(2, 0.2)))
    assert "The first fresh process of CuPy (matmul) took 5.00 s, later ones 1.00 s" in said(run)
    even = replace(record(), cold_starts=(start(0, 0.2), start(1, 0.2)))
    assert "first fresh process" not in said(even)


def test_launch_bound_sizes_are_named() -> None:
    """GPU calls under ten times an idle synchronise are told, with their sizes."""
    text = said(record())
    assert "CuPy on resident matmul at 128, 512: the call takes under 10 times" in text


def test_idle_cores_are_told(edit_slots: Callable[..., RunRecord]) -> None:
    """A pool that leaves most threads idle at the largest size is named; a busy one is not."""

    def busy(_case: Case, _round: int, slot: Slot) -> Slot:
        return replace(slot, conditions=Conditions(cores_used=15.0))

    text = said(edit_slots(record(), busy, entry="numpy-16"))
    assert "torch-cpu-16 kept 1.0 of its 16 threads busy on matmul at 8192" in text
    assert "numpy-16 kept" not in text


def test_missing_floors_and_an_interrupted_run_are_told() -> None:
    """What was not measured, or not finished, is said."""
    run = replace(record(), limits=Limits(), interrupted=True)
    assert "Floors were not measured for numpy-16" in said(run)
    assert "interrupted" in said(run)


def test_a_quick_run_says_that_nothing_is_judged() -> None:
    """The word indicative stands beside the figures of a quick run."""
    run = record(rounds=1)
    assert "indicative" in said(replace(run, spec=replace(run.spec, effort="quick")))
