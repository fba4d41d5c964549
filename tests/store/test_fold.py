"""Folding events: what stands, what is overruled, what is rebuilt."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.errors import CorruptRunError
from breakeven.model.event import (
    BackendSeen,
    Began,
    CaseSet,
    ColdDone,
    Ended,
    EntryChosen,
    Event,
    FloorsDone,
    NaiveDone,
    Remark,
    Resumed,
    RoundDone,
    SlotDone,
    SlotVoided,
)
from breakeven.model.machine import BackendInfo, Blas
from breakeven.model.run import (
    Agreement,
    Case,
    Clock,
    ColdStart,
    Floors,
    Memory,
    NaiveShot,
    Phases,
    RunRecord,
    Slot,
    Status,
    Work,
)
from breakeven.model.spec import RunSpec
from breakeven.model.verdict import Scope
from breakeven.store.fold import Fold, fold
from breakeven.store.unfold import unfold
from records import CUPY, NUMPY, TWIN, machine, record

BEGAN = Began(
    record=RunRecord(
        id="2026-12-01T10-22-07-3f9a",
        started="2026-12-01T10:22:07Z",
        command=("run", "matmul"),
        spec=RunSpec(workloads=(), backends=("numpy", "cupy")),
        machine=machine(),
    )
)


def said(
    status: Status = "ok",
    *,
    entry: str = "numpy-16",
    why: str | None = None,
    work: Work | None = None,
    agreement: Agreement | None = None,
    memory: Memory | None = None,
    phases: Phases | None = None,
    losses: tuple[float, ...] = (),
    size: int = 128,
) -> CaseSet:
    """Return a word about a case."""
    return CaseSet(
        workload="matmul",
        size=size,
        entry=entry,
        round=1,
        status=status,
        why=why,
        work=work,
        agreement=agreement,
        memory=memory,
        phases=phases,
        losses=losses,
    )


def slot(
    order: int = 0,
    *,
    entry: str = "numpy-16",
    size: int = 128,
    number: int = 1,
    scope: Scope = "resident",
    clock: Clock = "wall",
    steady: bool = True,
) -> SlotDone:
    """Return a measured slot."""
    return SlotDone(
        workload="matmul",
        size=size,
        entry=entry,
        round=number,
        scope=scope,
        clock=clock,
        slot=Slot(turn=order, order=order, median_s=1e-3, min_s=1e-3, repeats=9),
        steady=steady,
    )


def void(
    order: int = 0, reason: str = "busy", *, number: int = 1, scope: Scope = "resident"
) -> SlotVoided:
    """Return the word that a slot does not count."""
    return SlotVoided(
        workload="matmul",
        size=128,
        entry="numpy-16",
        round=number,
        scope=scope,
        order=order,
        reason=reason,
    )


def cold(*calls: float, backend: str = "cupy", import_s: float = 3.0) -> ColdDone:
    """Return first calls in a fresh process."""
    return ColdDone(
        start=ColdStart(
            backend=backend,
            workload="matmul",
            size=128,
            order=0,
            import_s=import_s,
            context_s=0.4,
            calls_s=calls,
        )
    )


def only_case(*events: Event) -> Case:
    """Return the one case that `events` make."""
    (case,) = fold([BEGAN, *events]).cases
    return case


def test_a_run_without_an_end_is_interrupted() -> None:
    """Without `Ended` a record is unfinished and marked interrupted."""
    run = fold([BEGAN])
    assert run.finished is None
    assert run.interrupted


def test_an_end_is_taken_over() -> None:
    """`Ended` gives the time and whether the plan was completed."""
    run = fold([BEGAN, Ended(finished="2026-12-01T10:24:01Z")])
    assert (run.finished, run.interrupted) == ("2026-12-01T10:24:01Z", False)
    run = fold([BEGAN, Ended(finished="2026-12-01T10:24:01Z", interrupted=True)])
    assert run.interrupted


def test_a_resumed_run_is_open_again() -> None:
    """`Resumed` voids an end that was written before."""
    run = fold([BEGAN, Ended(finished="t", interrupted=True), Resumed(at="u")])
    assert (run.finished, run.interrupted) == (None, True)


@pytest.mark.parametrize("events", [(), (Remark(text="early"),), (BEGAN, BEGAN)])
def test_events_that_are_no_run_are_refused(events: tuple[Event, ...]) -> None:
    """A record begins once, with `Began`."""
    with pytest.raises(CorruptRunError, match=r"began twice|did not begin|no event says"):
        fold(events)


def test_a_refused_event_changes_nothing() -> None:
    """A second `Began` leaves the record as it was."""
    whole = Fold()
    whole.add(BEGAN)
    whole.add(slot())
    before = whole.record()
    with pytest.raises(CorruptRunError):
        whole.add(BEGAN)
    assert whole.record() == before


def test_the_last_word_about_a_backend_counts_with_its_pools() -> None:
    """A later `BackendSeen` replaces the info; pools once read stay when a later one has none."""
    pools = (Blas(library="mkl", user_api="blas", threads=8),)
    run = fold([
        BEGAN,
        BackendSeen(info=BackendInfo(name="torch-cpu", device="cpu", available=True), blas=pools),
        BackendSeen(info=BackendInfo(name="cupy", device="cuda:0", available=True)),
        BackendSeen(info=BackendInfo(name="torch-cpu", device="cpu", available=False, why_not="x")),
    ])  # fmt: skip
    assert [(b.name, b.available) for b in run.backends] == [("torch-cpu", False), ("cupy", True)]
    assert run.machine.blas["torch-cpu"] == pools
    assert run.machine.blas["numpy"] == machine().blas["numpy"]


def test_folding_leaves_the_first_machine_as_it_was() -> None:
    """Pools are put into a copy: a frozen record is not changed behind its owner's back."""
    before = msgspec.json.encode(BEGAN)
    pools = (Blas(library="mkl", user_api="blas"),)
    fold([BEGAN, BackendSeen(info=BackendInfo(name="x", device="cpu", available=True), blas=pools)])
    assert msgspec.json.encode(BEGAN) == before


def test_cases_keep_the_order_of_their_first_appearance() -> None:
    """A case stands where it was first heard of, by a slot or by a word."""
    run = fold([BEGAN, slot(size=512), said(size=128), said(size=512), slot(entry="cupy")])
    assert [(c.size, c.entry) for c in run.cases] == [
        (512, "numpy-16"), (128, "numpy-16"), (128, "cupy")]  # fmt: skip


def test_slots_are_grouped_by_round_scope_and_clock() -> None:
    """Slots that come interleaved end in their own groups, in order."""
    case = only_case(
        slot(0), slot(1, scope="transfer"), slot(2), slot(0, clock="device"), slot(0, number=2)
    )
    assert [(r.round, r.scope, r.clock, [s.order for s in r.slots]) for r in case.rounds] == [
        (1, "resident", "wall", [0, 2]),
        (1, "transfer", "wall", [1]),
        (1, "resident", "device", [0]),
        (2, "resident", "wall", [0]),
    ]


def test_one_unsteady_slot_makes_its_round_unsteady() -> None:
    """`steady` of a round holds only if it holds for each slot."""
    case = only_case(slot(0), slot(1, steady=False), slot(2), slot(0, number=2))
    assert [r.steady for r in case.rounds] == [False, True]


def test_a_void_reaches_the_wall_slot_alone() -> None:
    """A voided slot keeps its time and its place; other clocks, rounds and orders stay."""
    case = only_case(slot(0), slot(1), slot(1, clock="device"), slot(1, number=2), void(1))
    wall, device, second = case.rounds
    assert [s.voided for s in wall.slots] == [None, "busy"]
    assert wall.slots[1].median_s == 1e-3
    assert device.slots[0].voided is None
    assert second.slots[0].voided is None


def test_the_first_reason_to_void_a_slot_stands() -> None:
    """A slot voided twice was out for the first reason."""
    case = only_case(slot(0), void(0, "busy"), void(0, "two_states"))
    assert case.rounds[0].slots[0].voided == "busy"


@pytest.mark.parametrize("lost", [void(5), void(0, number=9), void(0, scope="transfer")])
def test_a_void_without_its_slot_is_remarked(lost: SlotVoided) -> None:
    """A slot that cannot be voided is not passed over in silence."""
    run = fold([BEGAN, slot(0), lost])
    assert "matmul 128, numpy-16" in run.remarks[0]
    assert run.cases[0].rounds[0].slots[0].voided is None


def test_a_failed_status_stays() -> None:
    """An ok of a later round does not overrule a failure, nor does another failure."""
    case = only_case(said("crashed", why="signal 9"), said("ok", why="fine"), said("timeout"))
    assert (case.status, case.why) == ("crashed", "signal 9")


def test_a_failure_does_not_inherit_the_remark_of_an_ok() -> None:
    """A reason belongs to its status."""
    case = only_case(said("ok", why="4 of 16 cores used"), said("out_of_memory"))
    assert (case.status, case.why) == ("out_of_memory", None)


def test_an_interrupted_case_can_be_completed_after_a_resume() -> None:
    """`interrupted` gives way to the next word once the run goes on, and to nothing before."""
    cut = said("interrupted", why="Ctrl-C")
    assert only_case(cut, said("ok")).status == "interrupted"
    assert only_case(cut, Resumed(at="t")).status == "interrupted"
    done = only_case(cut, Resumed(at="t"), said("ok"))
    assert (done.status, done.why) == ("ok", None)
    assert only_case(said("crashed"), Resumed(at="t"), said("ok")).status == "crashed"


def test_what_a_word_leaves_out_stays() -> None:
    """None and empty leave what earlier rounds said, down to single readings."""
    work = Work(flops=1.0, bytes=2.0)
    case = only_case(
        said(why="slow start", work=work, losses=(0.7, 0.6), memory=Memory(host_peak_bytes=5),
             phases=Phases(to_device_s=0.1, compute_s=0.2)),
        said(memory=Memory(device_peak_bytes=7), phases=Phases(compute_s=0.3)),
        said(),
    )  # fmt: skip
    assert (case.why, case.work, case.losses) == ("slow start", work, (0.7, 0.6))
    assert case.memory == Memory(host_peak_bytes=5, device_peak_bytes=7)
    assert case.phases == Phases(to_device_s=0.1, compute_s=0.3)


def test_a_failed_agreement_stays() -> None:
    """An answer that was wrong once is not made right by a later round."""
    good = Agreement(error=1e-7, bound=1e-6, class_="float32", passed=True)
    better = msgspec.structs.replace(good, error=1e-8)
    wrong = Agreement(error=0.5, bound=1e-6, class_="wrong", passed=False)
    assert only_case(said(agreement=good), said(agreement=better)).agreement == better
    assert only_case(said(agreement=good), said(agreement=wrong), said(agreement=good),
                     said()).agreement == wrong  # fmt: skip


def test_cold_phases_are_medians_over_fresh_processes() -> None:
    """Import, context and the excess of the first call reach each case of their backend."""
    run = fold([
        BEGAN, EntryChosen(entry=CUPY), EntryChosen(entry=NUMPY), EntryChosen(entry=TWIN),
        said(entry="cupy", phases=Phases(compute_s=0.5)), said(entry="numpy-16"),
        said(entry=TWIN.id),
        cold(0.5, 0.2, 0.1, import_s=1.0), cold(0.9, 0.1, 0.1, import_s=3.0),
        cold(0.2, 0.1, 0.1, import_s=9.0), cold(0.3, 0.1, backend="torch-cpu"),
    ])  # fmt: skip
    gpu, cpu, twin = run.cases
    assert gpu.phases == Phases(import_s=3.0, context_s=0.4, first_call_s=0.4, compute_s=0.5)
    assert cpu.phases == Phases()
    assert twin.phases.first_call_s == pytest.approx(0.2)
    assert len(run.cold_starts) == 4


def test_a_first_call_is_never_below_nothing() -> None:
    """A last call that was slower than the first makes an excess of 0, not a negative one."""
    run = fold([BEGAN, EntryChosen(entry=CUPY), said(entry="cupy"), cold(0.1, 0.2)])
    assert run.cases[0].phases.first_call_s == 0.0


def test_one_call_alone_says_nothing_about_the_first() -> None:
    """Without a steady call to compare with, the excess is unknown rather than 0."""
    run = fold([BEGAN, EntryChosen(entry=CUPY), said(entry="cupy"), cold(0.3)])
    assert run.cases[0].phases.first_call_s is None
    assert run.cases[0].phases.import_s == 3.0


def test_floors_keep_the_lowest_reading_of_each() -> None:
    """Floors are compared field by field; a missing one does not count."""
    one = Floors(empty_call_s=3e-8, message_s=5e-5, synchronise_s=6e-6)
    two = Floors(empty_call_s=4e-8, message_s=4e-5, event_pair_s=9e-6)
    run = fold([BEGAN, FloorsDone(entry="cupy", floors=one), FloorsDone(entry="cupy", floors=two)])
    assert run.limits.floors["cupy"] == Floors(
        empty_call_s=3e-8, message_s=4e-5, synchronise_s=6e-6, event_pair_s=9e-6
    )


def test_remarks_are_said_once_in_order() -> None:
    """A remark made every round is kept once."""
    run = fold([BEGAN, Remark(text="busy"), Remark(text="no pinning"), Remark(text="busy")])
    assert run.remarks == ("busy", "no pinning")


def test_the_plan_and_one_shots_are_taken_over() -> None:
    """The last round tells how many are planned; each one-shot reading is kept."""
    shot = NaiveShot(entry="cupy", workload="matmul", size=128, one_shot_s=0.4)
    run = fold([BEGAN, RoundDone(round=1, planned=8), RoundDone(round=2, planned=5),
                NaiveDone(shot=shot)])  # fmt: skip
    assert run.rounds_planned == 5
    assert run.naive_shots == (shot,)


def test_only_changed_cases_are_rebuilt() -> None:
    """A case that no event touched is the same object in the next record."""
    whole = Fold()
    for event in (BEGAN, slot(size=128), slot(size=512)):
        whole.add(event)
    first = whole.record()
    assert whole.record() is first
    whole.add(slot(1, size=512))
    second = whole.record()
    assert second.cases[0] is first.cases[0]
    assert [len(c.rounds[0].slots) for c in second.cases] == [1, 2]
    assert [len(c.rounds[0].slots) for c in first.cases] == [1, 1]


def test_a_void_shows_in_the_next_record_alone() -> None:
    """A record that was read before a void keeps its slot; the next one has it voided."""
    whole = Fold()
    for event in (BEGAN, slot(0)):
        whole.add(event)
    before = whole.record()
    whole.add(void(0))
    assert whole.record().cases[0].rounds[0].slots[0].voided == "busy"
    assert before.cases[0].rounds[0].slots[0].voided is None


def test_pools_show_in_the_next_record_alone() -> None:
    """A record that was read is not changed by pools that are found later."""
    pools = (Blas(library="mkl", user_api="blas"),)
    whole = Fold()
    whole.add(BEGAN)
    records = []
    for name in ("one", "two"):
        info = BackendInfo(name=name, device="cpu", available=True)
        whole.add(BackendSeen(info=info, blas=pools))
        records.append(whole.record())
    assert [list(run.machine.blas) for run in records] == [
        ["numpy", "one"],
        ["numpy", "one", "two"],
    ]


EVENTS = st.one_of(
    st.builds(slot, st.integers(0, 4), size=st.sampled_from([128, 512]),
              entry=st.sampled_from(["numpy-16", "cupy"]), number=st.integers(0, 2),
              scope=st.sampled_from(["resident", "transfer"]),
              clock=st.sampled_from(["wall", "device"]), steady=st.booleans()),
    st.builds(void, st.integers(0, 4), st.sampled_from(["busy", "two_states"]),
              number=st.integers(0, 2)),
    st.builds(said, st.sampled_from(["ok", "crashed", "interrupted"]),
              entry=st.sampled_from(["numpy-16", "cupy"]), why=st.sampled_from([None, "a", "b"]),
              phases=st.sampled_from([None, Phases(compute_s=1.0)])),
    st.builds(cold, st.floats(0, 9), st.floats(0, 9)),
    st.just(EntryChosen(entry=CUPY)),
    st.just(Resumed(at="t")),
    st.builds(Remark, text=st.sampled_from(["x", "y"])),
    st.builds(RoundDone, round=st.integers(1, 3), planned=st.integers(1, 9)),
    st.builds(Ended, finished=st.just("t"), interrupted=st.booleans()),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(EVENTS, max_size=30), st.randoms(use_true_random=False))
def test_looking_between_events_changes_nothing(events: list[Event], rng: random.Random) -> None:
    """A record read at any moments equals one folded in one go."""
    whole = Fold()
    whole.add(BEGAN)
    for event in events:
        whole.add(event)
        if rng.random() < 0.4:
            whole.record()
    assert whole.record() == fold([BEGAN, *events])


@settings(max_examples=150, deadline=None)
@given(st.lists(EVENTS, max_size=30))
def test_a_record_unfolds_into_events_that_make_it_again(events: list[Event]) -> None:
    """Nothing that was measured is lost on the way from a record back to events."""
    run = fold([BEGAN, *events])
    assert fold(unfold(run)) == run


def test_unfolding_leaves_conclusions_behind() -> None:
    """What was judged is judged anew after a resume."""
    judged = msgspec.structs.replace(record(rounds=1), caveats=("read this",))
    assert fold(unfold(judged)).caveats == ()
