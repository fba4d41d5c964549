"""The passes of a trace: in which order, how many steps, and what is kept of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from breakeven.trace.capture import WARM_STEPS
from breakeven.trace.passes import traced
from kineto import Sketch
from trace_player import Making, Player


def drawn() -> str:
    """Return a trace of two steps with an operator and its memory."""
    sketch = Sketch()
    sketch.steps([100, 200])
    sketch.operator("aten::empty", 10, 20)
    sketch.memory(15, 4096)
    return sketch.text()


def test_plain_steps_are_clocked_before_and_after_the_traced_ones(tmp_path: Path) -> None:
    """Warm-up, plain, traced, plain, then the pass with memory, whose file is not kept."""
    making = Making(drawn())
    log = making.log
    found = traced(
        lambda: log.append("step"), lambda: log.append("wait"), 2, tmp_path, maker=making
    )
    plain = ["wait", "step", "step", "step", "wait"]
    start, stop = log.index("start"), log.index("stop")
    assert log[:start] == ["step"] * WARM_STEPS + plain
    assert log[stop + 1 : stop + 1 + len(plain)] == plain
    assert log[stop + 1 + len(plain)] == "start"
    assert found.operators[0].self_bytes == 4096
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json.gz"]
    assert found.plain_step_s is not None
    assert found.traced_step_s is not None


def test_a_memory_pass_that_fails_leaves_bytes_unknown(tmp_path: Path) -> None:
    """The trace stands all the same."""
    sketch = Sketch()
    sketch.steps([100, 200])
    sketch.operator("aten::empty", 10, 20)

    class Once(Making):
        made = 0

        def __call__(self, kept: int, ready: Callable[[Any], None]) -> Player:
            self.made += 1
            if self.made > 1:
                raise RuntimeError("it is held by another profiler")
            return super().__call__(kept, ready)

    found = traced(lambda: None, lambda: None, 2, tmp_path, maker=Once(sketch.text()))
    assert found.why is None
    assert found.operators[0].self_bytes is None


@pytest.mark.parametrize("memory", [True, False])
def test_without_a_trace_the_plain_steps_are_told(tmp_path: Path, memory: bool) -> None:
    """A profiler that does not start costs the trace and nothing else."""

    class Broken(Making):
        def __call__(self, kept: int, ready: Callable[[Any], None]) -> Player:  # noqa: ARG002
            raise RuntimeError("CUPTI_ERROR_NOT_INITIALIZED")

    found = traced(lambda: None, lambda: None, 2, tmp_path, memory=memory, maker=Broken())
    assert "CUPTI_ERROR_NOT_INITIALIZED" in str(found.why)
    assert found.plain_step_s is not None
    assert (found.steps, found.file) == (0, None)
