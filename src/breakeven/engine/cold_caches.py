"""One call with its inputs in no cache: copies of them are rotated, beyond twice the last cache."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable
from typing import Any, NamedTuple

from breakeven import units
from breakeven.backends.base import Backend, Opening
from breakeven.engine.loop import repeats
from breakeven.machine.memory import read_memory
from breakeven.model.machine import Cpu
from breakeven.model.run import CacheTimes

CACHES = 2
COPIES_MOST = 1 << 14
# Memory for copies, and for the arrays that prove them cold.
BYTES_MOST = 2 << 30
MEMORY_SHARE = 0.25
RATE_S = 0.05
# Memory beyond all caches is copied as fast as twice as much of it; more than this is a cache.
RATE_APART = 1.25

Inputs = tuple[Any, ...]


class Rate(NamedTuple):
    """Bytes a second of copies beyond the last cache, read and write together; or why unknown."""

    bytes_per_s: float | None
    why: str | None = None


def last_cache_bytes(cpu: Cpu) -> int | None:
    """Return the bytes of the last caches that threads may use: those of all groups of cores.

    Of a machine that was read before groups were told apart, the one that its first CPU sees.
    """
    if cpu.last_caches_bytes is not None:
        return cpu.last_caches_bytes
    caches = cpu.caches_bytes
    return caches[max(caches, key=lambda name: (name[1:2], caches[name]))] if caches else None


def copies_for(input_bytes: int, cache_bytes: int) -> int:
    """Return how many copies there must be, so that all others pass the cache between two uses."""
    return max(2, math.ceil(CACHES * cache_bytes / input_bytes) + 1)


def copy_rate(backend: Backend, opening: Opening, cache_bytes: int) -> Rate:
    """Return the rate of a copy of twice the cache; unknown where twice as much is slower.

    Each element is negated where it lies: read once and written once, which every library does.
    """
    import numpy as np  # noqa: PLC0415  after the backend was opened

    extent = CACHES * cache_bytes
    short = _too_much(2 * extent)
    if short is not None:
        return Rate(None, short)
    host = np.arange(2 * extent // 4, dtype=np.float32)
    whole = backend.to_device(host)
    rates = []
    for part in (len(host) // 2, len(host)):
        took = _copy_s(backend, opening, whole[:part])
        rates.append(2 * 4 * part / took)
    if rates[0] > RATE_APART * rates[1]:
        return Rate(
            None,
            f"unproven: {units.size_bytes(extent)} are copied at {units.rate(rates[0], 'B/s')}, "
            f"twice as much at {units.rate(rates[1], 'B/s')}",
        )
    return Rate(rates[0])


def _copy_s(backend: Backend, opening: Opening, array: Any) -> float:  # noqa: ANN401  the library's own
    wait, clock = backend.synchronise, opening.clock

    def copy() -> object:
        return opening.xp.negative(array, out=array)

    # The first may find a part where it was made.
    repeats(copy, wait, clock, 0.0)
    return statistics.median(repeats(copy, wait, clock, RATE_S))


def cold_times(
    call: Callable[[Inputs], object],
    host: Inputs,
    device: Inputs,
    backend: Backend,
    opening: Opening,
    *,
    cache_bytes: int,
    rate: Callable[[], Rate],
    seconds: float,
) -> CacheTimes:
    """Time a call on inputs that stay, then on copies in turn, each repeat awaited.

    Parameters
    ----------
    call : callable
        The work, given its inputs.
    host, device : tuple of array
        Inputs in host memory, and where the work is done.
    rate : callable
        Returns what `copy_rate` finds for this cache; asked only where copies can be made.
    seconds : float
        What each of the two may take.
    """
    size = sum(a.nbytes for a in device)
    count = copies_for(size, cache_bytes)
    why = _why_not(size, count, cache_bytes)
    proof = Rate(None, why) if why is not None else rate()
    if proof.why is not None:
        return CacheTimes(why=proof.why)
    on_cpu = backend.about.device == "cpu"
    copies = [
        tuple(backend.to_device(_again(a) if on_cpu else a) for a in host) for _ in range(count)
    ]
    wait, clock = backend.synchronise, opening.clock
    wait()
    turns = itertools.cycle(copies)
    # The copies were made in this order: the first is the one that left the cache longest ago.
    cold = repeats(lambda: call(next(turns)), wait, clock, seconds)
    call(copies[0])
    hot = repeats(lambda: call(copies[0]), wait, clock, seconds)
    return CacheTimes(
        hot_s=statistics.median(hot),
        cold_s=statistics.median(cold),
        copies=count,
        cold_bytes=count * size,
        copy_bytes_per_s=proof.bytes_per_s,
    )


def _again(array: Any) -> Any:  # noqa: ANN401  NumPy, or a tensor of a precision that it lacks
    return array.clone() if hasattr(array, "clone") else array.copy()


def _why_not(size: int, count: int, cache_bytes: int) -> str | None:
    if size >= CACHES * cache_bytes:
        cache = units.size_bytes(cache_bytes)
        return f"its inputs cover more than twice the cache of {cache}: no call finds them there"
    if count > COPIES_MOST:
        return f"{count} copies of its inputs would be needed, and {COPIES_MOST} are made at most"
    return _too_much(count * size)


def _too_much(wanted: int) -> str | None:
    """Return why so many bytes are not taken, on the host or a device; None if they may be.

    What a device holds is made on the host: its free memory is the limit of both.
    """
    free = read_memory().available_bytes
    most = BYTES_MOST if free is None else min(BYTES_MOST, int(MEMORY_SHARE * free))
    if wanted <= most:
        return None
    return (
        f"copies need {units.size_bytes(wanted)}, and {units.size_bytes(most)} are taken at most, "
        "as free host memory allows, of a GPU's memory too"
    )
