"""The sampler's loop on a clock of its own: deadlines, tiers, and hours in a moment."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Tier
from breakeven.sensors.recording import Recording, read_recording
from breakeven.sensors.sampling import Loop
from breakeven.sensors.writing import Writer


class Clock:
    """Time that passes when it is waited for, and while a sensor is read."""

    def __init__(self, until_s: float) -> None:
        self.now, self.until_s = 1000.0, 1000.0 + until_s

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def wait(self, seconds: float) -> str | None:
        """Let time pass; at the end, say that this was asked for."""
        self.now += seconds
        return "" if self.now >= self.until_s else None


class Scripted:
    """A sensor that takes time to read, and may go absent."""

    names = ("gpu0.power_w", "gpu0.energy_j", "gpu0.temperature_c")

    def __init__(self, clock: Clock, takes: Callable[[float], float] = lambda _: 0.0) -> None:
        self.clock, self.takes = clock, takes
        self.reads: list[tuple[Tier, float]] = []
        self.gone: tuple[Absent, ...] = ()

    def read(self, tier: Tier) -> Sequence[Sample]:
        """Return steady power, energy to match, and a temperature."""
        self.reads.append((tier, round(self.clock.now - 1000.0, 6)))
        self.clock.now += self.takes(self.clock.now - 1000.0)
        since = self.clock.now - 1000.0
        if tier == "fast":
            return [Sample("gpu0.power_w", 100.0), Sample("gpu0.energy_j", 100.0 * since)]
        return [Sample("gpu0.temperature_c", 40.0)] if tier == "slow" else []

    def absent(self) -> tuple[Absent, ...]:
        """Return what is gone."""
        return self.gone

    def slower(self) -> dict[str, float]:
        """Return what is read less often."""
        return {"gpu0.temperature_c": 4.0}

    def close(self) -> None:
        """Do nothing."""


def _run(clock: Clock, sensor: Scripted, path: Path, fast_s: float = 0.1) -> Recording:
    writer = Writer(path, clock.now)
    loop = Loop(
        [sensor], writer, fast_s=fast_s, slow_s=10 * fast_s, wait=clock.wait, clock=clock,
        cpu_s=lambda: (clock.now - 1000.0) / 1000,
    )  # fmt: skip
    loop.begin()
    loop.run()
    writer.close()
    return read_recording(path)


def test_both_tiers_keep_their_deadlines(tmp_path: Path) -> None:
    """Ten fast samples to a slow one, at whole multiples of the period from the beginning."""
    clock = Clock(3.05)
    sensor = Scripted(clock)
    found = _run(clock, sensor, tmp_path / "a")
    fast = [t for tier, t in sensor.reads if tier == "fast"]
    assert fast[:-1] == pytest.approx([0.1 * n for n in range(31)])
    assert [t for tier, t in sensor.reads if tier == "slow"][:4] == pytest.approx([0, 1, 2, 3])
    assert found.cost is not None
    assert (found.cost.late, found.cost.samples) == (0, 32)
    assert found.cost.slower == {"gpu0.temperature_c": 4.0}


def test_a_read_that_takes_too_long_drops_deadlines_and_no_more(tmp_path: Path) -> None:
    """A sample of 0.25 s passes over two deadlines, which are counted, and the rest keep theirs."""
    clock = Clock(2.0)
    sensor = Scripted(clock, lambda since: 0.25 if since == pytest.approx(0.5) else 0.0)
    found = _run(clock, sensor, tmp_path / "a")
    fast = [t for tier, t in sensor.reads if tier == "fast"]
    assert fast[4:8] == pytest.approx([0.4, 0.5, 0.8, 0.9])
    assert found.cost is not None
    assert found.cost.late == 2


def test_a_sample_stands_half_way_through_its_reading(tmp_path: Path) -> None:
    """It began at 0.1 and took 20 ms."""
    clock = Clock(0.15)
    found = _run(clock, Scripted(clock, lambda _: 0.02), tmp_path / "a")
    power = next(s for s in found.timeline if s.sensor == "gpu0.power_w")
    assert power.t_s[1] - 1000.0 == pytest.approx(power.t_s[0] - 1000.0 + 0.1)


def test_counters_reach_up_to_the_end(tmp_path: Path) -> None:
    """The last sample is taken when it is over, whatever the deadline."""
    clock = Clock(1.0)
    clock.until_s += 0.037
    found = _run(clock, Scripted(clock), tmp_path / "a")
    energy = next(s for s in found.timeline if s.sensor == "gpu0.energy_j")
    assert energy.t_s[-1] >= clock.until_s
    assert found.ended_early is None


def test_a_sensor_that_vanishes_is_told_once_with_its_moment(tmp_path: Path) -> None:
    """Its first word stands in the recording."""
    clock = Clock(3.0)
    sensor = Scripted(clock)

    def takes(since: float) -> float:
        if since > 1.0 and not sensor.gone:
            sensor.gone = (Absent(sensor="gpu0", why="lost", since_s=clock.now),)
        return 0.0

    sensor.takes = takes
    found = _run(clock, sensor, tmp_path / "a")
    (said,) = found.absent
    assert said.since_s == pytest.approx(1001.1, abs=0.11)


def test_two_hours_leave_memory_and_file_as_they_were_after_minutes(tmp_path: Path) -> None:
    """72 000 samples, on a clock that does not wait: both stay under one bound."""
    clock = Clock(7200.0)
    sensor = Scripted(clock)
    path = tmp_path / "a"
    sizes: list[tuple[int, int]] = []

    def takes(since: float) -> float:
        sensor.reads.clear()
        if round(since * 10) % 6000 == 0 and since > 0:
            sizes.append((tracemalloc.get_traced_memory()[0], path.stat().st_size))
        return 0.0

    sensor.takes = takes
    writer = Writer(path, clock.now, points=512, tail_bytes=1 << 16)
    loop = Loop(
        [sensor], writer, fast_s=0.1, slow_s=1.0, wait=clock.wait, clock=clock,
        cpu_s=lambda: (clock.now - 1000.0) / 1000,
    )  # fmt: skip
    tracemalloc.start()
    loop.begin()
    loop.run()
    writer.close()
    tracemalloc.stop()
    memory, disk = zip(*sizes, strict=True)
    assert max(disk) < 150_000
    assert max(memory) - min(memory) < 100_000
    found = read_recording(path)
    energy = next(s for s in found.timeline if s.sensor == "gpu0.energy_j")
    assert found.thinned >= 7
    assert len(energy.t_s) <= 513
    # The counter's readings are those that were made, at the times at which they were.
    first, last = energy.value[0], energy.value[-1]
    assert first is not None
    assert last is not None
    assert last - first == pytest.approx(100.0 * (energy.t_s[-1] - energy.t_s[0]), rel=1e-6)
