"""Steps from marks, from the profiler's schedule, or from what repeats."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.trace.chrome import read
from breakeven.trace.steps import find_steps, repeat
from kineto import Sketch


def test_our_marks_come_before_those_of_the_profiler(tmp_path: Path) -> None:
    """A step before them, and the wait after them, are no part of what is looked at."""
    sketch = Sketch()
    sketch.steps([50, 110, 170, 175], name="ProfilerStep#")
    sketch.mark("breakeven.step#0", 52, 55)
    sketch.mark("breakeven.step#1", 112, 56)
    sketch.launched(60, 70, 30)
    found = find_steps(read(sketch.write(tmp_path / "t.json")))
    assert found.how == "marked"
    assert [s.number for s in found.steps] == [0, 1]
    assert found.end - found.begin == pytest.approx(116e-6)


@pytest.mark.parametrize(("device", "kept"), [(True, [1, 2]), (False, [0, 1, 2])])
def test_the_first_step_of_another_trace_is_left_out(
    tmp_path: Path, device: bool, kept: list[int]
) -> None:
    """The device's queue was empty when the profiler began; on a host there is no queue."""
    sketch = Sketch()
    sketch.steps([50, 110, 170], name="ProfilerStep#")
    if device:
        sketch.launched(60, 70, 30)
    found = find_steps(read(sketch.write(tmp_path / "t.json")))
    assert found.how == "annotated"
    assert [s.number for s in found.steps] == kept


NAMES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)


@given(
    layer=NAMES, layers=st.integers(1, 6), tail=NAMES, steps=st.integers(4, 8), before=NAMES,
    cut=st.integers(0, 3),
)  # fmt: skip
def test_what_repeats_is_found(
    layer: list[str], layers: int, tail: list[str], steps: int, before: list[str], cut: int
) -> None:
    """Layers that repeat within a step, names before the first and a cut last one hide no step."""
    step = [*layer * layers, *tail, "optimiser"]
    names = [*before, *step * steps, *step[: min(cut, len(step) - 1)]]
    period, first = repeat(names)
    assert period == len(step)
    assert 0 <= first < len(before) + period
    for at in range(first, len(names) - period):
        assert names[at] == names[at + period]


def test_what_does_not_repeat_is_no_step() -> None:
    """Two of something, or a sequence without an order, have no period."""
    assert repeat(["a", "b", "c", "a", "b", "c"]) == (0, 0)
    assert repeat([str(n) for n in range(50)]) == (0, 0)
    assert repeat([]) == (0, 0)


def test_a_trace_without_marks_has_the_steps_that_repeat(tmp_path: Path) -> None:
    """Each step begins where the one before ends; the last is dropped, since nobody saw its end."""
    sketch = Sketch()
    for n in range(6):
        for k, name in enumerate(["aten::addmm", "aten::relu", "aten::addmm", "Loss"]):
            sketch.operator(name, 100 * n + 10 * k, 8)
    found = find_steps(read(sketch.write(tmp_path / "t.json")))
    assert found.how == "repeating"
    assert len(found.steps) == 5
    assert found.steps[0].end - found.steps[0].begin == pytest.approx(100e-6)
    assert found.end - found.begin == pytest.approx(500e-6)


def test_launches_repeat_where_no_operator_was_recorded(tmp_path: Path) -> None:
    """CuPy's kernels have no operators around them."""
    sketch = Sketch()
    for n in range(5):
        for k, name in enumerate(["gemm", "relu", "gemm", "sum"]):
            sketch.launched(50 * n + 10 * k, 50 * n + 10 * k + 5, 4, name=name)
    found = find_steps(read(sketch.write(tmp_path / "t.json")))
    assert (found.how, len(found.steps)) == ("repeating", 4)
    assert found.thread is None


def test_a_trace_without_order_is_taken_whole(tmp_path: Path) -> None:
    """Its shares are of all that was recorded, and it has no steps."""
    sketch = Sketch()
    sketch.operator("aten::addmm", 10, 8)
    sketch.launched(12, 30, 20)
    found = find_steps(read(sketch.write(tmp_path / "t.json")))
    assert (found.how, found.steps) == ("whole", ())
    assert found.end - found.begin == pytest.approx(40e-6)
