"""The only clock: monotonic seconds for durations, UTC text for dates."""

from __future__ import annotations

import time
from datetime import UTC, datetime

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


def thread_cpu_seconds(thread: int) -> float | None:
    """Return the CPU time of one thread of this process; None when it is gone."""
    try:
        return time.clock_gettime((~thread << 3) | 6)
    except (OSError, OverflowError):
        return None
