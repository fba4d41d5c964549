"""One timed block: a call repeated on one clock, each repeat awaited to its end."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from breakeven.engine.steadiness import RAMP_S, ClockSteadiness

STEADY_REPEATS, STEADY_SPREAD = 5, 0.02
# A first call at a new size takes buffers that later ones reuse: fewer calls are never warm.
LEAST_CALLS = 3
BLOCK_S = 1e-3
MAX_REPEATS = 100_000

Clock = Callable[[], float]
Call = Callable[[], object]


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect no garbage until the end.

    What is garbage already is collected when a case is set up: a collection takes tens of
    milliseconds once a framework is loaded, longer than many a slot.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def clear_garbage() -> None:
    """Collect garbage now, and have later collections pass over what is still alive."""
    gc.collect()
    gc.freeze()


def repeats(
    call: Call, wait: Call, clock: Clock, seconds: float, ready: Call | None = None
) -> list[float]:
    """Time single calls until they add up to `seconds`; at least one.

    Parameters
    ----------
    call : callable
        The work; its result is dropped before the next repeat.
    wait : callable
        Returns when the device is idle; inside the timed piece, as a caller waits for it.
    ready : callable, optional
        Makes what a call uses up, before each repeat and untimed.

    Returns
    -------
    list of float
        Seconds of each repeat.
    """
    times: list[float] = []
    total = 0.0
    with no_collection():
        while total < seconds or not times:
            if ready is not None:
                ready()
            begin = clock()
            call()
            wait()
            took = clock() - begin
            times.append(took)
            total += took
            if len(times) >= MAX_REPEATS:
                break
    return times


def unit_of(call: Call, wait: Call, calls: int) -> Call:
    """Return the work that is timed as one piece: a call, or several, each awaited but the last.

    The timing loop awaits the last one, so that a unit of eleven calls is worth eleven units of
    one: a known difference.
    """
    if calls == 1:
        return call

    def unit() -> None:
        for _ in range(calls - 1):
            call()
            wait()
        call()

    return unit


def issue_times(call: Call, wait: Call, clock: Clock, seconds: float) -> list[float]:
    """Time calls until they return, waiting for the device between them, untimed."""
    times: list[float] = []
    begin_all = clock()
    with no_collection():
        while clock() - begin_all < seconds or not times:
            begin = clock()
            call()
            times.append(clock() - begin)
            wait()
            if len(times) >= MAX_REPEATS:
                break
    return times


def warm_up(
    call: Call, wait: Call, clock: Clock, most_s: float, gpu: ClockSteadiness | None = None
) -> tuple[float, bool]:
    """Repeat until the last five blocks vary by under 2 %, for `most_s` seconds at most.

    At least three calls are made, unless they take over three times `most_s`. A block is one
    call, or as many as last a millisecond.

    Parameters
    ----------
    gpu : ClockSteadiness, optional
        Looks at the SM clock between blocks, which has to be steady too. One that still rises is
        given half a second more.

    Returns
    -------
    tuple of float, bool
        Seconds of one call in the last block; whether it became steady.
    """
    begin = clock()
    blocks: list[float] = []
    count = done = 1
    while True:
        start = clock()
        for _ in range(count):
            call()
            wait()
        took = clock() - start
        done += count
        if took < BLOCK_S and count < MAX_REPEATS:
            count *= 2
            blocks.clear()
        else:
            blocks.append(took)
        last = blocks[-STEADY_REPEATS:]
        steady = len(last) == STEADY_REPEATS and (
            max(last) - min(last) <= STEADY_SPREAD * statistics.median(last)
        )
        if gpu is not None:
            gpu.look()
        spent = clock() - begin
        most = most_s + RAMP_S if gpu is not None and gpu.rising else most_s
        settled = steady and (gpu is None or gpu.steady is not False)
        if settled or (spent >= most and (done > LEAST_CALLS or spent > 3 * most_s)):
            return took / count, steady
