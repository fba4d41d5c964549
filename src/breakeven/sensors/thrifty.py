"""A sensor that is read less often where reading it takes too much CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence

from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Sensor, Tier
from breakeven.sensors.thrift import Asked, allot


class Thrifty:
    """Passes readings of the fast tier on as often as a share of a core allows.

    The files of a machine with hundreds of cores, or of a tree with hundreds of processes, take
    longer to read than a tenth of a second allows for.

    Parameters
    ----------
    sensor : Sensor
        What is read.
    names : collection of str
        Which of its readings belong to the fast tier.
    period_s : float
        Seconds between readings where they are cheap.
    share : float
        CPU time over time that they may take.
    cpu_s : callable
        CPU seconds of this thread.
    """

    def __init__(
        self,
        sensor: Sensor,
        names: Collection[str],
        *,
        period_s: float,
        share: float,
        cpu_s: Callable[[], float] = time.thread_time,
    ) -> None:
        self._sensor, self._fast, self._share, self._cpu_s = sensor, tuple(names), share, cpu_s
        self._asked = Asked(period_s)
        self._passed_over = False

    @property
    def names(self) -> tuple[str, ...]:
        """What the sensor reads."""
        return self._sensor.names

    def read(self, tier: Tier) -> Sequence[Sample]:
        """Return what the sensor reads; nothing at an occasion that is passed over."""
        if tier == "slow":
            allot([self._asked], self._share)
        if tier == "ends" and self._passed_over:
            # The last occasion of all is passed over by nobody: readings reach up to the end.
            self._passed_over = False
            return [*self._sensor.read("fast"), *self._sensor.read(tier)]
        if tier != "fast":
            return self._sensor.read(tier)
        self._passed_over = not self._asked.due()
        if self._passed_over:
            return ()
        before = self._cpu_s()
        found = self._sensor.read(tier)
        self._asked.took(self._cpu_s() - before)
        return found

    def absent(self) -> tuple[Absent, ...]:
        """Return what the sensor cannot read."""
        return self._sensor.absent()

    def slower(self) -> dict[str, float]:
        """Return the period of the fast readings, where it is longer than planned."""
        every = self._asked.every
        return dict.fromkeys(self._fast, every * self._asked.period_s) if every > 1 else {}

    def close(self) -> None:
        """Close the sensor."""
        self._sensor.close()
