"""The shortest times that can be told apart in one worker."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import msgspec

from breakeven.backends.base import Backend, Opening
from breakeven.engine.device_times import empty_kernel_s, issue_of
from breakeven.engine.loop import Call
from breakeven.model.run import Floors

FLOOR_REPEATS = 2000


def floors_of(backend: Backend, opening: Opening, *, detail: bool = False) -> Floors:
    """Measure the floors of every clock of an opened backend.

    Parameters
    ----------
    detail : bool
        Whether to read an empty kernel behind a full queue as well.
    """
    clock, wait = opening.clock, backend.synchronise
    empty = statistics.median(_several(lambda: None, lambda: None, clock))
    waiting, pair = None, None
    if backend.about.device != "cpu" and opening.device_seconds is not None:
        waiting = statistics.median(_several(wait, lambda: None, clock))
        pair = statistics.median(
            opening.device_seconds(lambda: None) for _ in range(FLOOR_REPEATS // 20)
        )
    tools, kernel = opening.device_clock, None
    if detail and tools is not None:
        try:
            kernel = empty_kernel_s(tools, wait, clock, issue_of(tools.empty, wait, clock))
        except Exception:  # noqa: BLE001  a compiler or a driver fails with errors of its own: no floor then
            kernel = None
    return Floors(
        empty_call_s=empty,
        message_s=0.0,
        synchronise_s=waiting,
        event_pair_s=pair,
        empty_kernel_s=kernel,
    )


def _several(call: Call, wait: Call, clock: Callable[[], float]) -> list[float]:
    times = []
    for _ in range(FLOOR_REPEATS):
        begin = clock()
        call()
        wait()
        times.append(clock() - begin)
    return times


def with_message(floors: Floors, message_s: float) -> Floors:
    """Return `floors` with the time of one message to the worker and back."""
    return msgspec.structs.replace(floors, message_s=message_s)
