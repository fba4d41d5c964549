"""How busy the machine is with work that is not ours."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from breakeven.engine.clock import now
from breakeven.model.machine import Cpu

STAT = Path("/proc/stat")
TICK_S = 0.01
WINDOW_S = 0.5
BUSY_CORES = 0.10
# Both ends of a window are read in whole ticks.
READING_ERROR_S = 2 * TICK_S
IDLE_FIELDS = (3, 4)


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One look: wall clock, seconds that the CPUs were idle, CPU time of our own processes."""

    wall_s: float
    idle_s: float
    own_s: float


def idle_seconds(text: str, cpus: Sequence[int], online: int) -> float | None:
    """Return the idle seconds of `cpus` from the text of ``/proc/stat``.

    The line of all CPUs is read when `cpus` are all of them: it is rounded once, not for each.
    """
    lines = {
        x.split(maxsplit=1)[0]: x.split()[1:] for x in text.splitlines() if x.startswith("cpu")
    }
    wanted = ["cpu"] if len(cpus) >= online and "cpu" in lines else [f"cpu{c}" for c in cpus]
    if any(name not in lines for name in wanted):
        return None
    return sum(float(lines[name][i]) * TICK_S for name in wanted for i in IDLE_FIELDS)


class CpuMeter:
    """Counts the cores' worth of CPU time that others take, steal time among it.

    Parameters
    ----------
    cpus : sequence of int
        CPUs that we may use.
    spare : float
        CPUs among them beyond what our control group lets us use: others may have those.
    own_s : callable
        CPU time that our own processes have used.
    """

    def __init__(
        self,
        cpus: Sequence[int],
        *,
        spare: float,
        own_s: Callable[[], float],
        stat: Path = STAT,
    ) -> None:
        self._cpus = tuple(cpus)
        self._spare = spare
        self._own_s = own_s
        self._stat = stat
        self._online = os.cpu_count() or len(self._cpus)

    def read(self) -> Reading | None:
        """Take one reading; None where the system does not tell."""
        try:
            text = self._stat.read_text()
        except OSError:
            return None
        idle = idle_seconds(text, self._cpus, self._online)
        if idle is None:
            return None
        return Reading(wall_s=now(), idle_s=idle, own_s=self._own_s())

    def foreign_cores(self, begin: Reading, end: Reading) -> float:
        """Return the cores' worth of time that others took between two readings, at least 0."""
        wall = end.wall_s - begin.wall_s
        if wall <= 0:
            return 0.0
        busy = len(self._cpus) * wall - (end.idle_s - begin.idle_s)
        return max(0.0, (busy - (end.own_s - begin.own_s)) / wall - self._spare)


def meter_of(cpu: Cpu, own_s: Callable[[], float]) -> CpuMeter:
    """Return the meter of the CPUs that we may use, less what our quota leaves to others."""
    usable = len(cpu.affinity)
    return CpuMeter(cpu.affinity, spare=max(0.0, usable - (cpu.quota_cores or usable)), own_s=own_s)


def is_busy(foreign_cores: float, wall_s: float) -> bool:
    """Tell whether others took over a tenth of a core, beyond what the reading may be wrong by."""
    return wall_s > 0 and foreign_cores - READING_ERROR_S / wall_s > BUSY_CORES
