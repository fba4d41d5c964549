"""A self-test on a CUDA device: the device clock beside the driver's own trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven import lab
from breakeven.analysis.clock_checks import device_bound_s
from breakeven.engine import messages
from breakeven.engine.device_check import read_device_clocks
from breakeven.engine.inputs import Inputs
from breakeven.model.machine import Gpu
from breakeven.workloads import registry
from gpu.conftest import PATIENCE_S, Start
from records import entry

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(400)]


def test_a_trace_records_the_kernels_of_every_library(
    name: str, start: Start, inputs: Inputs
) -> None:
    """The product of two matrices has a kernel or a few, whatever library asked for it."""
    pytest.importorskip("torch")
    folder = str(inputs.folder_of(registry.get("matmul"), 1024))
    worker = start(name)
    set_up = messages.SetUp(workload="matmul", size=1024, folder=folder, warm_s=0.2)
    assert isinstance(worker.ask(set_up, PATIENCE_S), messages.Ready)
    traced = worker.ask(messages.Trace(calls=20), PATIENCE_S)
    assert isinstance(traced, messages.Traced)
    assert traced.why is None
    assert traced.seconds is not None
    assert 1 <= traced.kernels <= 4
    # 2 x 1024^3 operations take more than 10 us on any single GPU, and less than 100 ms.
    assert 1e-5 < traced.seconds < 0.1


def test_the_device_clock_is_true(gpu: Gpu, name: str) -> None:
    """Behind a full queue it is within 2 % of the kernels, or within 1 us of each."""
    del gpu
    one = entry(name, device="cuda:0", default=True)
    found = read_device_clocks([one], 42, lambda *_: None)
    assert {f.size for f in found} == {512, 2048}
    for reading in found:
        assert reading.traced_s is not None, reading.why
        assert reading.ours_s is not None, reading.why
        apart = abs(reading.ours_s - reading.traced_s)
        assert apart <= device_bound_s(reading.traced_s, reading.kernels), reading


def test_a_quick_self_test_tells_of_the_gpu(gpu: Gpu, tmp_path: Path) -> None:
    """Both scopes are tried, the device clock has a check, and the answer is a sentence."""
    del gpu
    options = lab.SelfTestOptions(quick=True, budget=30)
    found = lab.start_selftest(options, command=("selftest",), store=tmp_path).selftest
    assert found.answer.endswith(".")
    names = {c.name for c in found.checks}
    assert {"gpu_others", "synchronise", "event_pair"} <= names
    assert any(n.startswith("device_clock_") for n in names)
    assert {t.verdict.scope for t in found.trials} == {"resident", "transfer"}
    assert list((tmp_path / "selftests").glob("*.json"))
