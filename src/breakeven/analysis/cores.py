"""Whether the CPU side of a comparison had the cores that its threads have use for."""

from __future__ import annotations

import math
import statistics
from typing import NamedTuple

from breakeven.analysis.pairs import Pair
from breakeven.analysis.times import Times

PARALLEL = 1.5
"""Speed-up of several threads over one from which work counts as parallel."""

CORES_SHARE = 0.8
"""Share of the cores that the scouted speed-up took, which the rounds must have had too."""


class Kept(NamedTuple):
    """Cores that an entry kept busy in the rounds, fewer than its scouted speed-up took."""

    used: float
    speedup: float


def kept_from_cores(times: Times, pair: Pair, side: str) -> Kept | None:
    """Return how far a CPU entry was kept from its cores; None where nothing shows that.

    To run S times as fast as on one thread a pool needs the time of S cores at least. So work
    that was S >= 1.5 times faster with threads when scouted, yet had under 0.8 S cores in the
    rounds, was kept from its cores. Small sizes, where threads do not help, have S near 1 and
    cannot fail; a pool that serves only part of the work is asked for no more than it gave. Nor
    is S more than the cores that were busy when scouted: work on one thread cannot fail.
    """
    if not times.on_cpu(side):
        return None
    speedup = scouted_speedup(times, pair.workload, pair.size, side)
    used = cores_used(times, pair, side)
    if speedup is None or used is None:
        return None
    busy = scouted_cores(times, pair.workload, pair.size, side)
    if busy is not None:
        speedup = min(speedup, busy)
    if speedup < PARALLEL:
        return None
    needed = min(speedup, float(times.entries[side].threads or 1))
    return Kept(used, speedup) if used < CORES_SHARE * needed else None


def scouted_speedup(times: Times, workload: str, size: int, entry: str) -> float | None:
    """Return how much faster an entry surely was than its single-thread sibling when scouted.

    The fastest slot on one thread is set against the slowest on many: medians of three slots
    differ by more than half at sizes where threads do nothing. The size is the nearest scouted
    one; None for one thread, or without a sibling.
    """
    own = times.entries[entry]
    sibling = next(
        (
            e
            for e in times.record.entries
            if e.backend == own.backend and e.threads == 1 and e.variant == "default"
        ),
        None,
    )
    if own.threads is None or own.threads < 2 or sibling is None:
        return None
    ranges = {
        s: (one, many)
        for s in times.sizes(workload)
        if (one := times.scouted_range(workload, s, sibling.id)) is not None
        and (many := times.scouted_range(workload, s, own.id)) is not None
    }
    if not ranges:
        return None
    one, many = ranges[min(ranges, key=lambda s: abs(math.log(s / size)))]
    return one[0] / many[1]


def scouted_cores(times: Times, workload: str, size: int, entry: str) -> float | None:
    """Return the cores that an entry kept busy when scouted, at the nearest size; None if unread.

    A library that works on one thread whatever its pool is set to (NumPy's sort, its operations
    on elements) cannot have been made faster by threads: what looks so came from elsewhere.
    """
    used = {
        s: [
            slot.conditions.cores_used
            for slot in times.slots(workload, s, entry, "resident", (0,))
            if slot.voided is None and slot.conditions.cores_used is not None
        ]
        for s in times.sizes(workload)
    }
    read = {s: statistics.median(values) for s, values in used.items() if values}
    return read[min(read, key=lambda s: abs(math.log(s / size)))] if read else None


def cores_used(times: Times, pair: Pair, entry: str) -> float | None:
    """Return the median of the cores that an entry kept busy; None when it was not read."""
    rounds = times.rounds_of(pair.workload, pair.size, entry, pair.scope)
    slots = times.slots(pair.workload, pair.size, entry, pair.scope, rounds)
    used = [
        s.conditions.cores_used
        for s in slots
        if s.voided is None and s.conditions.cores_used is not None
    ]
    return statistics.median(used) if used else None
