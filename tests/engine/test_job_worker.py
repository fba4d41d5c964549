"""A real training in a worker: one tiny network, its loader's processes, and what ends them."""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from breakeven.engine import job_messages as jm
from breakeven.engine import messages
from breakeven.engine.processes import CAN_FREEZE, Crew, WorkerProcess, crew
from breakeven.engine.references import FILE_NAME
from breakeven.model.spec import TrainingSpec
from engine.casts import ended, state, stopped

pytest.importorskip("torch")
SIZE, DEADLINE_S = 32, 100.0


def _started(
    made: Crew, folder: Path, training: TrainingSpec, *, freezable: bool = True
) -> WorkerProcess:
    config = messages.WorkerConfig(backend="torch-cpu", parent=os.getpid(), training=training)
    worker = made.start(config, threads=1, freezable=freezable, log=folder / "worker.log")
    assert isinstance(worker.receive(DEADLINE_S), messages.Opened)
    return worker


def _set_up(folder: Path, workload: str = "train", *, check: bool = False) -> messages.SetUp:
    return messages.SetUp(
        workload=workload, size=SIZE, folder=str(folder), warm_s=0.0, seed=7, check=check
    )


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for references and logs."""
    return tmp_path_factory.mktemp("jobs")


@pytest.fixture(scope="module")
def worker(folder: Path) -> Iterator[WorkerProcess]:
    """Yield a worker that trains the small network on digits, loading by itself."""
    with crew() as made:
        yield _started(made, folder, TrainingSpec(model="mlp"))


@pytest.mark.parametrize("workload", ["train", "infer"])
def test_first_losses_agree_with_float64(
    worker: WorkerProcess, folder: Path, workload: str
) -> None:
    """Float32 on the CPU errs as float32 does."""
    made = worker.ask(
        jm.MakeLosses(
            workload=workload, size=SIZE, seed=7, folder=str(folder), steps=4, seconds=60.0
        ),
        DEADLINE_S,
    )
    assert isinstance(made, messages.Done)
    ready = worker.ask(_set_up(folder, workload, check=True), DEADLINE_S)
    assert isinstance(ready, messages.Ready)
    assert ready.agreement is not None
    assert ready.agreement.passed
    assert ready.agreement.class_ == "float32"


def test_a_planted_difference_of_the_losses_is_found(worker: WorkerProcess, folder: Path) -> None:
    """A loss that is off by one in a thousand is no rounding."""
    request = jm.MakeLosses(
        workload="train", size=SIZE, seed=7, folder=str(folder), steps=3, seconds=60.0
    )
    worker.ask(request, DEADLINE_S)
    known = json.loads((folder / FILE_NAME).read_text())
    known["losses"] = [loss * 1.001 for loss in known["losses"]]
    (folder / FILE_NAME).write_text(json.dumps(known))
    ready = worker.ask(_set_up(folder, check=True), DEADLINE_S)
    assert isinstance(ready, messages.Ready)
    assert ready.agreement is not None
    assert not ready.agreement.passed


def test_a_job_is_measured_in_both_scopes_and_studied(worker: WorkerProcess, folder: Path) -> None:
    """Slots, phases, steps and epochs are answered by one worker after the other."""
    assert isinstance(worker.ask(_set_up(folder), DEADLINE_S), messages.Ready)
    for scope in ("transfer", "resident"):
        slot = worker.ask(messages.Measure(scope=scope, seconds=0.0), DEADLINE_S)
        assert isinstance(slot, messages.Measured)
        assert slot.median_s > 0
    phased = worker.ask(jm.TakePhases(round=1, seconds=0.0), DEADLINE_S)
    assert isinstance(phased, jm.PhasesTaken)
    assert phased.phases.backward_s is not None
    run = worker.ask(jm.RunSteps(seconds=0.0), DEADLINE_S)
    assert isinstance(run, jm.StepsRun)
    assert run.samples == SIZE * run.steps
    epoch = worker.ask(jm.RunEpoch(workload="train", size=SIZE, seed=7, epoch=0), DEADLINE_S)
    assert isinstance(epoch, jm.EpochRun)
    assert len(epoch.wrong) == epoch.epoch.total - epoch.epoch.correct


def test_a_batch_that_is_too_large_is_a_status_and_the_worker_lives(
    worker: WorkerProcess, folder: Path
) -> None:
    """The next size is set up all the same."""
    from msgspec.structs import replace

    reply = worker.ask(replace(_set_up(folder), size=100_000), DEADLINE_S)
    assert isinstance(reply, messages.Failed)
    assert reply.status == "unsupported"
    assert isinstance(worker.ask(_set_up(folder), DEADLINE_S), messages.Ready)


def test_a_model_that_fails_is_told_with_its_remedy(folder: Path) -> None:
    """What the user's own file makes is looked at before anything is measured."""
    (folder / "net.py").write_text("def make(image, classes):\n    return 3\n")
    with crew() as made:
        worker = _started(made, folder, TrainingSpec(model=f"{folder / 'net.py'}:make"))
        found = worker.ask(jm.Examine(workload="train", sizes=(SIZE,), seed=7), DEADLINE_S)
    assert isinstance(found, jm.Examined)
    assert not found.facts
    assert "Module" in (found.why or "")
    assert found.fix


@pytest.mark.skipif(not CAN_FREEZE, reason="processes are frozen on Linux alone")
def test_a_loader_is_frozen_counted_and_ended_with_its_worker(folder: Path) -> None:
    """Its processes stop and go on with the worker, and none outlives it, frozen or not."""
    with crew() as made:
        worker = _started(made, folder, TrainingSpec(model="mlp", workers=1))
        assert isinstance(worker.ask(_set_up(folder), DEADLINE_S), messages.Ready)
        loading = _children(worker.pid)
        assert loading
        assert stopped(worker.pid) == "T"
        assert all(_stops(child) for child in loading)
        alone = _cpu_s(worker.pid)
        assert worker.cpu_s() > alone
        slot = worker.ask(messages.Measure(scope="transfer", seconds=0.0), DEADLINE_S)
        assert isinstance(slot, messages.Measured)
        assert all(_stops(child) for child in loading)
        os.kill(worker.pid, signal.SIGKILL)
        assert all(ended(child) for child in loading)


@pytest.mark.skipif(not CAN_FREEZE, reason="processes are frozen on Linux alone")
def test_a_loader_stops_where_its_worker_stays_awake(folder: Path) -> None:
    """A GPU's worker is never frozen; what loads for it rests between its requests all the same."""
    with crew() as made:
        worker = _started(made, folder, TrainingSpec(model="mlp", workers=1), freezable=False)
        assert isinstance(worker.ask(_set_up(folder), DEADLINE_S), messages.Ready)
        loading = _children(worker.pid)
        assert loading
        assert all(_stops(child) for child in loading)
        assert state(worker.pid) != "T"
        slot = worker.ask(messages.Measure(scope="transfer", seconds=0.0), DEADLINE_S)
        assert isinstance(slot, messages.Measured)
        assert slot.repeats >= 4
        os.kill(worker.pid, signal.SIGKILL)
        assert all(ended(child) for child in loading)


def _stops(pid: int) -> bool:
    """Wait for a process that is no child of ours to be stopped; False when it does not."""
    for _ in range(4000):
        if state(pid) == "T":
            return True
        select.select([], [], [], 0.005)
    return False


def _cpu_s(pid: int) -> float:
    from breakeven.engine.clock import cpu_seconds

    return cpu_seconds(pid) or 0.0
