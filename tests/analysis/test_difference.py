"""Two sessions judged against each other: planted changes, sameness, and what withholds."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec
import pytest

from breakeven.analysis.difference import MOVES, difference
from breakeven.model.difference import Change, Difference
from breakeven.model.run import RunRecord, Slot
from records import CUPY, CURVES, GPU, NUMPY, TORCH_CPU, TORCH_CUDA, Curve, entry, record

CaseEdit = Callable[..., RunRecord]
replace = msgspec.structs.replace
ALL = (NUMPY, TORCH_CPU, CUPY, TORCH_CUDA)
SIZES = (512, 2048)


def times(curve: Curve, factor: float) -> Curve:
    """Return a curve times a factor."""
    return lambda n: factor * curve(n)


def session(seed: int, *, rounds: int = 8, spread: float = 0.01, **factors: float) -> RunRecord:
    """Return a session in which some entries take a factor longer, by backend."""
    slow = {name.replace("_", "-"): factor for name, factor in factors.items()}
    curves = {e.id: times(CURVES[e.id], slow.get(e.backend, 1.0)) for e in ALL}
    made = record(ALL, curves, sizes=SIZES, rounds=rounds, seed=seed, spread=spread)
    return replace(made, id=f"2026-12-01T10-22-07-000{seed}")


def words(found: Difference, name: str | None = None) -> set[str]:
    """Return the words of all cases, or of those of one entry."""
    return {c.word for c in found.changes if name in {None, c.entry}}


def one(found: Difference, name: str, size: int = 512, scope: str = "resident") -> Change:
    """Return one case."""
    return next(c for c in found.changes if (c.entry, c.size, c.scope) == (name, size, scope))


@pytest.fixture(scope="module")
def before() -> RunRecord:
    """Return a calm session."""
    return session(1)


def test_two_sessions_of_the_same_code_are_the_same(before: RunRecord) -> None:
    """Every case of every scope is told to be the same, within its interval."""
    found = difference(before, session(2))
    assert found.same_machine
    assert len(found.changes) == 2 * (2 + 2 * 2)
    assert words(found) == {"same"}
    for c in found.changes:
        assert c.low is not None
        assert c.high is not None
        assert c.verdict_low is not None
        assert c.verdict_low < c.low < 1.03
        assert c.high > 0.97


def test_a_planted_slow_down_of_ten_per_cent_is_proven(before: RunRecord) -> None:
    """The entry that takes 10 % longer is slower, with a ratio of 1 / 1.10; no other is."""
    found = difference(before, session(2, torch_cpu=1.10))
    assert words(found, "torch-cpu-16") == {"slower"}
    assert words(found, "numpy-16") | words(found, "cupy") == {"same"}
    seen = one(found, "torch-cpu-16")
    assert seen.ratio == pytest.approx(1 / 1.10, rel=0.02)
    assert (seen.rounds_a, seen.rounds_b) == (8, 8)
    assert seen.control == "numpy-16" or seen.margin == pytest.approx(1.05)
    assert "faster" in words(difference(session(2, torch_cpu=1.10), before), "torch-cpu-16")


def test_what_sessions_move_by_is_no_slow_down(before: RunRecord) -> None:
    """All libraries of a device 10 % slower: the machine may be, so it is left open."""
    found = difference(before, session(2, numpy=1.10, torch_cpu=1.10))
    assert words(found, "numpy-16") == words(found, "torch-cpu-16") == {"open"}
    seen = one(found, "numpy-16")
    assert seen.reason == "sessions"
    assert seen.margin == pytest.approx(1.105, abs=0.03)


def test_beyond_what_sessions_move_by_all_of_a_device_may_be_slower(before: RunRecord) -> None:
    """Half as long again is proven of both libraries: controls never raise the margin above it."""
    found = difference(before, session(2, numpy=1.5, torch_cpu=1.5))
    assert words(found, "numpy-16") == words(found, "torch-cpu-16") == {"slower"}
    assert one(found, "numpy-16").margin == pytest.approx(math.exp(MOVES))
    assert one(found, "numpy-16").control is None


def test_without_another_library_ten_per_cent_are_not_proven() -> None:
    """One library alone cannot tell its change from the machine's."""

    def alone(seed: int, factor: float) -> RunRecord:
        curves = {NUMPY.id: times(CURVES[NUMPY.id], factor)}
        return record((NUMPY,), curves, sizes=SIZES, rounds=8, seed=seed, spread=0.01)

    assert words(difference(alone(1, 1.0), alone(2, 1.10))) == {"open"}
    assert words(difference(alone(1, 1.0), alone(2, 1.25))) == {"slower"}


def test_the_same_library_with_other_threads_is_no_control() -> None:
    """What slows a library slows all of its entries: none of them speaks for the machine."""
    pair = (entry("numpy", 8), entry("numpy", 16))

    def both(seed: int, factor: float) -> RunRecord:
        curves = {
            e.id: times(CURVES["numpy-16"], f) for e, f in zip(pair, (1, factor), strict=True)
        }
        return record(pair, curves, sizes=SIZES, rounds=8, seed=seed, spread=0.01)

    assert words(difference(both(1, 1.0), both(2, 1.10)), "numpy-16") == {"open"}


def test_identical_sessions_are_never_called_different() -> None:
    """Sessions whose rounds differ by 8 %, with few rounds and many: no case changes."""
    for rounds in (3, 5, 8, 12):
        for seed in range(6):
            found = difference(
                session(2 * seed, rounds=rounds, spread=0.08),
                session(2 * seed + 1, rounds=rounds, spread=0.08),
            )
            assert words(found) <= {"same", "open"}


def test_two_machines_are_set_side_by_side_only(before: RunRecord) -> None:
    """A slow-down by a half on another GPU is called nothing; its ratio stands."""
    other = replace(session(2, cupy=1.5).machine, gpus=(replace(GPU, uuid="GPU-1111"),))
    found = difference(before, replace(session(2, cupy=1.5), machine=other))
    assert not found.same_machine
    assert words(found) == {"withheld"}
    assert {c.reason for c in found.changes} == {"machines"}
    assert one(found, "cupy").ratio == pytest.approx(1 / 1.5, rel=0.03)


def test_too_few_rounds_and_quick_runs_are_withheld(before: RunRecord) -> None:
    """Two rounds carry no word, and a quick run none either; the figures stay."""
    found = difference(before, session(2, rounds=2))
    assert {(c.word, c.reason) for c in found.changes} == {("withheld", "few_rounds")}
    quick = replace(session(2), spec=replace(before.spec, effort="quick"))
    found = difference(quick, before)
    assert {c.reason for c in found.changes} == {"quick"}
    assert str(one(found, "cupy").why).startswith("A is a quick run")


def test_other_dtype_is_withheld_without_a_ratio(before: RunRecord) -> None:
    """Times of float64 beside those of float32 are no change of code."""
    wide = tuple(replace(e, dtype="float64") for e in before.entries)
    found = difference(before, replace(session(2), entries=wide))
    assert {(c.reason, c.ratio) for c in found.changes} == {("settings", None)}
    assert "dtype is float32 in A and float64 in B" in str(found.changes[0].why)


def test_a_case_that_failed_in_one_run_is_told(before: RunRecord, edit_case: CaseEdit) -> None:
    """A crash in B is neither left out nor ranked."""
    crashed = edit_case(session(2), "cupy", 512, status="crashed", why="signal 9", rounds=())
    seen = one(difference(before, crashed), "cupy")
    assert (seen.word, seen.reason, seen.ratio) == ("withheld", "status", None)
    assert str(seen.why).startswith("B: ")
    assert "signal 9" in str(seen.why)


def test_a_voided_session_is_withheld(
    before: RunRecord, edit_slots: Callable[..., RunRecord]
) -> None:
    """Slots in which others took the CPU say nothing of a change."""
    busy = edit_slots(session(2), _half_void, entry="numpy-16")
    seen = one(difference(before, busy), "numpy-16")
    assert (seen.word, seen.reason) == ("withheld", "busy")


def _half_void(_case: object, _round: int, slot: Slot) -> Slot:
    return replace(slot, voided="busy") if slot.turn % 2 else slot


def test_cases_of_one_run_alone_are_listed(before: RunRecord) -> None:
    """A size that only A has measured is named, and no change."""
    fewer = replace(before, cases=tuple(c for c in before.cases if c.size == 512))
    found = difference(before, fewer)
    assert {c.size for c in found.changes} == {512}
    assert "matmul 2048 cupy transfer" in found.only_a
    assert found.only_b == ()


def test_runs_that_did_not_end_and_one_run_twice_are_remarked(before: RunRecord) -> None:
    """What weakens a difference is said."""
    assert any("same run" in r for r in difference(before, before).remarks)
    broken = replace(session(2), interrupted=True)
    assert any(r.startswith("B did not") for r in difference(before, broken).remarks)
