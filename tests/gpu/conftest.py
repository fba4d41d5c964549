"""GPU backends, and workers that hold one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from breakeven import lab
from breakeven.backends import registry
from breakeven.engine import messages
from breakeven.engine.inputs import Inputs
from breakeven.engine.processes import Crew, WorkerProcess, crew
from breakeven.model.machine import Gpu

BACKENDS = ("cupy", "torch-cuda")
PATIENCE_S = 120.0


@pytest.fixture(scope="session")
def gpu() -> Gpu:
    """Return the first GPU of this machine."""
    found = lab.read_machine()
    if not found.gpus:
        pytest.skip(found.no_gpu_reason or "no GPU was found")
    return found.gpus[0]


@pytest.fixture(params=BACKENDS)
def name(request: pytest.FixtureRequest) -> str:
    """Return the name of each GPU backend that this machine has."""
    info = registry.get(request.param).find()
    if not info.available:
        pytest.skip(f"{request.param}: {info.why_not}")
    return str(request.param)


@pytest.fixture(scope="session")
def staff() -> Iterator[Crew]:
    """Return a crew that is ended after all tests."""
    with crew() as made:
        yield made


Start = Callable[[str], WorkerProcess]


@pytest.fixture(scope="session")
def start(staff: Crew, tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Return what gives a worker of a backend, opened once: that takes most of a test's time."""
    logs = tmp_path_factory.mktemp("logs")
    opened_before: dict[str, WorkerProcess] = {}

    def started(name: str) -> WorkerProcess:
        if name in opened_before and opened_before[name] in staff.workers:
            return opened_before[name]
        config = messages.WorkerConfig(backend=name, parent=os.getpid())
        log = logs / f"{name}.log"
        worker = staff.start(config, threads=None, freezable=False, log=log)
        opened = worker.receive(PATIENCE_S)
        assert isinstance(opened, messages.Opened), opened
        opened_before[name] = worker
        return worker

    return started


@pytest.fixture(scope="session")
def inputs(staff: Crew, tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """Return inputs of float32 cases, made on demand."""
    return Inputs(staff, tmp_path_factory.mktemp("inputs"), "float32", 42)
