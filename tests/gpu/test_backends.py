"""Backends of a CUDA device, in workers of their own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys

import pytest

from breakeven.engine import messages
from breakeven.engine.inputs import Inputs
from breakeven.engine.processes import WorkerProcess
from breakeven.model.machine import Gpu
from breakeven.model.run import Memory
from breakeven.model.verdict import Scope
from breakeven.workloads import registry
from gpu.conftest import PATIENCE_S, Start

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]
MIB = 1 << 20
# Asks for a matrix that the card has no room for, then for a small product.
STARVED = """\
import json, sys
import numpy as np
from breakeven.backends import registry
from breakeven.backends.failure import classify
backend = registry.get(sys.argv[1])
opening = backend.open()
xp, size, said = opening.xp, int(sys.argv[2]), {{}}
backend.begin_case("matmul", 1)
try:
    {allocate}
except Exception as error:
    said["status"], said["why"] = classify(error, opening.out_of_memory)
backend.begin_case("matmul", 8)
one = backend.to_device(np.eye(8, dtype=np.float32))
said["sum"] = float(backend.to_host(xp.matmul(one, one)).sum())
print(json.dumps(said))
"""
ALLOCATE = {
    "cupy": "xp.ones((size, size), dtype=xp.float32)",
    "torch-cuda": "xp.ones((size, size), dtype=xp.float32, device='cuda:0')",
}
# Holds all of the card but a little, until it reads a line.
HOLD = {
    "cupy": "import sys, cupy\n"
    "hold = cupy.cuda.alloc(cupy.cuda.Device(0).mem_info[0] - (96 << 20))\n",
    "torch-cuda": "import sys, torch\n"
    "size = torch.cuda.mem_get_info()[0] - (96 << 20)\n"
    "hold = torch.empty(size, dtype=torch.uint8, device='cuda:0')\n",
}


def _set_up(
    worker: WorkerProcess, inputs: Inputs, workload: str, size: int, gpu: Gpu | None = None
) -> messages.Ready:
    folder = inputs.folder_of(registry.get(workload), size)
    request = messages.SetUp(
        workload=workload,
        size=size,
        folder=str(folder),
        warm_s=0.3,
        gpu=gpu.uuid if gpu else None,
        own_pids=(worker.pid, os.getpid()),
    )
    ready = worker.ask(request, PATIENCE_S)
    assert isinstance(ready, messages.Ready), ready
    return ready


def _slot_s(worker: WorkerProcess, scope: Scope, slots: int = 7) -> float:
    """Return the median of several slots, seconds."""
    times = []
    for _ in range(slots):
        reply = worker.ask(messages.Measure(scope=scope, seconds=0.02), PATIENCE_S)
        assert isinstance(reply, messages.Measured), reply
        times.append(reply.median_s)
    return statistics.median(times)


@pytest.mark.parametrize(("workload", "size"), [("matmul", 512), ("matmul", 2048), ("mlp", 64)])
def test_answers_are_those_of_full_float32(
    name: str, start: Start, inputs: Inputs, workload: str, size: int
) -> None:
    """TF32 is off: errors against float64 are in the class of float32."""
    ready = _set_up(start(name), inputs, workload, size)
    assert ready.agreement.passed
    assert ready.agreement.class_ == "float32"


def test_losses_are_equal_on_every_backend(gpu: Gpu, start: Start, inputs: Inputs) -> None:
    """Training from the same weights gives the same losses to one part in ten thousand."""
    assert gpu.name
    losses = [
        _set_up(start(name), inputs, "mlp", 64).losses for name in ("numpy", "cupy", "torch-cuda")
    ]
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    assert losses[2] == pytest.approx(losses[0], rel=1e-4)


def test_waiting_takes_no_less_than_the_device_works(
    name: str, start: Start, inputs: Inputs
) -> None:
    """Wall holds the device's own time, which is measured between two events of the same call."""
    worker = start(name)
    ready = _set_up(worker, inputs, "matmul", 4096)
    assert ready.device_s is not None
    # Events and slots are read one after the other: clocks of the GPU move a little in between.
    assert _slot_s(worker, "resident") >= 0.95 * ready.device_s
    assert ready.device_s > 1e-5


def test_a_call_returns_before_its_work_is_done(name: str, start: Start, inputs: Inputs) -> None:
    """At 4096 the issue time is a small part of the wall time: one must wait to measure."""
    worker = start(name)
    ready = _set_up(worker, inputs, "matmul", 4096)
    assert ready.issue_s is not None
    assert ready.issue_s < 0.5 * _slot_s(worker, "resident")


def test_travelling_takes_longer_than_staying(name: str, start: Start, inputs: Inputs) -> None:
    """At 2048 the data's journey is part of the transfer scope, and its parts are known."""
    worker = start(name)
    ready = _set_up(worker, inputs, "matmul", 2048)
    resident, transfer = (_slot_s(worker, scope) for scope in ("resident", "transfer"))
    assert transfer > 1.5 * resident
    assert ready.to_device_s is not None
    assert ready.to_host_s is not None
    assert ready.to_device_s + ready.to_host_s > 0.2 * (transfer - resident)


def test_peak_memory_is_near_the_need(name: str, start: Start, inputs: Inputs, gpu: Gpu) -> None:
    """Two inputs and a result at least; at most what was foreseen, with a library's workspace."""
    size = 4096
    ready = _set_up(start(name), inputs, "matmul", size, gpu)
    matrix = 4 * size**2
    memory: Memory = ready.memory
    assert memory.device_peak_bytes is not None
    need = registry.get("matmul").need(size, "float32").device
    assert 3 * matrix <= memory.device_peak_bytes <= need + 160 * MIB
    assert memory.device_used_bytes is not None
    assert gpu.memory_bytes is not None
    assert memory.device_peak_bytes <= memory.device_used_bytes <= gpu.memory_bytes
    assert memory.host_peak_bytes is not None
    assert memory.host_peak_bytes > 2 * matrix


def test_a_case_does_not_count_what_the_last_one_held(
    name: str, start: Start, inputs: Inputs
) -> None:
    """The peak of a small case after a large one is small again."""
    worker = start(name)
    peaks = [_set_up(worker, inputs, "matmul", s).memory.device_peak_bytes for s in (4096, 256)]
    assert peaks[0] is not None
    assert peaks[1] is not None
    assert peaks[1] < peaks[0] / 2


def test_floors_of_the_device_are_measured(name: str, start: Start) -> None:
    """A wait on an idle device, and two events with nothing between, take some time but little."""
    reply = start(name).ask(messages.MeasureFloors(), PATIENCE_S)
    assert isinstance(reply, messages.FloorsAre)
    for floor in (reply.floors.synchronise_s, reply.floors.event_pair_s):
        assert floor is not None
        assert 0 < floor < 1e-3


def test_memory_that_runs_out_is_a_status_and_the_library_lives_on(name: str, gpu: Gpu) -> None:
    """A matrix larger than the card is out of memory; a small product is computed afterwards."""
    assert gpu.memory_bytes is not None
    size = int((1.2 * gpu.memory_bytes / 4) ** 0.5)
    code = STARVED.format(allocate=ALLOCATE[name])
    done = subprocess.run(
        [sys.executable, "-c", code, name, str(size)],
        capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said.get("status") == "out_of_memory", said
    assert said["sum"] == 8.0


def test_a_worker_without_device_memory_answers_and_lives_on(
    name: str, start: Start, inputs: Inputs, gpu: Gpu
) -> None:
    """While another process holds nearly all of the card, a case is out of memory; then it runs."""
    assert gpu.memory_bytes is not None
    worker = start(name)
    code = HOLD[name] + "print('held', flush=True)\nsys.stdin.readline()\n"
    folder = str(inputs.folder_of(registry.get("matmul"), 8192))
    request = messages.SetUp(workload="matmul", size=8192, folder=folder, warm_s=0.1)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == "held"
        reply = worker.ask(request, PATIENCE_S)
        holder.communicate()
    assert isinstance(reply, messages.Failed), reply
    assert reply.status == "out_of_memory"
    assert reply.why
    assert isinstance(worker.ask(request, PATIENCE_S), messages.Ready)
