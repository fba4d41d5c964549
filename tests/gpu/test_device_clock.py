"""The clocks of a CUDA device against each other, against its driver's trace, and planted faults."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from breakeven.backends.device_clock import DeviceClock
from breakeven.engine import messages
from breakeven.engine.device_times import Queue, issue_of, other_stream
from breakeven.engine.inputs import Inputs
from breakeven.engine.processes import Crew, WorkerProcess
from breakeven.workloads import registry
from gpu.conftest import PATIENCE_S, Start
from workloads.opened import Opened

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]
TRACED_CALLS = 50
# Plain code that multiplies two matrices some times, and reads its library's own counter.
PLAIN = {
    "torch-cuda": "import sys, numpy as np, torch\n"
    "torch.set_float32_matmul_precision('highest')\n"
    "host = np.ones((int(sys.argv[1]),) * 2, np.float32)\n"
    "a, b = (torch.from_numpy(host).to('cuda:0') for _ in range(2))\n"
    "for _ in range(5):\n    torch.matmul(a, b)\n"
    "torch.cuda.synchronize()\n"
    "print(torch.cuda.max_memory_allocated())\n",
    "cupy": "import sys, numpy as np, cupy\n"
    "host = np.ones((int(sys.argv[1]),) * 2, np.float32)\n"
    "a, b = (cupy.asarray(host) for _ in range(2))\n"
    "for _ in range(5):\n    cupy.matmul(a, b)\n"
    "cupy.cuda.Device(0).synchronize()\n"
    "print(cupy.get_default_memory_pool().total_bytes())\n",
}
# Captures a call that reads a value back, which no capture allows.
FORBIDDEN = """\
import sys
import numpy as np
from breakeven.backends import registry
backend = registry.get(sys.argv[1])
opening = backend.open()
one = backend.to_device(np.ones(1, np.float32))
try:
    opening.device_clock.capture(lambda: float(one[0] + 1))
except Exception as error:
    print("refused:", type(error).__name__)
"""


@pytest.fixture
def fresh(name: str, staff: Crew, tmp_path: Path, request: pytest.FixtureRequest) -> WorkerProcess:
    """Return a worker that is thrown away after the test."""
    config = messages.WorkerConfig(backend=name, parent=os.getpid())
    worker = staff.start(config, threads=None, freezable=False, log=tmp_path / "fresh.log")
    request.addfinalizer(lambda: staff.end(worker))  # noqa: PT021  the crew outlives the test
    opened = worker.receive(PATIENCE_S)
    assert isinstance(opened, messages.Opened), opened
    assert opened.device_clock
    return worker


def _set_up(
    worker: WorkerProcess,
    inputs: Inputs,
    size: int,
    workload: str = "matmul",
    **fields: Any,  # noqa: ANN401  fields
) -> messages.Ready:
    request = messages.SetUp(
        workload=workload, size=size, folder=str(inputs.folder_of(registry.get(workload), size)),
        warm_s=0.3, detail_s=0.1, **fields,
    )  # fmt: skip
    ready = worker.ask(request, PATIENCE_S)
    assert isinstance(ready, messages.Ready), ready
    return ready


def _opened(name: str) -> tuple[Opened, DeviceClock]:
    opened = Opened(name)
    assert opened.opening.device_clock is not None
    return opened, opened.opening.device_clock


def test_a_queue_reads_what_the_driver_traces(name: str, start: Start, inputs: Inputs) -> None:
    """At 2048 the time behind a full queue is within 2 % of the kernels' in a CUPTI trace."""
    worker = start(name)
    ready = _set_up(worker, inputs, 2048)
    assert ready.device is not None
    assert ready.device.queued_s is not None, ready.device.queued_why
    traced = worker.ask(messages.Trace(calls=TRACED_CALLS), PATIENCE_S)
    assert isinstance(traced, messages.Traced)
    if traced.seconds is None:
        pytest.skip(f"no trace: {traced.why}")
    assert ready.device.queued_s == pytest.approx(traced.seconds, rel=0.02)


def test_a_queue_reads_less_than_a_call_on_an_idle_device(
    name: str, start: Start, inputs: Inputs
) -> None:
    """At 256 a call on an idle device holds its launch, and one behind a full queue does not."""
    ready = _set_up(start(name), inputs, 256)
    assert ready.device is not None
    assert ready.device.queued_s is not None, ready.device.queued_why
    assert ready.device.latency_s is not None
    assert 0 < ready.device.queued_s < ready.device.latency_s
    assert ready.device.other_stream is None


def test_a_graph_works_as_long_as_a_queue(name: str, fresh: WorkerProcess, inputs: Inputs) -> None:
    """At 2048 a replay takes what a queued call takes, to 5 %; a library without graphs says so."""
    ready = _set_up(fresh, inputs, 2048)
    folder = str(inputs.folder_of(registry.get("matmul"), 2048))
    request = messages.CaptureGraph(workload="matmul", size=2048, folder=folder, seconds=0.1)
    captured = fresh.ask(request, PATIENCE_S)
    assert isinstance(captured, messages.Captured), captured
    if name == "cupy":
        # CuPy lets no call of cuBLAS be captured.
        assert captured.seconds is not None or "capture" in str(captured.why)
        return
    assert captured.seconds is not None, captured.why
    assert ready.device is not None
    assert captured.seconds == pytest.approx(ready.device.queued_s, rel=0.05)


def test_training_that_reads_its_loss_forms_no_queue(fresh: WorkerProcess, inputs: Inputs) -> None:
    """It waits for the device itself: no queue, no graph, both with the reason, and nothing broke."""
    ready = _set_up(fresh, inputs, 64, "mlp")
    assert ready.device is not None
    assert ready.device.queued_s is None
    assert "waits for the device itself" in str(ready.device.queued_why)
    folder = str(inputs.folder_of(registry.get("mlp"), 64))
    request = messages.CaptureGraph(workload="mlp", size=64, folder=folder, seconds=0.05)
    captured = fresh.ask(request, PATIENCE_S)
    assert isinstance(captured, messages.Captured), captured
    assert captured.seconds is None
    assert not captured.broken
    again = _set_up(fresh, inputs, 256)
    assert again.agreement.passed


def test_a_forbidden_capture_raises_and_does_not_hang(name: str) -> None:
    """A capture of a call that reads a value back ends with an error, in a process of its own."""
    Opened(name)
    done = subprocess.run(
        [sys.executable, "-c", FORBIDDEN, name],
        capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert "refused:" in done.stdout, done.stderr


def test_work_on_a_side_stream_is_named(name: str) -> None:
    """A product on another stream passes its events by: planted here, it is seen and told."""
    opened, tools = _opened(name)
    xp, seam = opened.opening.xp, opened.backend
    one = seam.to_device(np.ones((2048, 2048), np.float32))
    side = xp.cuda.Stream() if name == "torch-cuda" else xp.cuda.Stream(non_blocking=True)
    on_side = xp.cuda.stream(side) if name == "torch-cuda" else side

    def aside() -> None:
        with on_side:
            xp.matmul(one, one)

    def plain() -> None:
        xp.matmul(one, one)

    for call in (aside, plain):
        call()
    seam.synchronise()
    clock = opened.opening.clock
    said = other_stream(tools, aside, seam.synchronise, clock, 0.1)
    assert said is not None
    assert "work on another stream" in said
    assert other_stream(tools, plain, seam.synchronise, clock, 0.1) is None


def test_a_blocker_holds_about_as_long_as_it_is_told(name: str) -> None:
    """Told 5 ms it holds between 2 and 25: the clock of the GPU may change, the bound stands."""
    opened, tools = _opened(name)
    for _ in range(3):
        begin = tools.mark()
        tools.hold(5e-3)
        end = tools.mark()
        assert not tools.passed(end)
        opened.backend.synchronise()
        took = tools.between(begin, end)
    assert 2e-3 < took < 2.5e-2


def test_a_full_queue_hides_the_launches(name: str) -> None:
    """An empty kernel takes a few microseconds in a queue, whatever its launch costs the host."""
    opened, tools = _opened(name)
    wait, clock = opened.backend.synchronise, opened.opening.clock
    issue_s = issue_of(tools.empty, wait, clock)
    took, full = Queue(tools, wait, clock).block(tools.empty, 100, 2 * 100 * issue_s + 1e-3)
    assert full
    assert 2e-7 < took < 2e-5


def test_the_floor_of_a_queue_is_plausible(name: str, start: Start) -> None:
    """An empty kernel behind a full queue takes less than a pair of events around a call does."""
    reply = start(name).ask(messages.MeasureFloors(detail=True), PATIENCE_S)
    assert isinstance(reply, messages.FloorsAre)
    assert reply.floors.empty_kernel_s is not None
    assert 2e-7 < reply.floors.empty_kernel_s < 2e-5


def test_locked_memory_is_copied_faster(name: str, start: Start, inputs: Inputs) -> None:
    """At 2048 the copies from page-locked memory take less time than those from pageable memory."""
    ready = _set_up(start(name), inputs, 2048)
    assert ready.pinned_why is None
    assert ready.to_device_pinned_s is not None
    assert ready.to_device_s is not None
    assert ready.to_device_pinned_s < ready.to_device_s
    assert ready.to_host_pinned_s is not None


def test_cold_caches_are_proved(name: str, start: Start, inputs: Inputs) -> None:
    """Copies cover over twice the L2, memory of that extent is no cache, and cold is not faster."""
    ready = _set_up(start(name), inputs, 512, cold_caches=True)
    found = ready.caches
    assert found is not None
    assert found.why is None, found.why
    assert found.hot_s is not None
    assert found.cold_s is not None
    assert found.cold_s > 0.9 * found.hot_s
    assert found.copy_bytes_per_s is not None
    assert 1e11 < found.copy_bytes_per_s < 1e13


def test_peak_memory_is_that_of_plain_code(name: str, fresh: WorkerProcess, inputs: Inputs) -> None:
    """The peak of a case is within 2 % of the library's own counter in a script that does as much."""
    ready = _set_up(fresh, inputs, 4096)
    done = subprocess.run(
        [sys.executable, "-c", PLAIN[name], "4096"],
        capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert ready.memory.device_peak_bytes == pytest.approx(int(done.stdout), rel=0.02)
