"""A recording that is played: the same readings, at the same distances in time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from breakeven.errors import InputError
from breakeven.model.sensing import Absent
from breakeven.model.timeline import Series
from breakeven.sensors.base import Sample
from breakeven.sensors.played import Played
from breakeven.sensors.recording import Recording
from breakeven.sensors.sampler import Sampler, SamplingPlan
from breakeven.sensors.writing import Writer

RECORDING = Recording(
    timeline=(
        Series(sensor="gpu0.power_w", t_s=(50.0, 50.1, 50.2), value=(80.0, None, 90.0)),
        Series(sensor="gpu0.temperature_c", t_s=(50.05,), value=(40.0,)),
    ),
    absent=(Absent(sensor="gpu0", why="lost", since_s=50.15),),
    began_s=50.0,
    ended_s=50.2,
)


def test_readings_come_when_their_time_has_come() -> None:
    """In order, each once, gaps as gaps, on the clock of the one who plays."""
    now = [1000.0]
    played = Played(RECORDING, lambda: now[0])
    assert played.names == ("gpu0.power_w", "gpu0.temperature_c")
    assert list(played.read("fast")) == [Sample("gpu0.power_w", 80.0, 1000.0)]
    now[0] = 1000.11
    assert [(s.sensor, s.value) for s in played.read("fast")] == [
        ("gpu0.temperature_c", 40.0), ("gpu0.power_w", None),
    ]  # fmt: skip
    assert played.absent() == ()
    now[0] = 1000.3
    assert [s.value for s in played.read("fast")] == [90.0]
    assert list(played.read("fast")) == []
    assert [*played.read("slow"), *played.read("ends")] == []


def test_what_went_absent_goes_absent_again_then_the_recording_is_over() -> None:
    """Each at its moment."""
    now = [1000.0]
    played = Played(RECORDING, lambda: now[0])
    now[0] = 1000.3
    lost, over = played.absent()
    assert (lost.sensor, lost.since_s) == ("gpu0", pytest.approx(1000.15))
    assert (over.sensor, over.since_s) == ("recording", pytest.approx(1000.2))


def _file(folder: Path) -> Path:
    writer = Writer(folder / "gpu.rec", 7.0)
    for place in range(3):
        writer.samples(7.0 + 0.02 * place, [Sample("gpu0.power_w", 300.0 + place)])
    writer.end(None, 7.05)
    writer.close()
    return folder / "gpu.rec"


@pytest.mark.parametrize("by_variable", [True, False])
def test_a_sampler_plays_a_recording_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_variable: bool
) -> None:
    """By its plan or by a variable; a GPU's readings without a GPU, marked as a replay."""
    name = str(_file(tmp_path))
    if by_variable:
        monkeypatch.setenv("BREAKEVEN_REPLAY_SENSORS", name)
    plan = SamplingPlan(fast_s=0.01, slow_s=0.05, replay=None if by_variable else name)
    with Sampler(plan, tmp_path, os.getpid()) as sampler:
        end = os.times().elapsed + 0.1
        while os.times().elapsed < end:
            pass
        found = sampler.finish()
    assert found.source == "replay"
    power = found.timeline[0]
    assert power.value == (300.0, 301.0, 302.0)
    assert power.t_s[2] - power.t_s[0] == pytest.approx(0.04, abs=1e-5)
    assert found.sensing().source == "replay"


def test_a_recording_that_cannot_be_played_is_refused_at_the_start(tmp_path: Path) -> None:
    """It is the user's input, and no sensor that is missing."""
    sampler = Sampler(SamplingPlan(replay=str(tmp_path / "none")), tmp_path, os.getpid())
    with pytest.raises(InputError, match="cannot be read"):
        sampler.__enter__()
