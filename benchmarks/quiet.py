"""Whether other work ran on the machine while a benchmark did: a figure taken then is marked."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from breakeven.engine.conditions import CpuMeter, is_busy


def own_s() -> float:
    """Return the CPU time of this process and of those that it started and that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


class Watch:
    """Counts the cores' worth of CPU time that others took since it was made.

    Parameters
    ----------
    own : callable
        CPU time of what belongs to the benchmark.
    """

    def __init__(self, own: Callable[[], float] = own_s, meter: CpuMeter | None = None) -> None:
        cpus = sorted(os.sched_getaffinity(0))
        self._meter = meter or CpuMeter(cpus, spare=0.0, own_s=own)
        self._begin = self._meter.read()

    def told(self) -> dict[str, Any]:
        """Return what a result says about it: None where the system does not tell."""
        end = self._meter.read()
        if self._begin is None or end is None:
            return {"busy": None, "foreign_cores": None}
        foreign = self._meter.foreign_cores(self._begin, end)
        return {
            "busy": is_busy(foreign, end.wall_s - self._begin.wall_s),
            "foreign_cores": round(foreign, 3),
        }
