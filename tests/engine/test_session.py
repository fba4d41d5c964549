"""A whole session: scripted backends in real processes, from the first call to the last round."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from breakeven.analysis.judge import apply, judge
from breakeven.analysis.settle import settle
from breakeven.engine.context import Context
from breakeven.engine.plan import effort_of
from breakeven.engine.session import measure
from breakeven.errors import NothingMeasuredError
from breakeven.model.event import Began
from breakeven.model.run import Case, RunRecord
from breakeven.model.verdict import Crossover
from breakeven.store.sink import MemorySink
from engine.casts import CPU_S, GPU_S, actor, began, gpu, measured, script

SIZES = (8, 16, 32, 64)
FAULTS = {
    "crash": "crashed",
    "kill": "crashed",
    "hang": "timeout",
    "out_of_memory": "out_of_memory",
    "unsupported": "unsupported",
    "disagree": "disagrees",
}


def _case(run: RunRecord, entry: str, size: int) -> Case:
    return next(c for c in run.cases if (c.entry, c.size) == (entry, size))


def _rounds(case: Case, scope: str = "resident") -> list[int]:
    """Return the rounds in which a case was measured on the wall clock."""
    return [r.round for r in case.rounds if r.clock == "wall" and r.scope == scope]


@pytest.fixture(scope="module")
def crossed(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """Return a judged run of GPUs that overtake one CPU at known sizes."""
    name = script(
        tmp_path_factory.mktemp("crossed"),
        cpu=actor(),
        once=gpu(GPU_S),
        always=gpu({8: 2e-4, 64: 2e-4}),
        never=gpu({s: 3 * t for s, t in CPU_S.items()}),
        several=gpu({8: 5e-4, 16: 8e-3, 32: 8e-3, 64: 1.28e-1}),
        short=gpu(GPU_S, faults={64: "out_of_memory"}),
    )
    run = measured(began(name, sizes=SIZES, budget_s=1.0))
    return apply(run, judge(run))


def _crossover(run: RunRecord, entry: str) -> Crossover:
    found = [
        c
        for c in run.crossovers
        if (c.entry, c.scope, c.base_kind) == (entry, "resident", "best-cpu")
    ]
    assert len(found) == 1
    return found[0]


def test_a_crossover_is_found_where_it_was_scripted(crossed: RunRecord) -> None:
    """The curves meet at 22.6: the bracket holds it, with sizes measured on both sides."""
    one = _crossover(crossed, "once")
    assert one.kind == "bracket"
    assert one.low is not None
    assert one.high is not None
    assert one.low <= 22.63 <= one.high
    assert one.estimate is not None
    assert one.estimate.value == pytest.approx(22.63, rel=0.05)


def test_no_crossover_is_found_where_there_is_none(crossed: RunRecord) -> None:
    """A GPU that always wins, and one that never does, are told so with the sizes tested."""
    for entry, kind in (("always", "always"), ("never", "never")):
        one = _crossover(crossed, entry)
        assert one.kind == kind
        assert set(SIZES) <= set(one.sizes)


def test_all_of_several_crossovers_are_listed(crossed: RunRecord) -> None:
    """Won, lost, won, lost: three changes between the scripted sizes."""
    one = _crossover(crossed, "several")
    assert one.kind == "several"
    assert len(one.changes) == 3
    for change, (low, high) in zip(one.changes, ((8, 16), (16, 32), (32, 64)), strict=True):
        assert low < change < high


def test_memory_that_runs_out_above_a_size_leaves_the_sizes_below(crossed: RunRecord) -> None:
    """The size is stored as out of memory, the smaller ones are measured in every round."""
    assert _case(crossed, "short", 64).status == "out_of_memory"
    assert "no memory at size 64" in (_case(crossed, "short", 64).why or "")
    for size in SIZES[:3]:
        assert _case(crossed, "short", size).status == "ok"
        assert {1, 2, 3} <= set(_rounds(_case(crossed, "short", size)))
    assert _crossover(crossed, "short").kind == "bracket"


def test_every_round_measures_every_planned_size(crossed: RunRecord) -> None:
    """Three rounds were asked for, after one that scouts; a GPU has both scopes, a CPU has one."""
    assert crossed.rounds_planned == 3
    for size in SIZES:
        assert _rounds(_case(crossed, "cpu", size)) == [0, 1, 2, 3]
        assert _rounds(_case(crossed, "cpu-twin", size)) == [1, 2, 3]
        for scope in ("resident", "transfer"):
            assert _rounds(_case(crossed, "once", size), scope) == [0, 1, 2, 3]
    assert not {r.scope for c in crossed.cases if c.entry == "cpu" for r in c.rounds} - {"resident"}


def test_slots_are_taken_in_turn(crossed: RunRecord) -> None:
    """In each turn every case of a size has one slot, and no two slots share a place."""
    slots = [
        (r.round, slot.turn, slot.order)
        for c in crossed.cases
        if c.size == 16
        for r in c.rounds
        if r.clock == "wall" and r.round > 0
        for slot in r.slots
    ]
    assert len({(number, order) for number, _, order in slots}) == len(slots)
    seats = 2 + 2 * 5
    for number in (1, 2, 3):
        turns = [turn for n, turn, _ in slots if n == number]
        assert {turns.count(t) for t in set(turns)} == {seats}
        places = sorted((order, turn) for n, turn, order in slots if n == number)
        assert [turn for _, turn in places] == sorted(turns)


def test_first_calls_come_from_fresh_processes(tmp_path: Path) -> None:
    """Import, context and first call are those of the script, one process after the other."""
    start = {"import_s": 3.0, "context_s": 0.5, "first_call_s": 0.4}
    name = script(tmp_path, cpu=actor(), gpu=gpu(start=start))
    record = began(name, sizes=(8,), rounds=1, naive=True)
    # However slowly processes start here: their share of the budget is not what is tested.
    patient = replace(effort_of(record.spec, gpu=False), cold_share=1e6)
    run = measured(record, effort=patient)
    starts = [s for s in run.cold_starts if s.backend.endswith("#gpu")]
    assert len(starts) == 3
    assert sorted(s.order for s in run.cold_starts) == list(range(6))
    for one in starts:
        assert (one.import_s, one.context_s, one.size) == (3.0, 0.5, 8)
        assert one.calls_s[0] - one.calls_s[2] == pytest.approx(0.4, rel=0.1)
    shots = {s.entry: s for s in run.naive_shots}
    assert set(shots) == {"cpu", "gpu"}
    assert shots["cpu"].unsynchronised_s is None
    # The clock is stopped when the call returns: a scripted GPU has done nothing by then.
    assert shots["gpu"].unsynchronised_s == 0.0


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """Return a judged run in which every other backend fails at size 16 in its own way."""
    cast: dict[str, Any] = {fault: actor(faults={16: fault}) for fault in FAULTS}
    cast["early"] = actor(faults={8: "crash"})
    cast["broken"] = actor(fails="its library is of another make")
    name = script(tmp_path_factory.mktemp("faulty"), good=actor(), **cast)
    run = measured(began(name, rounds=1, budget_s=1.0), patience_s=3.0)
    return apply(run, judge(run))


@pytest.mark.parametrize(("fault", "status"), FAULTS.items())
def test_a_fault_is_the_status_of_its_case(faulty: RunRecord, fault: str, status: str) -> None:
    """What went wrong at one size is stored there, with the reason."""
    case = _case(faulty, fault.replace("_", "-"), 16)
    assert case.status == status
    assert case.why


@pytest.mark.parametrize("fault", FAULTS)
def test_the_sweep_goes_on_after_a_fault(faulty: RunRecord, fault: str) -> None:
    """The sizes around it are measured; a size that ended a worker is not tried again."""
    entry = fault.replace("_", "-")
    for size in (8, 32):
        assert _case(faulty, entry, size).status == "ok"
        assert 1 in _rounds(_case(faulty, entry, size))
    tried = _rounds(_case(faulty, entry, 16))
    assert tried == ([0, 1] if fault == "disagree" else [])


def test_others_are_not_disturbed_by_a_fault(faulty: RunRecord) -> None:
    """The entry beside all these faults has every size in every round."""
    for size in (8, 16, 32):
        assert _case(faulty, "good", size).status == "ok"
        assert _rounds(_case(faulty, "good", size)) == [0, 1]


def test_a_fault_in_the_first_call_does_not_take_the_backend_out(faulty: RunRecord) -> None:
    """A backend that opens but crashes at the smallest size is measured at the others."""
    assert _case(faulty, "early", 8).status == "crashed"
    assert _rounds(_case(faulty, "early", 32))
    assert any("first call" in r and "early" in r for r in faulty.remarks)
    assert next(b for b in faulty.backends if b.name.endswith("#early")).available


def test_a_backend_that_does_not_open_is_unavailable(faulty: RunRecord) -> None:
    """It takes no part; what it said and what to try are kept."""
    broken = next(b for b in faulty.backends if b.name.endswith("broken"))
    assert not broken.available
    assert broken.why_not == "its library is of another make"
    assert broken.fix
    assert "broken" not in {e.id for e in faulty.entries}


def test_an_answer_that_disagrees_is_not_ranked(faulty: RunRecord) -> None:
    """No verdict names an entry faster at a size where its answer is wrong."""
    words = {v.word for v in faulty.verdicts if v.entry == "disagree" and v.size == 16}
    assert words <= {"withheld"}
    case = _case(faulty, "disagree", 16)
    assert case.agreement is not None
    assert (case.agreement.passed, case.agreement.class_) == (False, "wrong")


def test_nothing_that_opens_is_nothing_measured(tmp_path: Path) -> None:
    """When no backend works, the reasons of all are told."""
    name = script(tmp_path, one=actor(fails="no driver"), two=gpu(fails="no kernel image"))
    with pytest.raises(NothingMeasuredError, match=r"(?s)no driver.*no kernel image"):
        measured(began(name, budget_s=1.0))


def test_too_large_a_size_is_foreseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What all processes need together is compared with what is free, before a size is begun."""
    name = script(tmp_path, cpu=actor(), gpu=gpu())
    # Two processes of four matrices of 32 x 32 float32 each need 32768 bytes.
    monkeypatch.setattr(Context, "free_memory_bytes", lambda _: 32_000)
    run = measured(began(name, rounds=1, budget_s=1.0))
    for entry in ("cpu", "gpu"):
        case = _case(run, entry, 32)
        assert case.status == "out_of_memory"
        assert re.search(r"foreseen: .* need 32\.0 KiB .*, and 31\.2 KiB are free", case.why or "")
        assert not case.rounds
        assert _case(run, entry, 16).status == "ok"
        assert _rounds(_case(run, entry, 16))


def test_memory_that_cannot_be_read_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unknown free memory is not taken for none."""
    name = script(tmp_path, cpu=actor())
    monkeypatch.setattr(Context, "free_memory_bytes", lambda _: None)
    run = measured(began(name, sizes=(8,), effort="quick", rounds=None))
    assert _case(run, "cpu", 8).status == "ok"


def test_the_same_backend_twice_names_neither(tmp_path: Path) -> None:
    """Two selves of one backend differ by process and noise alone: nobody is faster."""
    name = script(tmp_path, cpu=actor(spread=0.03, noise=0.02)) + "#cpu"
    run = measured(began(name, name, budget_s=1.0))
    run = apply(run, judge(run))
    between = [v for v in run.verdicts if {v.base, v.entry} == {"cpu", "cpu#2"}]
    assert between
    assert not {v.word for v in between} & {"faster", "slower", "some_gain", "some_loss"}


def test_two_states_are_seen_told_and_replaced(tmp_path: Path) -> None:
    """Slots of a stalled core are void, kept, and replaced by others that count."""
    flat = {8: 4e-4, 64: 4e-4}
    name = script(tmp_path, cpu=actor(flat, stall=0.3, noise=0.0), other=actor(flat))
    run = measured(began(name, sizes=(8,), rounds=2, budget_s=1.0))
    slots = [s for r in _case(run, "cpu", 8).rounds if r.clock == "wall" for s in r.slots]
    voided = [s for s in slots if s.voided]
    assert {s.voided for s in voided} == {"two_states"}
    assert all(s.median_s > 10 * 4e-4 for s in voided)
    assert all(s.median_s < 10 * 4e-4 for s in slots if not s.voided)
    assert not any(s.voided for r in _case(run, "other", 8).rounds for s in r.slots)


def test_a_quick_run_has_one_round_and_no_verdict(tmp_path: Path) -> None:
    """It neither scouts nor starts fresh first calls, and concludes nothing."""
    name = script(tmp_path, cpu=actor(), gpu=gpu())
    run = measured(began(name, effort="quick", rounds=None))
    assert {r.round for c in run.cases for r in c.rounds} == {1}
    assert not run.cold_starts
    assert {e.id for e in run.entries} == {"cpu", "gpu"}
    words = {v.word for v in judge(run).verdicts}
    assert words <= {"withheld", "inconclusive"}


def test_the_rounds_asked_for_are_made(tmp_path: Path) -> None:
    """No fewer, however clear the answer; no more, however unclear."""
    name = script(tmp_path, cpu=actor(), other=actor({8: 1e-4, 64: 1e-4}))
    run = measured(began(name, sizes=(8,), rounds=3, budget_s=1.0))
    assert _rounds(_case(run, "cpu", 8)) == [0, 1, 2, 3]
    assert run.rounds_planned == 3


def test_sizes_that_the_budget_has_no_room_for_are_left_out_and_named(tmp_path: Path) -> None:
    """A size whose calls are foreseen to take longer than there is time is not begun."""
    # Half an hour a call, in scripted time: the plan goes by what a call is said to take.
    curve = {8: 1e-3, 16: 2e-3, 32: 1800.0}
    name = script(tmp_path, cpu=actor(curve), gpu=gpu())
    run = measured(began(name, rounds=None, budget_s=8.0))
    assert _rounds(_case(run, "cpu", 16))
    assert not any(c.entry == "cpu" and c.size == 32 and set(_rounds(c)) - {0} for c in run.cases)
    assert any("matmul 32 was left out" in r and "--budget" in r for r in run.remarks)


def test_progress_is_told_with_the_time_left(tmp_path: Path) -> None:
    """Each step says what is measured now, and at most how long the run may still take."""
    said: list[tuple[str, float]] = []
    name = script(tmp_path, cpu=actor())
    measured(
        began(name, sizes=(8,), effort="quick", rounds=None),
        progress=lambda text, left: said.append((text, left)),
    )
    assert said[0][0] == "round 1: starting 1 processes"
    assert any("matmul 8" in text for text, _ in said)
    assert all(0 <= left <= 60 for _, left in said)


def test_an_interrupt_ends_the_journal_as_interrupted(tmp_path: Path) -> None:
    """Ctrl-C in the middle leaves what was measured, and no process."""

    def interrupt(text: str, _left: float) -> None:
        if text == "round 1: matmul 16":
            raise KeyboardInterrupt

    sink = MemorySink()
    sink.append(Began(record=began(script(tmp_path, cpu=actor(), gpu=gpu()), rounds=2)))
    with pytest.raises(KeyboardInterrupt):
        measure(sink, settle, interrupt, wait=lambda _: None)
    run = sink.record()
    assert run.interrupted
    assert run.finished is not None
    assert _rounds(_case(run, "cpu", 8)) == [0, 1]
    assert _rounds(_case(run, "cpu", 16)) == [0]


def test_a_resumed_run_makes_the_rounds_that_are_missing(tmp_path: Path) -> None:
    """What was measured stays; the interrupted round does not count; others are added."""
    record = began(script(tmp_path, cpu=actor(), gpu=gpu()), rounds=2, budget_s=1.0)
    first = measured(record)
    cut = [
        msgspec.structs.replace(
            c, rounds=tuple(r for r in c.rounds if r.round < 2 or (r.round == 2 and c.size == 8))
        )
        for c in first.cases
    ]
    halved = msgspec.structs.replace(first, cases=tuple(cut), finished=None, interrupted=True)
    run = measured(halved)
    assert not run.interrupted
    assert _rounds(_case(run, "cpu", 8)) == [0, 1, 2, 3]
    assert _rounds(_case(run, "cpu", 16)) == [0, 1, 3]
    assert run.entries == first.entries
    assert run.cold_starts[: len(first.cold_starts)] == first.cold_starts


def test_an_interruption_between_two_entries_loses_neither(tmp_path: Path) -> None:
    """A run killed while its entries were being written down goes on with all of them."""
    record = began(
        script(tmp_path, cpu=actor(), gpu=gpu()), sizes=(8,), effort="quick", rounds=None
    )
    whole = measured(record)
    torn = msgspec.structs.replace(
        whole, entries=whole.entries[:1], cases=(), rounds_planned=0, finished=None
    )
    assert [e.id for e in measured(torn).entries] == ["cpu", "gpu"]


def test_many_interruptions_do_not_use_up_the_rounds(tmp_path: Path) -> None:
    """Rounds that were begun again and again leave room for those that were asked for."""
    name = script(tmp_path, cpu=actor(), gpu=gpu())
    first = measured(began(name, sizes=(8, 16), rounds=1, budget_s=1.0))
    cases = []
    for case in first.cases:
        kept = tuple(r for r in case.rounds if r.round == 0)
        if case.size == 8:
            again = [r for r in case.rounds if r.round == 1]
            kept += tuple(msgspec.structs.replace(r, round=n) for n in range(1, 6) for r in again)
        cases.append(msgspec.structs.replace(case, rounds=kept))
    torn = msgspec.structs.replace(first, cases=tuple(cases), finished=None, interrupted=True)
    run = measured(torn)
    assert _rounds(_case(run, "cpu", 16)) == [0, 6]


def test_scouting_leaves_time_for_the_rounds(tmp_path: Path) -> None:
    """Without a share of the budget left only the smallest size is scouted; a count of rounds waits."""
    name = script(tmp_path, cpu=actor(), gpu=gpu(GPU_S))
    short = measured(began(name, sizes=SIZES, rounds=None, budget_s=1e-3))
    scouted = {c.size for c in short.cases if any(r.round == 0 for r in c.rounds)}
    assert scouted == {8}
    counted = measured(began(name, sizes=SIZES, rounds=1, budget_s=1e-3))
    scouted = {c.size for c in counted.cases if any(r.round == 0 for r in c.rounds)}
    assert scouted == set(SIZES)
