"""Orders that cannot be: each planted once, and what looks like one but is none."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from breakeven.trace.chrome import read
from breakeven.trace.steps import find_steps
from breakeven.trace.summary import summarise
from breakeven.trace.validate import faults
from kineto import AMPERE, HOPPER, Sketch


def sound(properties: dict[str, object] | None = AMPERE) -> Sketch:
    """Return two steps of a few kernels with nothing wrong in them."""
    sketch = Sketch(properties)
    sketch.steps([100, 200])
    for begin in (0, 100):
        sketch.launched(begin + 5, begin + 20, 30)
        sketch.launched(begin + 10, begin + 50, 20)
        sketch.launched(begin + 12, begin + 55, 25, stream=20)
    sketch.call("cudaDeviceSynchronize", 190, 9)
    return sketch


def found(sketch: Sketch, folder: Path) -> tuple[str, ...]:
    """Return the faults of a trace."""
    trace = read(sketch.write(folder / "trace.json"))
    return faults(trace, find_steps(trace))


def test_a_sound_trace_has_no_fault(tmp_path: Path) -> None:
    """Kernels of two streams may overlap; one may begin when another ends."""
    assert found(sound(), tmp_path) == ()


def early(sketch: Sketch) -> None:
    """Plant a kernel that begins before its launch."""
    sketch.launched(150, 130, 5, stream=30)


def overlapping(sketch: Sketch) -> None:
    """Plant a kernel that begins while another of its stream runs."""
    sketch.launched(21, 40, 5)


def negative(sketch: Sketch) -> None:
    """Plant a kernel that ends before it begins."""
    sketch.launched(150, 160, -3, stream=30)


def crossed(sketch: Sketch) -> None:
    """Plant a step that begins within another."""
    sketch.mark("breakeven.step#2", 180, 40)


def skipped(sketch: Sketch) -> None:
    """Plant a step whose number does not follow."""
    sketch.mark("breakeven.step#7", 200, 40)


def outliving(sketch: Sketch) -> None:
    """Plant a kernel that runs on after the wait for the device."""
    sketch.launched(180, 185, 60, stream=30)


@pytest.mark.parametrize(
    ("plant", "words"),
    [
        (early, "device work begins before the call that launched it: void .* by 20.0 us"),
        (overlapping, "kernels of one stream overlap: .* on stream 7"),
        (negative, "an end lies before its begin"),
        (crossed, "steps are out of order: step 2 after step 1"),
        (skipped, "steps are out of order: step 7 after step 1"),
        (outliving, "device work ends after the wait for it: .* by 46.0 us"),
    ],
)
def test_each_planted_fault_is_found_and_silences_the_summary(
    tmp_path: Path, plant: Callable[[Sketch], None], words: str
) -> None:
    """It is told in words with its first example, and no share is made of such a trace."""
    sketch = sound()
    plant(sketch)
    summary = summarise(sketch.write(tmp_path / "trace.json.gz"))
    assert len(summary.faults) == 1
    assert re.search(words, summary.faults[0]), summary.faults
    assert summary.why is not None
    assert "contradicts itself" in summary.why
    assert (summary.busy_share, summary.idle, summary.operators) == (None, None, ())
    assert summary.steps >= 2


def test_clocks_may_differ_by_a_little(tmp_path: Path) -> None:
    """The clocks of host and device are known to each other to a few microseconds only."""
    sketch = sound()
    sketch.launched(150, 143, 5, stream=30)
    assert found(sketch, tmp_path) == ()


def test_dependent_launches_overlap_since_hopper(tmp_path: Path) -> None:
    """The next kernel may begin ahead of the end of the one before, and never end before it."""
    ahead = sound(HOPPER)
    ahead.launched(60, 65, 30)
    assert found(ahead, tmp_path) == ()
    within = sound(HOPPER)
    overlapping(within)
    assert "overlap" in found(within, tmp_path)[0]
    unknown = sound(None)
    unknown.launched(60, 65, 30)
    assert "overlap" in found(unknown, tmp_path)[0]


def test_nodes_of_a_graph_may_overlap(tmp_path: Path) -> None:
    """Branches of a graph run side by side and are reported on the stream of its launch."""
    sketch = sound()
    launch = sketch.call("cudaGraphLaunch", 25, 4)
    sketch.work(30, 8, launch, **{"graph node id": 3})
    sketch.work(32, 8, launch, **{"graph node id": 4})
    assert found(sketch, tmp_path) == ()


def test_a_file_that_was_cut_concludes_nothing(tmp_path: Path) -> None:
    """Kineto writes the host first: what is missing may be all that the device did."""
    text = sound().text()
    path = tmp_path / "trace.json"
    path.write_text(text[: len(text) * 2 // 3])
    summary = summarise(path)
    assert summary.faults == ("the file stops in the middle",)
    assert summary.busy_share is None


def test_a_wait_of_one_device_says_nothing_of_another(tmp_path: Path) -> None:
    """Which device a wait is for is not written, so with two nothing is held against it."""
    sketch = sound()
    outliving(sketch)
    sketch.launched(20, 30, 5, device=1)
    assert found(sketch, tmp_path) == ()


def test_a_fault_names_the_first_and_counts_the_rest(tmp_path: Path) -> None:
    """A long name of a kernel is cut, so that the sentence can be read."""
    sketch = sound()
    for _ in range(3):
        sketch.launched(150, 160, -3, stream=30, name="void " + "a" * 200)
    assert found(sketch, tmp_path)[0].endswith("aaa..., and 2 more")


@pytest.mark.parametrize(("events", "told"), [(1500, False), (300, True)])
def test_a_lost_event_in_a_thousand_is_borne(tmp_path: Path, events: int, told: bool) -> None:
    """Where more are broken, or have no duration, shares of time are in doubt."""
    sketch = sound()
    for n in range(events):
        sketch.operator("aten::view", 20 + n * 0.01, 0.005)
    sketch.operator("aten::mm", 60, 5)
    del sketch.events[-1]["dur"]
    lost = [fault for fault in found(sketch, tmp_path) if "have no time" in fault]
    assert bool(lost) == told
    assert all(fault.startswith("1 of 3") for fault in lost)
