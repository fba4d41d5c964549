"""The summary of a trace equals the truth that was planted in it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.model.trace import Idle, TraceSummary
from breakeven.trace.chrome import read
from breakeven.trace.steps import find_steps
from breakeven.trace.summary import summarise
from kineto import Sketch

CAUSES = ("loader", "launch", "wait", "behind", "queued")
GEMM = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_tn"
DOUBLE = "ampere_dgemm_128x64_nn"
PLAIN = "void at::native::vectorized_elementwise_kernel<4, float>(int, float)"
UP = "Memcpy HtoD (Pinned -> Device)"
DOWN = "Memcpy DtoH (Device -> Pageable)"


class Piece(NamedTuple):
    """Device work and the gap before it, microseconds."""

    cause: str
    gap: int
    within: float
    took: int
    what: str
    size: int
    beside: bool


PIECES = st.lists(
    st.builds(
        Piece,
        cause=st.sampled_from(CAUSES),
        gap=st.integers(0, 400),
        within=st.floats(0.1, 0.9),
        took=st.integers(40, 300),
        what=st.sampled_from([GEMM, DOUBLE, PLAIN, UP, DOWN]),
        size=st.integers(1, 1 << 24),
        beside=st.booleans(),
    ),
    min_size=1,
    max_size=25,
)


class Truth:
    """A trace that is drawn piece by piece, with what a summary of it must say, microseconds."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.sketch = Sketch()
        self.idle = dict.fromkeys(("loader", "launch", "synchronise", "other"), 0.0)
        self.busy = self.kernel_us = self.double = self.tensor = 0.0
        self.kernels = 0
        self.own: dict[str, float] = {}
        self.device: dict[str, float] = {}
        self.bytes: dict[str, int] = {}
        self.copied: dict[str, list[float]] = {}
        # The first work lies on the device from the begin, so that every gap has one before it.
        self._free = 50.0
        self._sound(PLAIN, -20.0, 0.0, 50.0)
        for piece in pieces:
            self._draw(piece)
        self.end = self._free
        self.sketch.steps([self.end / 3, self.end])

    def _sound(self, name: str, at: float, begin: float, took: float) -> None:
        """Draw work that is asked for within an operator of its own."""
        inside = at > -20.0
        kernel = not name.startswith("Memcpy")
        outer, inner = ("aten::linear", "aten::mm") if kernel else ("aten::to", "aten::copy_")
        self.sketch.operator(outer, at - 3, 8)
        self.sketch.operator(inner, at - 1, 3)
        self.sketch.memory(at, 512, device=0)
        if kernel:
            self.sketch.launched(at, begin, took, name=name)
        if inside:
            self.own[outer] = self.own.get(outer, 0.0) + 5
            self.own[inner] = self.own.get(inner, 0.0) + 3
            self.device[inner] = self.device.get(inner, 0.0) + took
            self.bytes[inner] = self.bytes.get(inner, 0) + 512
            self.kernels += kernel
            self.kernel_us += took * kernel
            self.double += took * (name == DOUBLE)
            self.tensor += took * (name == GEMM)

    def _draw(self, piece: Piece) -> None:
        ended = self._free
        begin = ended + piece.gap
        at = ended + piece.gap * piece.within
        if piece.gap == 0 or piece.cause == "queued":
            # Asked for while the device still worked.
            at = ended - 10.0
            self.idle["other"] += piece.gap
        else:
            self._host(piece, ended, at)
        if piece.what.startswith("Memcpy"):
            self.sketch.copied(piece.what, at, begin, piece.took, piece.size)
            total = self.copied.setdefault(piece.what, [0, 0, 0.0])
            total[0] += 1
            total[1] += piece.size
            total[2] += piece.took
        self._sound(piece.what, at, begin, piece.took)
        if piece.beside:
            # Within other work on another stream: nothing is busier for it.
            self.sketch.work(begin + 5, piece.took - 10, stream=20, category="gpu_memset")
        self._free = begin + piece.took

    def _host(self, piece: Piece, ended: float, at: float) -> None:
        """Draw what the host did in a gap until it launched, and remember whose time it was."""
        room = max(0.0, at - 6 - ended)
        if piece.cause == "loader":
            name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
            self.sketch.mark(name, ended - 15, 15 + room)
            self.idle["loader"] += room
            self.idle["launch"] += piece.gap - room
        elif piece.cause == "wait":
            lost = 15.0
            self.sketch.call("cudaStreamSynchronize", ended - lost, lost + room + 0.5)
            explained = min(piece.gap, room + 0.5 + lost)
            self.idle["synchronise"] += explained
            self.idle["launch"] += piece.gap - explained
        elif piece.cause == "behind":
            took = room / 2
            self.sketch.call("cudaDeviceSynchronize", ended + room / 4, took)
            self.idle["synchronise"] += took
            self.idle["launch"] += piece.gap - took
        else:
            self.idle["launch"] += piece.gap


def approximately(value: float) -> object:
    """Return what a sum of stamps of a nanosecond each is equal to."""
    return pytest.approx(value, rel=1e-6, abs=2e-8)


@settings(max_examples=150, deadline=None)
@given(PIECES)
def test_the_summary_is_the_truth_that_was_planted(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[Piece]
) -> None:
    """Busy and idle time, its causes, operators, copies and kinds of kernels: all of it."""
    truth = Truth(pieces)
    found = summarise(truth.sketch.write(tmp_path_factory.mktemp("t") / "trace.json.gz"))
    assert (found.faults, found.why, found.steps) == ((), None, 2)
    assert found.span_s == approximately(truth.end * 1e-6)
    assert found.busy_share is not None
    idle_us = sum(truth.idle.values())
    assert found.busy_share * found.span_s == approximately((truth.end - idle_us) * 1e-6)
    assert found.idle is not None
    assert found.idle.loader_s == approximately(truth.idle["loader"] * 1e-6)
    assert found.idle.launch_s == approximately(truth.idle["launch"] * 1e-6)
    assert found.idle.synchronise_s == approximately(truth.idle["synchronise"] * 1e-6)
    assert found.idle.other_s == approximately(truth.idle["other"] * 1e-6)
    assert found.kernels == truth.kernels
    named = {o.name: o for o in found.operators}
    assert named.keys() == truth.own.keys()
    for name, own in truth.own.items():
        assert named[name].host_self_s == approximately(own * 1e-6)
        assert named[name].device_self_s == approximately(truth.device.get(name, 0.0) * 1e-6)
        assert named[name].self_bytes == truth.bytes.get(name, 0)
    ways = {UP: ("to_device", "pinned"), DOWN: ("to_host", "pageable")}
    assert {(c.direction, c.memory): (c.number, c.bytes) for c in found.copies} == {
        ways[name]: (total[0], total[1]) for name, total in truth.copied.items()
    }
    for copies in found.copies:
        name = UP if copies.memory == "pinned" else DOWN
        assert copies.seconds == approximately(truth.copied[name][2] * 1e-6)
    if truth.kernel_us:
        assert found.fp64_share == approximately(truth.double / truth.kernel_us)
        assert found.tensor_core_share == approximately(truth.tensor / truth.kernel_us)
    else:
        assert (found.fp64_share, found.tensor_core_share) == (None, None)


@settings(max_examples=60, deadline=None)
@given(PIECES, st.integers(0, 2**32 - 1))
def test_the_busy_share_agrees_with_random_instants(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[Piece], seed: int
) -> None:
    """A second reading, which knows no interval, counts the instants at which something ran."""
    # 20,000 instants are within 2 points in all but one of ten thousand million cases or so.
    path = Truth(pieces).sketch.write(tmp_path_factory.mktemp("t") / "trace.json")
    trace = read(path)
    steps = find_steps(trace)
    instants = np.random.default_rng(seed).uniform(steps.begin, steps.end, 20_000)
    running = np.zeros(len(instants), dtype=bool)
    for work in trace.work:
        running |= (work.begin <= instants) & (instants < work.end)
    assert summarise(path).busy_share == pytest.approx(running.mean(), abs=0.02)


def two_kernels(sketch: Sketch, device: int, busy: float) -> None:
    """Draw a kernel on a device, and a gap of the loader before it."""
    sketch.mark("breakeven.loader", 10 + device, 5)
    sketch.launched(99 - busy, 100 - busy, busy, device=device)


def test_of_several_devices_the_mean_is_told(tmp_path: Path) -> None:
    """Busy and idle time still fill the steps."""
    sketch = Sketch()
    sketch.steps([100])
    two_kernels(sketch, 0, 60)
    two_kernels(sketch, 1, 20)
    found = summarise(sketch.write(tmp_path / "t.json"))
    assert found.busy_share == pytest.approx(0.4)
    assert found.kernel_share == pytest.approx(0.4)
    assert found.idle is not None
    assert filled(found) == pytest.approx(found.span_s)
    assert found.kernels == 2


def filled(found: TraceSummary) -> float:
    """Return busy and idle seconds together."""
    idle = found.idle or Idle(loader_s=0, launch_s=0, synchronise_s=0, other_s=0)
    parts = (idle.loader_s, idle.launch_s, idle.synchronise_s, idle.other_s)
    return sum(parts) + (found.busy_share or 0.0) * found.span_s


def test_copies_are_busy_but_no_kernels(tmp_path: Path) -> None:
    """The share of kernels alone is the smaller one."""
    sketch = Sketch()
    sketch.steps([100])
    sketch.copied(UP, 5, 10, 30, 4096)
    sketch.launched(6, 30, 30)
    found = summarise(sketch.write(tmp_path / "t.json"))
    assert found.busy_share == pytest.approx(0.5)
    assert found.kernel_share == pytest.approx(0.3)


def test_work_counts_for_the_steps_that_asked_for_it(tmp_path: Path) -> None:
    """A queue runs on: what was asked for in the steps counts, and what runs in them is busy."""
    sketch = Sketch()
    sketch.mark("breakeven.step#0", 0, 100)
    sketch.launched(-40, -30, 50)
    sketch.launched(60, 80, 90)
    sketch.launched(120, 180, 10)
    found = summarise(sketch.write(tmp_path / "t.json"))
    assert found.kernels == 1
    assert found.busy_share == pytest.approx(0.4)


def test_what_is_no_trace_is_a_reason(tmp_path: Path) -> None:
    """Nothing is raised: a run goes on without its trace."""
    path = tmp_path / "trace.json"
    path.write_text("no trace")
    found = summarise(path, plain_step_s=0.5)
    assert "is no Chrome trace" in str(found.why)
    assert (found.file, found.plain_step_s, found.steps) == (None, 0.5, 0)


def test_a_trace_of_nothing_is_a_reason(tmp_path: Path) -> None:
    """No event that takes time: there is no share of nothing."""
    found = summarise(Sketch().write(tmp_path / "t.json"))
    assert found.why == "the trace holds nothing that took time"


def test_the_caller_s_clock_is_kept(tmp_path: Path) -> None:
    """What tracing cost stands beside what the trace says."""
    sketch = Sketch()
    sketch.steps([100])
    sketch.operator("aten::mm", 10, 50)
    path = sketch.write(tmp_path / "trace.json.gz")
    found = summarise(path, plain_step_s=1e-3, traced_step_s=1.2e-3)
    assert (found.plain_step_s, found.traced_step_s) == (1e-3, 1.2e-3)
    assert found.file == "trace.json.gz"
