"""The host clock, watched: how finely it steps, whether it runs backward, how fast it runs."""

from __future__ import annotations

import time
from collections.abc import Callable

from breakeven.model.selftest import TimerReading

READS = 100_000


def hardware_seconds() -> float | None:
    """Return seconds of the clock that nothing adjusts; None where the system has none."""
    number = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    return None if number is None else time.clock_gettime(number)


class TimerWatch:
    """Watches a host clock from its making until it is read.

    Parameters
    ----------
    clock : callable
        The seconds that every timed piece on the host is measured with.
    hardware : callable
        Seconds of another clock, or None.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        hardware: Callable[[], float | None] = hardware_seconds,
    ) -> None:
        self._clock = clock
        self._hardware = hardware
        self._began = (clock(), hardware())

    def read(self, reads: int = READS) -> TimerReading:
        """Return what was seen; the rate is that since the making."""
        raw, own = self._hardware(), self._clock()
        watched, before = own - self._began[0], self._began[1]
        elapsed = None if raw is None or before is None else raw - before
        steps, backward = [], 0
        last = self._clock()
        for _ in range(reads):
            seen = self._clock()
            if seen > last:
                steps.append(seen - last)
            elif seen < last:
                backward += 1
            last = seen
        return TimerReading(
            # A clock that never moved resolves nothing.
            resolution_s=min(steps, default=float(watched or 1.0)),
            backward=backward,
            reads=reads,
            rate=watched / elapsed if elapsed and elapsed > 0 else None,
            watched_s=watched,
        )
