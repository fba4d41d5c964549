"""One slot: repeats that fill it, with the cores that they took."""

from __future__ import annotations

import statistics
import time

from breakeven.engine.loop import Call, Clock, repeats
from breakeven.engine.messages import Measured

# Calls that are shorter are warmed again for so long before they are timed.
REWARM_S = 2e-3


def timed_slot(call: Call, wait: Call, clock: Clock, seconds: float, *, call_s: float) -> Measured:
    """Return the times of a slot, after a moment of untimed work that warms caches and clocks.

    Parameters
    ----------
    call_s : float
        Seconds of one call as seen last: a long one warms itself.
    """
    if call_s < REWARM_S:
        repeats(call, wait, clock, REWARM_S)
    wall, cpu = time.perf_counter(), time.process_time()
    times = repeats(call, wait, clock, seconds)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Measured(
        median_s=statistics.median(times),
        min_s=min(times),
        repeats=len(times),
        cores_used=cpu / wall if wall > 0 else None,
    )
