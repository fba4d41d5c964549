"""The public harnesses, called as they are where a CPU will do, and through stand-ins elsewhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import harness_clocks
import nvbench_calls

torch = pytest.importorskip("torch")


class Trace:
    """Stands in for a trace: two kernels for each call, a host operator, and an annotation."""

    def __init__(self, calls: list[int]) -> None:
        self._calls = calls

    def events(self) -> Iterator[Any]:
        """Yield what torch.profiler's events have, times in microseconds."""
        from torch.autograd import DeviceType

        def event(start: float, took: float, kind: Any, *, note: bool = False) -> Any:  # noqa: ANN401
            span = SimpleNamespace(start=start, elapsed_us=lambda: took)
            return SimpleNamespace(time_range=span, device_type=kind, is_user_annotation=note)

        for number, _ in enumerate(self._calls):
            yield event(100.0 * number, 50.0, DeviceType.CPU)
            yield event(100.0 * number, 90.0, DeviceType.CUDA, note=True)
            yield event(100.0 * number + 1, 3.0, DeviceType.CUDA)
            yield event(100.0 * number + 5, 4.0, DeviceType.CUDA)


def test_a_trace_gives_the_kernels_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels alone count, neither host operators nor annotations: 3 us and 4 us are 7 us a call."""
    made: list[int] = []

    @contextmanager
    def profile(activities: object) -> Iterator[Trace]:
        assert activities
        made.clear()
        yield Trace(made)

    monkeypatch.setattr("torch.profiler.profile", profile)
    monkeypatch.setattr("torch.cuda.synchronize", lambda: None)
    found = harness_clocks.cupti_s(lambda: made.append(1), lambda: None, 20)
    assert found == pytest.approx(7e-6)
    assert len(made) == 20


def test_a_real_trace_has_what_is_read_of_it() -> None:
    """A trace without a device says that there was no kernel, and fails over nothing else."""
    real = torch.profiler.profile
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("torch.cuda.synchronize", lambda: None)
        patched.setattr("torch.profiler.profile", lambda **_: real(activities=[real_cpu()]))
        with pytest.raises(ValueError, match="no kernel"):
            harness_clocks.cupti_s(lambda: torch.ones(2) + 1, lambda: None, 3)


def real_cpu() -> Any:  # noqa: ANN401  a member of torch's enumeration
    """Return the activity that every build has."""
    return torch.profiler.ProfilerActivity.CPU


def test_torch_benchmark_times_a_call() -> None:
    """Its median is a positive number of seconds; no faster call is slower than a second."""
    assert 0 < harness_clocks.torch_benchmark_s(lambda: None) < 1


def test_do_bench_gives_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Triton returns in milliseconds becomes seconds, and it is asked for the median."""
    testing = ModuleType("triton.testing")
    testing.do_bench = lambda call, return_mode: 0.25 if return_mode == "median" else call  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "triton.testing", testing)
    monkeypatch.setitem(sys.modules, "triton", ModuleType("triton"))
    assert harness_clocks.do_bench_s(lambda: None) == pytest.approx(2.5e-4)


def test_cupyx_gives_its_device_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its two series, the one between events is taken, for the first device."""
    import numpy as np

    profiler = ModuleType("cupyx.profiler")
    times = SimpleNamespace(gpu_times=np.array([[3e-5, 2e-5, 9e-5]]), cpu_times=np.array([1.0]))
    profiler.benchmark = lambda *_, **__: times  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupyx.profiler", profiler)
    monkeypatch.setitem(sys.modules, "cupyx", ModuleType("cupyx"))
    assert harness_clocks.cupyx_s(lambda: None) == 3e-5


class State:
    """Stands in for NVBench's state: runs the launcher twice."""

    def __init__(self, case: str) -> None:
        self.case = case
        self.launched = 0

    def set_throttle_threshold(self, share: float) -> None:
        """Take a share."""
        assert 0 < share < 1

    def get_string(self, name: str) -> str:
        """Return the value of the one axis."""
        assert name == "Case"
        return self.case

    def get_stream(self) -> Any:  # noqa: ANN401  a stand-in
        """Return a stream with an address."""
        return SimpleNamespace(addressof=lambda: 7)

    def exec(self, launcher: Callable[[Any], None]) -> None:
        """Launch as NVBench would."""
        for _ in range(2):
            launcher(None)
            self.launched += 1


def test_nvbench_is_driven_as_its_interface_asks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One benchmark with one axis, each case launched on NVBench's stream, its file named to it."""
    seen: dict[str, Any] = {}

    class Registered:
        def __init__(self, function: Callable[[State], None]) -> None:
            self.function = function

        def set_name(self, name: str) -> None:
            seen["name"] = name

        def add_string_axis(self, name: str, values: list[str]) -> None:
            seen["axis"] = (name, values)

        def set_timeout(self, seconds: float) -> None:
            seen["timeout"] = seconds

    def register(function: Callable[[State], None]) -> Registered:
        seen["made"] = Registered(function)
        return seen["made"]

    def run_all(words: list[str]) -> None:
        for case in seen["axis"][1]:
            state = State(case)
            seen["made"].function(state)
            assert state.launched == 2
        Path(words[words.index("--json") + 1]).write_text("{}")

    bench = ModuleType("cuda.bench")
    bench.register, bench.run_all_benchmarks = register, run_all  # type: ignore[attr-defined]
    cuda = ModuleType("cuda")
    cuda.bench = bench  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cuda", cuda)
    monkeypatch.setitem(sys.modules, "cuda.bench", bench)
    calls: list[str] = []
    case = "matmul-128"
    monkeypatch.setattr(
        nvbench_calls, "torch_calls", lambda _: {case: lambda: lambda: calls.append(case)}
    )
    monkeypatch.setattr("torch.cuda.ExternalStream", lambda address: address)
    monkeypatch.setattr("torch.cuda.synchronize", lambda: None)

    @contextmanager
    def stream(address: int) -> Iterator[None]:
        assert address == 7
        yield

    monkeypatch.setattr("torch.cuda.stream", stream)
    path = tmp_path / "out.json"
    nvbench_calls.main(str(path), [case])
    assert json.loads(path.read_text()) == {}
    # Once before the stream is held, then as often as it is launched.
    assert calls == [case] * 3
    assert seen["axis"] == ("Case", [case])


def test_a_process_that_fails_says_so() -> None:
    """Without cuda-bench every case has the reason in the place of both figures."""
    why = harness_clocks._nvbench_process([sys.executable, "-c", "raise SystemExit('no driver')"])
    assert why == "no driver"
    assert "no figure" in harness_clocks._nvbench_process([sys.executable, "-c", ""])
