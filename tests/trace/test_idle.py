"""Idle time of a device: one gap of each kind, and any sequence of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.model.trace import Idle
from breakeven.trace.chrome import read
from breakeven.trace.idle import idle
from breakeven.trace.steps import find_steps
from kineto import PID, Sketch

BACKWARD = PID + 7


def split(sketch: Sketch, folder: Path) -> Idle:
    """Return why the device of a trace was idle, in microseconds."""
    trace = read(sketch.write(folder / "trace.json"))
    found = idle(trace, find_steps(trace), trace.work)
    return Idle(
        loader_s=round(found.loader_s * 1e6, 2),
        launch_s=round(found.launch_s * 1e6, 2),
        synchronise_s=round(found.synchronise_s * 1e6, 2),
        other_s=round(found.other_s * 1e6, 2),
    )


def parts(**parts: float) -> Idle:
    """Return a split, nothing where nothing is given."""
    nothing = dict.fromkeys(("loader_s", "launch_s", "synchronise_s", "other_s"), 0.0)
    return Idle(**{**nothing, **parts})


def around() -> Sketch:
    """Return a step of 200 us whose device works until 40 and from 90 on, the gap between open."""
    sketch = Sketch()
    sketch.steps([200])
    sketch.launched(-20, 0, 40)
    return sketch


def test_a_launch_that_comes_late_is_the_launch_s(tmp_path: Path) -> None:
    """The host was in Python and in operators until it launched; all of the gap is its own."""
    sketch = around()
    sketch.operator("aten::addmm", 50, 30)
    sketch.launched(75, 90, 110)
    assert split(sketch, tmp_path) == parts(launch_s=50)


def test_what_lies_in_the_loader_is_the_loader_s(tmp_path: Path) -> None:
    """By PyTorch's own mark or ours, one within the other counted once; the rest is the launch."""
    sketch = around()
    sketch.mark("breakeven.loader", 30, 35)
    sketch.mark("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 32, 30)
    sketch.launched(75, 90, 110)
    assert split(sketch, tmp_path) == parts(loader_s=25, launch_s=25)


def test_a_launch_before_the_gap_leaves_it_to_the_device(tmp_path: Path) -> None:
    """The work was queued: an event of another stream, or the hardware, held it back."""
    sketch = around()
    sketch.launched(30, 90, 110)
    assert split(sketch, tmp_path) == parts(other_s=50)


def test_a_wait_explains_what_the_host_lost_in_it(tmp_path: Path) -> None:
    """The host waited for 30 us while the device worked, and 5 more: 35 us of the gap are its."""
    sketch = around()
    sketch.call("cudaStreamSynchronize", 10, 35)
    sketch.launched(75, 90, 110)
    assert split(sketch, tmp_path) == parts(synchronise_s=35, launch_s=15)


def test_a_wait_explains_no_more_than_the_gap(tmp_path: Path) -> None:
    """A host that was far ahead loses the whole gap to its wait, and nothing beyond it."""
    sketch = around()
    sketch.call("cudaDeviceSynchronize", -90, 135)
    sketch.launched(75, 90, 110)
    assert split(sketch, tmp_path) == parts(synchronise_s=50)


def test_a_wait_that_began_in_the_gap_explains_only_itself(tmp_path: Path) -> None:
    """The device had run dry before: the host was behind, and waited for nothing."""
    sketch = around()
    sketch.call("cudaDeviceSynchronize", 60, 6)
    sketch.launched(75, 90, 110)
    assert split(sketch, tmp_path) == parts(synchronise_s=6, launch_s=44)


def test_a_copy_that_was_waited_for_is_a_wait(tmp_path: Path) -> None:
    """A copy to pageable memory blocks, whatever its name says; one to pinned memory does not."""
    for awaited, expected in (
        (40.0, parts(synchronise_s=40, launch_s=5)),
        (2.0, parts(launch_s=45)),
    ):
        sketch = around()
        sketch.copied("Memcpy DtoH (Device -> Pageable)", 10, 40, 5, 64, awaited)
        sketch.launched(75, 90, 110)
        assert split(sketch, tmp_path) == expected


def test_a_copy_and_the_wait_after_it_are_one_wait(tmp_path: Path) -> None:
    """Reading a loss copies it and then waits for the stream."""
    sketch = around()
    sketch.copied("Memcpy DtoH (Device -> Pageable)", 10, 40, 2, 4, 34)
    sketch.call("cudaStreamSynchronize", 46, 4)
    sketch.launched(75, 90, 110)
    # 32 us waited while the device worked, 8 until the wait was over.
    assert split(sketch, tmp_path) == parts(synchronise_s=40, launch_s=8)


def test_the_loader_goes_before_the_wait(tmp_path: Path) -> None:
    """Where two explain the same time, the loader is named: it took the time in the gap itself."""
    sketch = around()
    sketch.call("cudaStreamSynchronize", -60, 102)
    sketch.mark("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 44, 26)
    sketch.launched(75, 90, 110)
    assert split(sketch, tmp_path) == parts(loader_s=26, synchronise_s=24)


def test_backward_launches_from_a_thread_of_its_own(tmp_path: Path) -> None:
    """What the thread of the steps did in the gap before counts as well."""
    sketch = around()
    sketch.mark("breakeven.loader", 45, 10)
    sketch.call("cudaStreamSynchronize", 60, 5)
    sketch.launched(75, 90, 110, BACKWARD)
    assert split(sketch, tmp_path) == parts(loader_s=10, synchronise_s=5, launch_s=35)


def test_another_thread_s_loader_is_not_counted(tmp_path: Path) -> None:
    """A thread that prefetches stands in nobody's way."""
    sketch = around()
    sketch.mark("breakeven.loader", 45, 10, tid=BACKWARD + 1)
    sketch.launched(75, 90, 110)
    assert split(sketch, tmp_path) == parts(launch_s=50)


def test_the_end_of_the_steps_is_judged_by_what_came_next(tmp_path: Path) -> None:
    """A kernel after the last step ends its gap; without one the thread of the steps decides."""
    for queued in (True, False):
        sketch = around()
        sketch.mark("breakeven.loader", 150, 30)
        if queued:
            sketch.launched(30, 260, 10)
        expected = parts(other_s=160) if queued else parts(loader_s=30, launch_s=130)
        assert split(sketch, tmp_path) == expected


def test_work_that_nobody_launched_is_other(tmp_path: Path) -> None:
    """A trace without the host's calls cannot say why."""
    sketch = around()
    sketch.work(90, 110)
    assert split(sketch, tmp_path) == parts(other_s=50)


def test_a_graph_s_gaps_are_the_device_s(tmp_path: Path) -> None:
    """One call launches all nodes: between them the host has no part."""
    sketch = around()
    launch = sketch.call("cudaGraphLaunch", 60, 5)
    sketch.work(90, 50, launch, **{"graph node id": 1})
    sketch.work(150, 50, launch, **{"graph node id": 2})
    assert split(sketch, tmp_path) == parts(launch_s=50, other_s=10)


@pytest.mark.parametrize("name", ["cudaMemcpy", "cuCtxSynchronize", "cudaEventSynchronize_v3020"])
def test_waits_are_known_by_their_names(tmp_path: Path, name: str) -> None:
    """Of the runtime and of the driver, with or without a version."""
    sketch = around()
    sketch.call(name, 10, 35)
    sketch.launched(75, 90, 110)
    assert split(sketch, tmp_path).synchronise_s == 35
