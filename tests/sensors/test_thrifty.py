"""A sensor within a share of a core: cheap readings all come, dear ones fewer, and it is said."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Tier
from breakeven.sensors.thrifty import Thrifty


class Dear:
    """A sensor whose fast readings take CPU time."""

    names = ("tree.cpu_cores", "host.load_1m")

    def __init__(self, cost_s: float) -> None:
        self.cost_s, self.spent_s, self.closed = cost_s, 0.0, False

    def read(self, tier: Tier) -> Sequence[Sample]:
        """Return one reading of a tier."""
        if tier == "fast":
            self.spent_s += self.cost_s
            return [Sample("tree.cpu_cores", 1.0)]
        return [Sample("host.load_1m", 2.0)]

    def absent(self) -> tuple[Absent, ...]:
        """Return what it lacks."""
        return (Absent(sensor="cpu.temperature_c", why="none"),)

    def slower(self) -> dict[str, float]:
        """Return nothing."""
        return {}

    def close(self) -> None:
        """Take note."""
        self.closed = True


def _read(dear: Dear, seconds: int) -> tuple[Thrifty, int, int]:
    """Sample for so long; return how many fast and slow readings came in the second half."""
    sensor = Thrifty(
        dear, ["tree.cpu_cores"], period_s=0.1, share=0.001, cpu_s=lambda: dear.spent_s
    )
    fast = slow = 0
    for tick in range(10 * seconds):
        late = tick >= 5 * seconds
        fast += len(sensor.read("fast")) * late
        if tick % 10 == 0:
            slow += len(sensor.read("slow")) * late
    return sensor, fast, slow


def test_cheap_readings_all_come() -> None:
    """50 us ten times a second are half of what is allowed."""
    sensor, fast, slow = _read(Dear(50e-6), 20)
    assert (fast, slow) == (100, 10)
    assert sensor.slower() == {}


@pytest.mark.parametrize(("cost_s", "every"), [(250e-6, 3), (1e-3, 10), (5e-3, 50)])
def test_dear_readings_come_as_often_as_they_may(cost_s: float, every: int) -> None:
    """A tenth of a percent of a core; the slow tier goes on as it was."""
    dear = Dear(cost_s)
    sensor, fast, slow = _read(dear, 60)
    assert abs(fast - 300 / every) <= 1
    assert slow == 30
    assert sensor.slower() == {"tree.cpu_cores": pytest.approx(0.1 * every, rel=0.05)}


def test_readings_reach_up_to_the_end() -> None:
    """What was passed over at the last occasion is read at the end, and nothing is read twice."""
    sensor, _, _ = _read(Dear(5e-3), 60)
    assert sensor.read("fast") == ()
    assert [s.sensor for s in sensor.read("ends")] == ["tree.cpu_cores", "host.load_1m"]
    assert [s.sensor for s in sensor.read("ends")] == ["host.load_1m"]
    cheap, _, _ = _read(Dear(0.0), 1)
    assert [s.sensor for s in cheap.read("ends")] == ["host.load_1m"]


def test_all_else_is_the_sensors() -> None:
    """Names, absences and the end are handed on."""
    dear = Dear(0.0)
    sensor, _, _ = _read(dear, 1)
    assert sensor.names == dear.names
    assert sensor.absent() == dear.absent()
    sensor.close()
    assert dear.closed
