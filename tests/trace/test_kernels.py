"""Kernels of a call, from the trace of a profiler that plays a recording."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from breakeven.errors import UnavailableError
from breakeven.trace.kernels import Kernels, per_call, traced


def event(ts: float, dur: float, cat: str = "kernel") -> dict[str, Any]:
    """Return one piece of a trace, microseconds."""
    return {"ph": "X", "cat": cat, "name": "sgemm", "ts": ts, "dur": dur, "pid": 0, "tid": 7}


class Player:
    """A profiler that writes the trace of the calls made while it records."""

    def __init__(self, log: list[str], call: list[dict[str, Any]]) -> None:
        self._log = log
        self._call = call
        self._calls = 0

    def __enter__(self) -> Self:
        """Begin to record."""
        self._log.append("record")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """End."""
        since = len(self._log) - 1 - self._log[::-1].index("record")
        self._calls = self._log[since:].count("call")
        self._log.append("end")

    def export_chrome_trace(self, path: str) -> None:
        """Write the events of every call, one call after the other."""
        events = [e | {"ts": e["ts"] + 1000 * n} for n in range(self._calls) for e in self._call]
        Path(path).write_text(json.dumps({"traceEvents": events}))


def recorder(log: list[str], call: list[dict[str, Any]]) -> Callable[[], Player]:
    """Return what makes such profilers."""
    return lambda: Player(log, call)


def test_all_device_work_of_a_call_counts_and_nothing_of_the_host() -> None:
    """Two kernels and a memset of one call are added; the launch on the host is left out."""
    log: list[str] = []
    one = [event(0, 100), event(150, 20), event(180, 5, "gpu_memset"), event(1, 900, "cpu_op")]
    found = traced(lambda: log.append("call"), lambda: log.append("wait"), 5, recorder(log, one))
    assert found == Kernels(pytest.approx(125e-6), 3)


def test_the_first_trace_is_thrown_away_and_each_is_awaited() -> None:
    """Calls are made on an idle device, and the device is idle again before a trace ends."""
    log: list[str] = []
    traced(lambda: log.append("call"), lambda: log.append("wait"), 2, recorder(log, [event(0, 1)]))
    first = ["wait", "record", "call", "call", "call", "wait", "end"]
    assert log == [*first, "wait", "record", "call", "call", "wait", "end"]


def test_the_median_call_stands_for_all() -> None:
    """One call that a neighbour slowed does not move the figure."""
    events = [event(10 * n, 50.0 if n else 500.0) for n in range(5)]
    assert per_call({"traceEvents": events}, 5).seconds == pytest.approx(50e-6)


def test_calls_that_cannot_be_told_apart_are_averaged() -> None:
    """Seven kernels of three calls have no place each."""
    events = [event(n, 30.0) for n in range(7)]
    assert per_call({"traceEvents": events}, 3) == Kernels(pytest.approx(70e-6), 2)


def test_a_trace_without_kernels_says_what_may_forbid_it() -> None:
    """A driver may keep its counters to administrators."""
    with pytest.raises(UnavailableError, match="no kernel") as caught:
        per_call({"traceEvents": [event(0, 1, "cpu_op")]}, 1)
    assert "RestrictProfiling" in caught.value.fix


def test_without_a_device_the_profiler_says_why() -> None:
    """PyTorch that sees no CUDA device, or none at all, is a reason and not a crash."""
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a device")
    with pytest.raises(UnavailableError, match="cannot trace a CUDA device"):
        traced(lambda: None, lambda: None, 1)
