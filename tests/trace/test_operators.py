"""Operators of the steps: which kernels are whose, and whose memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.model.trace import Operator
from breakeven.trace.summary import summarise
from kineto import PID, Sketch

BACKWARD = PID + 7


def named(sketch: Sketch, folder: Path, memory: Sketch | None = None) -> dict[str, Operator]:
    """Return the operators of a trace by name."""
    sizes = None if memory is None else memory.write(folder / "memory.json")
    found = summarise(sketch.write(folder / "trace.json"), memory=sizes)
    assert found.why is None
    return {o.name: o for o in found.operators}


def step() -> Sketch:
    """Return a step of 200 us."""
    sketch = Sketch()
    sketch.steps([200])
    return sketch


def test_a_kernel_belongs_to_the_innermost_operator_around_its_launch(tmp_path: Path) -> None:
    """On the thread of the launch, whenever the kernel ran."""
    sketch = step()
    sketch.operator("aten::linear", 0, 50)
    sketch.operator("aten::addmm", 10, 20)
    sketch.operator("MmBackward0", 60, 30, BACKWARD)
    sketch.launched(15, 100, 40)
    sketch.launched(40, 140, 5)
    sketch.launched(65, 145, 10, BACKWARD)
    found = named(sketch, tmp_path)
    assert found["aten::addmm"].device_self_s == pytest.approx(40e-6)
    assert found["aten::linear"].device_self_s == pytest.approx(5e-6)
    assert found["aten::linear"].host_self_s == pytest.approx(30e-6)
    assert found["MmBackward0"].device_self_s == pytest.approx(10e-6)


def test_a_driver_s_call_within_the_runtime_s_is_one_launch(tmp_path: Path) -> None:
    """Both carry the same correlation: the kernel counts once."""
    sketch = step()
    sketch.operator("aten::mm", 10, 20)
    sketch.launched(15, 40, 30)
    inner = dict(sketch.events[-2], cat="cuda_driver", name="cuLaunchKernel", dur=0.5)
    sketch.events.append(inner)
    assert named(sketch, tmp_path)["aten::mm"].device_self_s == pytest.approx(30e-6)


def test_without_the_call_the_profiler_s_own_id_tells(tmp_path: Path) -> None:
    """Where the runtime was not recorded, a kernel names its operator itself."""
    sketch = step()
    outer = sketch.operator("aten::mm", 10, 20)
    sketch.work(40, 30, **{"External id": outer})
    sketch.work(80, 10, **{"External id": 999})
    assert named(sketch, tmp_path)["aten::mm"].device_self_s == pytest.approx(30e-6)


def test_memory_is_that_of_the_device_where_there_is_one(tmp_path: Path) -> None:
    """What a step takes on the host is not mixed with what it takes on the device."""
    sketch = step()
    sketch.operator("aten::empty", 10, 20)
    sketch.launched(12, 40, 30)
    sketch.memory(15, 4096, device=0)
    sketch.memory(16, -1024, device=0)
    sketch.memory(17, 999)
    sketch.memory(150, 7, device=0)
    assert named(sketch, tmp_path)["aten::empty"].self_bytes == 3072


def test_without_memory_in_the_trace_bytes_are_unknown(tmp_path: Path) -> None:
    """Not recorded is not 0; a device without a kernel of an operator's own is 0 seconds."""
    sketch = step()
    sketch.operator("aten::empty", 10, 20)
    sketch.launched(100, 140, 30)
    found = named(sketch, tmp_path)["aten::empty"]
    assert found.self_bytes is None
    assert found.device_self_s == 0.0


def test_bytes_come_from_the_pass_that_recorded_them(tmp_path: Path) -> None:
    """An operator that the other pass does not have keeps its bytes unknown."""
    memory = step()
    memory.operator("aten::empty", 10, 20)
    memory.memory(15, 4096)
    sketch = step()
    sketch.operator("aten::empty", 10, 5)
    sketch.operator("aten::add", 20, 5)
    found = named(sketch, tmp_path, memory)
    assert (found["aten::empty"].self_bytes, found["aten::add"].self_bytes) == (4096, None)


def test_a_pass_that_contradicts_itself_gives_no_bytes(tmp_path: Path) -> None:
    """The trace itself stands: only what the other pass would have added is unknown."""
    memory = step()
    memory.operator("aten::empty", 10, -20)
    memory.memory(15, 4096)
    sketch = step()
    sketch.operator("aten::empty", 10, 5)
    assert named(sketch, tmp_path, memory)["aten::empty"].self_bytes is None


def test_what_costs_most_comes_first(tmp_path: Path) -> None:
    """By the longer of host and device: a large kernel is cheap to launch."""
    sketch = step()
    sketch.operator("aten::item", 0, 60)
    sketch.operator("aten::mm", 70, 5)
    sketch.operator("aten::view", 80, 1)
    sketch.launched(71, 90, 100)
    assert list(named(sketch, tmp_path)) == ["aten::mm", "aten::item", "aten::view"]
