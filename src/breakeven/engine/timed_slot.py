"""One slot: repeats that fill it, with the cores that they took."""

from __future__ import annotations

import os
import statistics
import time

from breakeven.engine.clock import family_cpu_seconds
from breakeven.engine.loop import Call, Clock, repeats
from breakeven.engine.messages import Measured

# Calls that are shorter are warmed again for so long before they are timed.
REWARM_S = 2e-3
# Batches that each process of a loader holds ready: the default of PyTorch's loader.
PREFETCH = 2


def timed_slot(
    call: Call,
    wait: Call,
    clock: Clock,
    seconds: float,
    *,
    call_s: float,
    ready: Call | None = None,
) -> Measured:
    """Return the times of a slot, after a moment of untimed work that warms caches and clocks.

    Parameters
    ----------
    call_s : float
        Seconds of one call as seen last: a long one warms itself.
    ready : callable, optional
        As in `repeats`; the cores used are then those of both.
    """
    if call_s < REWARM_S:
        repeats(call, wait, clock, REWARM_S, ready)
    wall, cpu = time.perf_counter(), time.process_time()
    times = repeats(call, wait, clock, seconds, ready)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Measured(
        median_s=statistics.median(times),
        min_s=min(times),
        repeats=len(times),
        cores_used=cpu / wall if wall > 0 else None,
    )


def loaded_s(seconds: float, call_s: float, workers: int) -> float:
    """Return the seconds of a slot with a loader's processes: two turns of what lies ready."""
    return max(seconds, 2 * PREFETCH * workers * call_s)


def loaded_slot(
    call: Call, wait: Call, clock: Clock, seconds: float, *, call_s: float, workers: int
) -> Measured:
    """Return the times of a slot of steps whose batches come from processes of a loader.

    These load ahead between slots, so steps that take what lies ready come first, untimed. Later
    batches come in bursts, of which a median sees one kind: the figure is the mean, over several
    turns of all the processes.

    Parameters
    ----------
    call_s : float
        Seconds of one call as seen last.
    workers : int
        Processes of the loader, at least 1; their CPU time counts as that of the steps.
    """
    ready = PREFETCH * workers
    for _ in range(ready):
        call()
        wait()
    wall, cpu = time.perf_counter(), family_cpu_seconds(os.getpid())
    times = repeats(call, wait, clock, loaded_s(seconds, call_s, workers))
    wall, after = time.perf_counter() - wall, family_cpu_seconds(os.getpid())
    used = None if cpu is None or after is None else after - cpu
    return Measured(
        median_s=statistics.fmean(times),
        min_s=min(times),
        repeats=len(times),
        cores_used=used / wall if used is not None and wall > 0 else None,
    )
