"""Events as records: each kind in its place, whatever fields are missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from breakeven.trace.chrome import Trace, read
from kineto import Sketch


def of(tmp_path: Path, *events: dict[str, Any]) -> Trace:
    """Return the trace of some events."""
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return read(path)


def test_every_kind_of_event_finds_its_place(tmp_path: Path) -> None:
    """Operators, annotations, calls, device work and memory are told apart, in seconds."""
    sketch = Sketch()
    sketch.mark("breakeven.step#0", 0, 100)
    sketch.operator("aten::mm", 10, 20)
    sketch.launched(12, 40, 50)
    sketch.copied("Memcpy HtoD (Pinned -> Device)", 15, 95, 5, 4096)
    sketch.memory(11, 512, device=0)
    trace = read(sketch.write(tmp_path / "trace.json.gz"))
    assert [a.name for a in trace.annotations] == ["breakeven.step#0"]
    (operator,) = trace.operators
    assert operator.name == "aten::mm"
    assert operator.begin - trace.annotations[0].begin == pytest.approx(10e-6, abs=1e-9)
    assert operator.end - operator.begin == pytest.approx(20e-6)
    kernel, copy = trace.work
    assert (kernel.kind, kernel.device, kernel.stream, kernel.in_graph) == ("kernel", 0, 7, False)
    assert kernel.correlation == trace.calls[0].correlation
    assert (copy.kind, copy.bytes) == ("copy", 4096)
    assert (trace.memory[0].bytes, trace.memory[0].on_device) == (512, True)
    assert trace.header["deviceProperties"][0]["computeMajor"] == 8
    assert trace.incomplete == 0


@pytest.mark.parametrize("gone", ["ts", "dur", "args", "name", "pid", "tid", "ph", "cat"])
@pytest.mark.parametrize("category", ["kernel", "cpu_op", "cuda_runtime", "gpu_memcpy"])
def test_no_missing_field_stops_the_reading(tmp_path: Path, gone: str, category: str) -> None:
    """Without times an event is counted as incomplete; the next one is read all the same."""
    event = {"ph": "X", "cat": category, "name": "n", "pid": 0, "tid": 7, "ts": 1, "dur": 2}
    event["args"] = {"correlation": 3, "External id": 4}
    short = {k: v for k, v in event.items() if k != gone}
    trace = of(tmp_path, short, event)
    kept = len(trace.work) + len(trace.operators) + len(trace.calls)
    left_out = gone in {"ts", "dur", "ph", "cat"}
    assert kept == (1 if left_out else 2)
    assert trace.incomplete == (gone in {"ts", "dur"})


def test_times_that_are_no_numbers_are_incomplete(tmp_path: Path) -> None:
    """Words, NaN and nothing are no times; a number in quotes is one."""
    rest = {"ph": "X", "cat": "kernel", "name": "n"}
    trace = of(
        tmp_path,
        rest | {"ts": "soon", "dur": 1},
        rest | {"ts": float("nan"), "dur": 1},
        rest | {"ts": 1, "dur": None},
        rest | {"ts": "1000.5", "dur": "2"},
    )
    assert trace.incomplete == 3
    assert [w.end - w.begin for w in trace.work] == [pytest.approx(2e-6)]


def test_the_format_of_older_profilers_is_read(tmp_path: Path) -> None:
    """Categories, ids and streams once had other spellings; steps stood among the operators."""
    trace = of(
        tmp_path,
        {"ph": "X", "cat": "Operator", "name": "ProfilerStep#1", "ts": 50, "dur": 400},
        {
            "ph": "X",
            "cat": "Runtime",
            "name": "cudaMemcpyAsync",
            "ts": 360,
            "dur": 20,
            "args": {"correlation": 334, "external id": 4},
        },
        {
            "ph": "X",
            "cat": "Memcpy",
            "name": "Memcpy HtoD (Pageable -> Device)",
            "pid": 0,
            "tid": "stream 7",
            "ts": 405,
            "dur": 10,
            "args": {"correlation": 334, "external id": 4},
        },
    )
    assert [a.name for a in trace.annotations] == ["ProfilerStep#1"]
    assert trace.operators == []
    (copy,) = trace.work
    assert (copy.stream, copy.correlation, copy.external) == (7, 334, 4)


def test_what_other_rows_hold_is_no_device_work(tmp_path: Path) -> None:
    """An annotation mirrored to the device's row, a wait there, and arrows are passed over."""
    rest = {"ph": "X", "name": "n", "ts": 1, "dur": 2, "pid": 0, "tid": 7}
    trace = of(
        tmp_path,
        rest | {"cat": "gpu_user_annotation"},
        rest | {"cat": "cuda_sync"},
        rest | {"cat": "python_function"},
        rest | {"cat": "ac2g", "ph": "f"},
        rest | {"cat": "overhead"},
    )
    assert (trace.work, trace.calls, trace.operators, trace.incomplete) == ([], [], [], 0)
