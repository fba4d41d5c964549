"""A training from the first call to the last epoch: scripted jobs in real processes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from msgspec.structs import replace

from breakeven.analysis.judge import apply, judge
from breakeven.engine.jobs import examine
from breakeven.model.event import CaseSet, SlotDone, Studied
from breakeven.model.run import Case, RunRecord
from breakeven.model.spec import TrainingSpec
from breakeven.model.study import Study
from breakeven.workloads.training.job import PAGEABLE
from engine.job_casts import (
    CPU_S,
    GPU_S,
    Listening,
    cast,
    gpu_trainer,
    trained,
    trainer,
    training_run,
)

EPOCHS = 3


def _case(run: RunRecord, entry: str, size: int) -> Case:
    return next(c for c in run.cases if (c.entry, c.size) == (entry, size))


def _study(run: RunRecord, entry: str, size: int) -> Study:
    return next(s for s in run.studies if (s.entry, s.size) == (entry, size))


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Listening:
    """Return everything that a whole training said: one CPU, two GPUs of which one fails at 128."""
    name = cast(
        tmp_path_factory.mktemp("trained"),
        cpu=trainer(),
        gpu=gpu_trainer(),
        short=gpu_trainer(GPU_S, faults={128: "out_of_memory"}),
    )
    spec = TrainingSpec(epochs=EPOCHS, all_epochs=True)
    sink = Listening()
    run = training_run(name, training=spec)
    looked = examine(run.spec, run.machine)
    facts = {
        workload: {size: replace(one, remarks=(PAGEABLE,)) for size, one in known.items()}
        for workload, known in looked.facts.items()
    }
    trained(run, sink=sink, jobs=dataclasses.replace(looked, facts=facts))
    return sink


def test_a_step_is_measured_with_its_loader_and_without_on_both_sides(events: Listening) -> None:
    """CPU and GPU have slots in both scopes, so that a loader is on both sides of a comparison."""
    run = events.record()
    for entry in ("cpu", "gpu"):
        scopes = {r.scope for r in _case(run, entry, 64).rounds if r.clock == "wall"}
        assert scopes == {"resident", "transfer"}


def test_batch_sizes_get_verdicts_and_a_crossover(events: Listening) -> None:
    """At 32 the GPU is slower, at 128 faster, and the crossing lies between."""
    judged = apply(events.record(), judge(events.record()))
    words = {
        v.size: v.word
        for v in judged.verdicts
        if (v.entry, v.scope, v.base_kind) == ("gpu", "transfer", "best-cpu")
    }
    assert (words[32], words[128]) == ("slower", "faster")
    crossed = next(
        c
        for c in judged.crossovers
        if (c.entry, c.scope, c.base_kind) == ("gpu", "transfer", "best-cpu")
    )
    assert crossed.kind == "bracket"
    assert crossed.low is not None
    assert crossed.high is not None
    assert 32 <= crossed.low <= 64 <= crossed.high <= 128


def test_what_the_job_says_of_itself_is_remarked_once(events: Listening) -> None:
    """The model and data were looked at in two sizes before the first round."""
    assert events.record().remarks.count(f"train: {PAGEABLE}") == 1


def test_losses_are_checked_once_and_not_while_scouting(events: Listening) -> None:
    """The check takes ten steps, so a case has it in its first round alone."""
    checked = [
        e.round
        for e in events.events
        if isinstance(e, CaseSet) and (e.entry, e.size) == ("gpu", 64) and e.agreement is not None
    ]
    assert checked == [1]
    assert _case(events.record(), "gpu", 64).agreement.passed


def test_memory_that_runs_out_is_the_status_of_one_case(events: Listening) -> None:
    """The other batch sizes of that entry are measured, and the sweep goes on."""
    run = events.record()
    assert _case(run, "short", 128).status == "out_of_memory"
    assert _case(run, "short", 64).status == "ok"
    assert _case(run, "gpu", 128).status == "ok"
    assert not any(s.entry == "short" and s.size == 128 and s.stretches for s in run.studies)


def test_every_kept_entry_is_studied_in_three_rounds(events: Listening) -> None:
    """Phases and a stretch come from three fresh processes each; the twin is left alone."""
    run = events.record()
    for entry in ("cpu", "gpu"):
        for size in (32, 64, 128):
            study = _study(run, entry, size)
            assert [p.round for p in study.phases] == [1, 2, 3]
            assert [s.round for s in study.stretches] == [1, 2, 3]
            assert study.steps_per_epoch == 1024 // size
    assert not any("twin" in s.entry for s in run.studies)


def test_phases_add_up_to_the_step(events: Listening) -> None:
    """The parts of a scripted step are all of it."""
    for phases in _study(events.record(), "gpu", 64).phases:
        parts = (
            phases.loader_s, phases.to_device_s, phases.forward_s, phases.backward_s,
            phases.optimiser_s,
        )  # fmt: skip
        assert sum(part or 0.0 for part in parts) == pytest.approx(phases.step_s, rel=0.05)


def test_what_is_studied_follows_the_slots_of_its_size(events: Listening) -> None:
    """No slot of a size is measured once one of its entries is being studied in that round."""
    kinds = [
        ("slot" if isinstance(e, SlotDone) else "study")
        for e in events.events
        if (isinstance(e, SlotDone) and e.clock == "wall" and (e.round, e.size) == (1, 64))
        or (isinstance(e, Studied) and e.study.size == 64 and _round_of(e.study) == 1)
    ]
    assert "study" in kinds
    assert kinds == sorted(kinds)


def _round_of(study: Study) -> int | None:
    return next((p.round for p in (*study.phases, *study.stretches)), None)


def test_all_epochs_are_run_on_both_sides_from_the_same_seed(events: Listening) -> None:
    """Each kept entry trains to the end once at each batch size."""
    run = events.record()
    for entry in ("cpu", "gpu"):
        trainings = _study(run, entry, 128).trainings
        assert [t.seed for t in trainings] == [run.spec.seed]
        assert [e.epoch for e in trainings[0].epochs] == list(range(EPOCHS))
        step_s = {"cpu": CPU_S[128], "gpu": GPU_S[128]}[entry]
        assert trainings[0].epochs[0].seconds == pytest.approx(8 * step_s, rel=0.2)


def test_a_case_that_cannot_be_traced_says_why(events: Listening) -> None:
    """A scripted job has nothing to trace: its study has the reason in place of operators."""
    trace = _study(events.record(), "cpu", 64).trace
    assert trace is not None
    assert "given" in (trace.why or "")


def test_an_interrupted_training_is_completed(tmp_path: Path) -> None:
    """A resumed run keeps what was studied, and adds the rounds that were missing."""
    name = cast(tmp_path, cpu=trainer(), gpu=gpu_trainer())
    record = training_run(name, sizes=(32,))

    def stop(text: str, _left: float) -> None:
        if text.startswith("round 2: train 32, gpu"):
            raise KeyboardInterrupt

    sink = Listening()
    with pytest.raises(KeyboardInterrupt):
        trained(record, sink=sink, progress=stop)
    before = sink.record()
    assert before.interrupted
    studied = {(s.entry, s.size): len(s.stretches) for s in before.studies}
    assert studied["cpu", 32] >= 1
    from breakeven.analysis.settle import settle
    from breakeven.engine.session import measure
    from breakeven.model.event import Resumed

    sink.append(Resumed(at="2026-12-01T10:30:00Z"))
    measure(
        sink,
        settle,
        lambda *_: None,
        wait=lambda _: None,
        jobs=examine(record.spec, record.machine),
    )
    after = sink.record()
    assert not after.interrupted
    assert len(_study(after, "cpu", 32).stretches) == 3
    counted = {r.round for r in _case(after, "gpu", 32).rounds if r.round > 0}
    assert len(counted) >= 3
    assert 1 in counted


def test_a_worker_that_dies_in_a_study_leaves_its_slots_standing(tmp_path: Path) -> None:
    """What was measured before the crash is judged; the study says what happened."""
    record = training_run(cast(tmp_path, cpu=trainer()), sizes=(32,), rounds=1)
    killed: list[int] = []

    import os
    import signal

    from breakeven.engine.team import Team

    ask = Team.ask

    def dies(self: Team, entry, request, deadline_s):  # noqa: ANN001, ANN202
        if type(request).__name__ == "TakePhases" and not killed:
            killed.append(self._workers[entry.id].pid)
            os.kill(killed[0], signal.SIGKILL)
        return ask(self, entry, request, deadline_s)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Team, "ask", dies)
        run = trained(record)
    case = _case(run, "cpu", 32)
    assert case.status == "ok"
    assert 1 in {r.round for r in case.rounds}
    assert "SIGKILL" in (_study(run, "cpu", 32).why or "")


def test_numpy_is_unsupported_with_the_reason(tmp_path: Path) -> None:
    """A library of arrays that was asked for trains nothing, and says so."""
    name = cast(tmp_path, cpu=trainer())
    record = training_run(name, "numpy", sizes=(32,), rounds=1)
    run = trained(replace(record, spec=replace(record.spec, explicit_backends=True)))
    found = {c.entry: c for c in run.cases if c.entry.startswith("numpy")}
    assert found
    assert {c.status for c in found.values()} == {"unsupported"}
    assert all("PyTorch" in (c.why or "") for c in found.values())
