"""Trace files that are cut, damaged, or hold what no profiler writes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from breakeven.errors import InputError
from breakeven.model.trace import TraceSummary
from breakeven.trace import counters
from breakeven.trace.summary import summarise
from timelines import BEGIN_UNIX_S, sensing, timeline

ODD = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from([0, -1, 1e308, -1e308, 2**70, 10**400, "7" * 30, "NaN", "stream 7", [], {},
                       [[]], {"a": None}, "\ud800"])
)  # fmt: skip
CATEGORIES = ("cpu_op", "user_annotation", "kernel", "gpu_memcpy", "cuda_runtime", "x")
NAMES = ("ProfilerStep#1", "aten::mm", "Memcpy HtoD (Pageable -> Device)", "[memory]", "k")
ARGS = ("External id", "correlation", "device", "stream", "bytes", "Bytes", "Device Id")
NEAR = st.integers(0, 2_000_000).map(lambda us: BEGIN_UNIX_S * 1e6 + us)
EVENTS = st.fixed_dictionaries(
    {},
    optional={
        "ph": st.sampled_from(["X", "M", "i", "C"]) | ODD,
        "cat": st.sampled_from(CATEGORIES) | ODD,
        "name": st.sampled_from(NAMES) | ODD,
        "ts": NEAR | ODD,
        "dur": st.floats(0, 1e6) | ODD,
        "pid": st.integers(0, 9) | ODD,
        "tid": st.integers(0, 9) | ODD,
        "args": st.dictionaries(st.sampled_from(ARGS), st.integers(0, 9) | ODD, max_size=4) | ODD,
    },
)
HEADS = st.fixed_dictionaries(
    {"traceEvents": st.lists(EVENTS | ODD, max_size=12) | ODD},
    optional={"baseTimeNanoseconds": st.just(0) | ODD, "deviceProperties": ODD},
)
# Files lie in one folder, each in place of the one before.
ONE_FOLDER = [HealthCheck.function_scoped_fixture]


def _written(folder: Path, raw: bytes) -> Path:
    path = folder / "odd.json"
    path.write_bytes(raw)
    return path


def _both(path: Path) -> tuple[TraceSummary, bytes | None]:
    """Return what a trace says, and it with a timeline in it; None where that is refused."""
    said = summarise(path)
    try:
        whole = counters.joined(counters.read(path), [])
        laid = counters.merged(whole, timeline(gpus=1), sensing())
    except InputError:
        return said, None
    return said, counters.encoded(laid, packed=False)


@settings(max_examples=150, suppress_health_check=ONE_FOLDER, deadline=None)
@given(document=HEADS | ODD)
def test_whatever_a_trace_holds_is_read_or_refused(tmp_path: Path, document: Any) -> None:  # noqa: ANN401
    """No value in any place is a fault of ours; what is written is JSON again."""
    raw = json.dumps(document).encode()
    said, laid = _both(_written(tmp_path, raw))
    assert said.why is not None or said.span_s is not None
    if laid is not None:
        json.loads(laid, parse_constant=pytest.fail)


@settings(max_examples=100, suppress_health_check=ONE_FOLDER, deadline=None)
@given(
    events=st.lists(EVENTS, max_size=6),
    cut=st.floats(0, 1),
    flip=st.none() | st.tuples(st.floats(0, 0.999), st.integers(0, 255)),
    packed=st.booleans(),
)
def test_a_file_that_is_cut_or_damaged_is_read_or_refused(
    tmp_path: Path, events: list[Any], cut: float, flip: tuple[float, int] | None, *, packed: bool
) -> None:
    """Gzip that ends early, or a byte that is another, is no fault of ours."""
    raw = json.dumps({"baseTimeNanoseconds": 0, "traceEvents": events}).encode()
    whole = bytearray(gzip.compress(raw, mtime=0) if packed else raw)
    if flip is not None:
        whole[int(flip[0] * len(whole))] = flip[1]
    _both(_written(tmp_path, bytes(whole[: round(cut * len(whole))])))


@pytest.mark.parametrize(
    "raw",
    [b"[" * 100_000, b'{"traceEvents": [' + b"[" * 100_000, b'{"traceEvents": [{"ts": 1' + b"0" * 9999],
    ids=["nested", "nested events", "a long number"],
)  # fmt: skip
def test_what_python_refuses_to_read_is_refused_in_a_line(tmp_path: Path, raw: bytes) -> None:
    """Nesting without an end, and a number of ten thousand digits, are no trace."""
    path = _written(tmp_path, raw)
    assert summarise(path).why
    with pytest.raises(InputError, match="is no trace"):
        counters.read(path)
