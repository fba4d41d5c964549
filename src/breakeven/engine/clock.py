"""The only clock: monotonic seconds for durations, UTC text for dates."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from breakeven.units import Seconds


def now() -> Seconds:
    """Return monotonic seconds, comparable between processes of one machine."""
    return Seconds(time.monotonic())


def utc() -> datetime:
    """Return the date and time, UTC."""
    return datetime.now(UTC)


def stamp() -> str:
    """Return the date and time, UTC, as ISO 8601 text in whole seconds."""
    return utc().strftime("%Y-%m-%dT%H:%M:%SZ")


def cpu_seconds(pid: int) -> float | None:
    """Return the CPU time that all threads of a process have used; None when it is gone.

    Linux numbers the CPU clock of a process by its id (``clock_getcpuclockid``); it counts
    nanoseconds, where ``/proc`` counts hundredths of a second.
    """
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except (OSError, OverflowError):
        return None


def family_cpu_seconds(pid: int) -> float | None:
    """Return the CPU time of a process with that of its children, living and gone.

    Children that live are named in ``/proc`` where the kernel was built to (most are); without
    that their time counts once they have ended.
    """
    own = cpu_seconds(pid)
    if own is None:
        return None
    place = Path(f"/proc/{pid}")
    try:
        # After the name, which may hold anything: times of children that ended, in ticks.
        fields = (place / "stat").read_text().rpartition(")")[2].split()
        gone = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
        living = children(pid)
    except (OSError, ValueError, IndexError):
        return own
    return own + gone + sum(cpu_seconds(child) or 0.0 for child in living)


def children(pid: int) -> list[int]:
    """Return the living children that the main thread of a process started.

    Raises
    ------
    OSError
        If the process is gone, or the kernel was built without their names.
    """
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def thread_cpu_seconds(thread: int) -> float | None:
    """Return the CPU time of one thread of this process; None when it is gone."""
    try:
        return time.clock_gettime((~thread << 3) | 6)
    except (OSError, OverflowError):
        return None
