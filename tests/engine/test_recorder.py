"""The recording of a run that was interrupted, joined with that of its completion."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from breakeven.engine.recorder import Recorder, joined, recorded
from breakeven.model.event import Began
from breakeven.model.remarks import SAMPLER
from breakeven.model.timeline import Series
from breakeven.store.sink import MemorySink
from engine.job_casts import training_run


def test_two_recordings_of_one_run_are_one() -> None:
    """What was read before the interruption comes first, and no moment stands twice."""
    early = (Series(sensor="cpu.busy_share", t_s=(0.0, 1.0), value=(0.1, 0.2)),)
    late = (
        Series(sensor="cpu.busy_share", t_s=(1.0, 9.0), value=(0.3, None)),
        Series(sensor="gpu0.power_w", t_s=(9.0,), value=(80.0,)),
    )
    found = {s.sensor: s for s in joined(early, late)}
    assert found["cpu.busy_share"].t_s == (0.0, 1.0, 9.0)
    assert found["cpu.busy_share"].value == (0.1, 0.2, None)
    assert found["gpu0.power_w"] == late[1]


def test_merged_samples_keep_their_bounds_beside_single_ones() -> None:
    """A sample that was not merged is its own least and greatest."""
    early = (Series(sensor="a", t_s=(0.0,), value=(2.0,), low=(1.0,), high=(3.0,)),)
    late = (Series(sensor="a", t_s=(5.0,), value=(7.0,)),)
    (found,) = joined(early, late)
    assert (found.low, found.high) == ((1.0, 7.0), (3.0, 7.0))


def test_marks_count_from_the_start_of_the_run(tmp_path: Path) -> None:
    """A mark has the entry, the batch and the workload that it is about."""
    recorder = Recorder(training_run("torch-cpu"), tmp_path, on=False)
    at = recorder.origin_s
    recorder.mark("steps", "torch-cpu, batch 64", at + 1.0, at + 3.0, workload="train", size=64)
    assert recorder.sensed() is None
    assert recorder.since_start(at + 2.5) == 2.5


def test_a_completed_run_goes_on_where_its_timeline_ended(tmp_path: Path) -> None:
    """Times of the second part come after those of the first, by the date of the run's start."""
    record = replace(
        training_run("torch-cpu"),
        started="2020-01-01T00:00:00Z",
        timeline=(Series(sensor="a", t_s=(0.0, 50.0), value=(1.0, 1.0)),),
    )
    recorder = Recorder(record, tmp_path, on=False)
    assert recorder.since_start(recorder.origin_s + 50.0) >= 50.0
    from breakeven.engine.clock import now

    assert recorder.since_start(now()) > 50.0


@pytest.mark.skipif(sys.platform != "linux", reason="signals of Linux")
def test_a_sampler_that_is_killed_during_a_run_is_remarked(tmp_path: Path) -> None:
    """Power and energy end where it ended, which the answers alone would not say."""
    sink = MemorySink()
    sink.append(Began(record=training_run("torch-cpu")))
    with recorded(sink, tmp_path, on=True) as recorder:
        assert recorder._sampler is not None
        assert recorder._sampler.pid is not None
        os.kill(recorder._sampler.pid, signal.SIGKILL)
    found = sink.record()
    assert found.sensing is not None
    assert found.sensing.ended_early is not None
    assert found.remarks == (f"{SAMPLER}: {found.sensing.ended_early}",)
