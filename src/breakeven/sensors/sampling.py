"""The sampler's loop: two tiers by deadlines on one clock; what is late is dropped."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from breakeven.model.sensing import SamplerCost
from breakeven.sensors.base import Sample, Sensor, Tier
from breakeven.sensors.kernel_files import KernelFile
from breakeven.sensors.writing import Writer

_STATUS = Path("/proc/self/status")
Wait = Callable[[float], str | None]
"""Waits so many seconds; returns at once with why it is over, when it is. Empty: as asked for."""
COST_EVERY = 10
"""After so many slow ticks the cost so far is written, for a sampler that is killed later."""


class Loop:
    """Reads sensors until it is told to stop.

    Parameters
    ----------
    sensors : sequence of Sensor
        Each is read as a whole: its readings share one moment, half-way through.
    writer : Writer
        Where readings go.
    fast_s, slow_s : float
        Periods of the tiers; the second is rounded to a multiple of the first.
    clock, wait, cpu_s : callable
        Seconds; see `Wait`; CPU time of this process.
    """

    def __init__(
        self,
        sensors: Sequence[Sensor],
        writer: Writer,
        *,
        fast_s: float,
        slow_s: float,
        wait: Wait,
        clock: Callable[[], float] = time.perf_counter,
        cpu_s: Callable[[], float] = time.process_time,
    ) -> None:
        self._sensors, self._writer = tuple(sensors), writer
        self._fast_s = fast_s
        self._every = max(1, round(slow_s / fast_s))
        self._wait, self._clock, self._cpu_s = wait, clock, cpu_s
        self._samples = self._late = self._slow_ticks = 0
        self._began_s, self._began_cpu_s = clock(), cpu_s()
        self._status = KernelFile(_STATUS)

    def begin(self) -> None:
        """Read what belongs to the beginning, and everything once."""
        self._tick("ends")
        self._tick("slow")

    def run(self) -> str | None:
        """Sample until told to stop; return why, or None where that was asked for."""
        begin, tick, slow_due = self._clock(), 0, self._every
        while True:
            why = self._wait(max(0.0, begin + tick * self._fast_s - self._clock()))
            if why is not None:
                self._finish(why or None)
                return why or None
            self._tick("fast")
            self._samples += 1
            if tick >= slow_due:
                self._tick("slow")
                slow_due = (tick // self._every + 1) * self._every
                self._slow_ticks += 1
                if self._slow_ticks % COST_EVERY == 0:
                    self._writer.cost(self.cost())
            following = max(tick + 1, math.ceil((self._clock() - begin) / self._fast_s))
            # Deadlines that have passed are not made up for: samples in a bunch say nothing.
            self._late += following - tick - 1
            tick = following

    def cost(self) -> SamplerCost:
        """Return what sampling cost so far, from the first reading on."""
        return SamplerCost(
            fast_s=self._fast_s,
            slow_s=self._fast_s * self._every,
            samples=self._samples,
            late=self._late,
            cpu_s=max(0.0, self._cpu_s() - self._began_cpu_s),
            wall_s=self._clock() - self._began_s,
            rss_bytes=_peak_bytes(self._status.read()),
            slower={k: v for sensor in self._sensors for k, v in sensor.slower().items()},
        )

    def _finish(self, why: str | None) -> None:
        """Read everything a last time, so that counters reach up to the end."""
        for tier in ("fast", "slow", "ends"):
            self._tick(tier)
        self._samples += 1
        self._writer.cost(self.cost())
        self._writer.end(why, self._clock())
        self._status.close()

    def _tick(self, tier: Tier) -> None:
        clock = self._clock
        found: list[Sample] = []
        before = clock()
        for sensor in self._sensors:
            samples = sensor.read(tier)
            after = clock()
            middle = (before + after) / 2
            found += [s if s.t_s is not None else s._replace(t_s=middle) for s in samples]
            before = after
        if found:
            self._writer.samples(before, found)
        if tier != "fast":
            for sensor in self._sensors:
                for one in sensor.absent():
                    self._writer.absent(one)


def _peak_bytes(status: str | None) -> int | None:
    """Return the peak of resident memory, from the text of ``/proc/self/status``.

    ``getrusage`` would tell that of the process that started this one, from before it became this.
    """
    for line in (status or "").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None
