"""How a CUDA device is looked at between slots, in workers and whole runs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import breakeven
from breakeven import lab
from breakeven.backends import registry
from breakeven.engine import messages
from breakeven.engine.inputs import Inputs
from breakeven.engine.processes import WorkerProcess
from breakeven.engine.tenancy import SET_UP_BYTES, Tenancy
from breakeven.model.machine import Gpu
from breakeven.sensors.watching import NvmlWatch
from breakeven.workloads import registry as workloads
from gpu.conftest import PATIENCE_S, Start

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(400)]
# Holds a context and 2 GiB of the card until it reads a line.
NEIGHBOUR = """\
import sys, torch
hold = torch.ones(1 << 29, device="cuda:0")
torch.cuda.synchronize()
print("there", flush=True)
sys.stdin.readline()
"""


def _set_up(worker: WorkerProcess, inputs: Inputs, gpu: Gpu, size: int) -> messages.Ready:
    folder = inputs.folder_of(workloads.get("matmul"), size)
    request = messages.SetUp(
        workload="matmul", size=size, folder=str(folder), warm_s=0.3, gpu=gpu.uuid,
        own_pids=(worker.pid, os.getpid()),
    )  # fmt: skip
    ready = worker.ask(request, PATIENCE_S)
    assert isinstance(ready, messages.Ready), ready
    return ready


def _slot(worker: WorkerProcess) -> messages.Measured:
    reply = worker.ask(messages.Measure(scope="resident", seconds=0.05), PATIENCE_S)
    assert isinstance(reply, messages.Measured), reply
    return reply


def _plausible(gpu: Gpu, look: object) -> None:
    from breakeven.sensors.base import Look

    assert isinstance(look, Look)
    assert look.why is None
    seen = look.conditions
    assert seen.sm_clock_mhz is not None
    assert 100 <= seen.sm_clock_mhz <= (gpu.sm_clock_max_mhz or 4000) + 50
    if "power" not in look.unknown:
        assert seen.power_w is not None
        assert 5 < seen.power_w < 1.3 * (gpu.power_limit_w or 1500.0)
    if "temperature" not in look.unknown:
        assert seen.temperature_c is not None
        assert 10 <= seen.temperature_c <= 110
    assert look.memory_used_bytes is None or look.memory_used_bytes > 0


def test_each_slot_is_followed_by_a_plausible_look(
    name: str, start: Start, inputs: Inputs, gpu: Gpu
) -> None:
    """Clock, power and temperature are those of a working GPU, at set-up and after each slot."""
    worker = start(name)
    ready = _set_up(worker, inputs, gpu, 4096)
    _plausible(gpu, ready.look)
    assert ready.clock_steady is not None
    assert ready.held_bytes is not None
    assert ready.held_bytes >= 3 * 4 * 4096**2
    for _ in range(5):
        _plausible(gpu, _slot(worker).look)


def test_a_working_gpu_draws_more_than_an_idle_one(
    name: str, start: Start, inputs: Inputs, gpu: Gpu
) -> None:
    """Power after slots of a large product lies above that before any work."""
    idle = NvmlWatch(gpu.uuid).look([]).conditions.power_w
    worker = start(name)
    _set_up(worker, inputs, gpu, 8192)
    drawn = [
        s.look.conditions.power_w for _ in range(10) if (s := _slot(worker)).look is not None
    ]  # fmt: skip
    known = [p for p in drawn if p is not None]
    if idle is None or not known:
        pytest.skip("the driver does not tell the power here")
    assert statistics.median(known) >= idle


def test_looks_take_little_beside_a_slot(
    gpu: Gpu, record_property: Callable[[str, object], None]
) -> None:
    """In an open session a look takes less than the 20 ms of a slot."""
    watch = NvmlWatch(gpu.uuid)
    watch.look([])
    begin = time.perf_counter()
    for _ in range(100):
        watch.look([])
    each = (time.perf_counter() - begin) / 100
    watch.close()
    record_property("look_s", each)
    # A look as long as a slot would double a run.
    assert each < 0.02


def test_a_second_process_is_named_or_given_away_by_its_memory(
    start: Start, inputs: Inputs, gpu: Gpu
) -> None:
    """A neighbour with a context and 2 GiB is on the driver's list, or in memory that none holds."""
    if not registry.get("torch-cuda").find().available:
        pytest.skip("the neighbour needs PyTorch")
    worker = start("torch-cuda")
    ready = _set_up(worker, inputs, gpu, 1024)
    assert ready.look is not None
    tenancy = Tenancy()

    def others(reply: messages.Ready | messages.Measured, *, set_up: bool = False) -> int | None:
        assert reply.look is not None
        return tenancy.others_bytes(
            "torch-cuda", used=reply.look.memory_used_bytes, held=reply.held_bytes,
            alive=["torch-cuda"], set_up=set_up,
        )  # fmt: skip

    others(ready, set_up=True)
    before = _slot(worker)
    assert before.look is not None
    assert others(before) in {0, None}
    with subprocess.Popen(
        [sys.executable, "-c", NEIGHBOUR], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as neighbour:
        assert neighbour.stdout is not None
        assert neighbour.stdout.readline().strip() == "there"
        beside = _slot(worker)
        neighbour.communicate()
    assert beside.look is not None
    grown = others(beside)
    named, told = beside.look.conditions.others, before.look.conditions.others
    assert grown is not None or named is not None
    if grown is not None:
        assert grown > 2 * (1 << 30)
        assert grown > SET_UP_BYTES
    if named is not None and told is not None:
        assert named == told + 1


@pytest.fixture(scope="module")
def result(gpu: Gpu, tmp_path_factory: pytest.TempPathFactory) -> lab.Result:
    """Return a run of one small size, with time for starts without kernels."""
    del gpu
    store = tmp_path_factory.mktemp("conditions")
    names = [n for n in ("numpy", "cupy", "torch-cuda") if registry.get(n).find().available]
    return breakeven.run(
        "matmul", sizes=[1024], rounds=1, budget="10m", backends=names, store=store
    )


def test_a_run_stores_a_look_for_each_gpu_slot(result: lab.Result, gpu: Gpu) -> None:
    """Every wall slot on the GPU has its clock; no recording was played."""
    on_gpu = {e.id for e in result.record.entries if e.device != "cpu"}
    slots = [
        s for c in result.record.cases if c.entry in on_gpu for r in c.rounds if r.clock == "wall"
        for s in r.slots
    ]  # fmt: skip
    assert slots
    for slot in slots:
        assert slot.conditions.gpu is not None
        assert slot.conditions.gpu.sm_clock_mhz is not None
        assert slot.conditions.gpu.sm_clock_mhz <= (gpu.sm_clock_max_mhz or 4000) + 50
    assert not any("BREAKEVEN_REPLAY" in r for r in result.record.remarks)


def test_emptied_caches_are_no_quicker(result: lab.Result) -> None:
    """A first call without compiled kernels takes as long as one with them, or longer."""
    starts = result.record.cold_starts
    cold = {s.backend: s for s in starts if not s.as_found}
    assert set(cold) == {e.backend for e in result.record.entries if e.device != "cpu"}
    for backend, one in cold.items():
        found = [s.calls_s[0] for s in starts if s.as_found and s.backend == backend]
        # Processes differ by a few percent where there is nothing to compile.
        assert one.calls_s[0] >= 0.8 * statistics.median(found)


def test_emptied_caches_leave_the_own_ones_alone(result: lab.Result, tmp_path: Path) -> None:
    """The folders were the run's, and are gone; no variable of this process was changed."""
    del result
    assert not list(tmp_path.parent.glob("breakeven-inputs-*/caches-*"))
    for variable in ("CUPY_CACHE_DIR", "CUDA_CACHE_PATH"):
        assert "caches-" not in os.environ.get(variable, "")
