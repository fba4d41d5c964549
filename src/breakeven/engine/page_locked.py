"""Copies from and to page-locked host memory, beside those of plain code."""

from __future__ import annotations

import statistics
from typing import Any, NamedTuple

from breakeven import units
from breakeven.backends.base import Backend, Opening
from breakeven.backends.device_clock import DeviceClock
from breakeven.engine.loop import repeats
from breakeven.model.spec import DType
from breakeven.workloads.planned import Planned

# Locking memory takes about as long as copying it several times.
BYTES_MOST = 256 << 20
LOCKED_BYTES_PER_S = 1e9


def foreseen_bytes(workload: Planned, size: int, dtype: DType) -> int:
    """Return at least the bytes of all inputs and results of a call, before they are made."""
    return int(min(workload.work(size, dtype).bytes, workload.need(size, dtype).device))


def locking_s(data_bytes: int) -> float:
    """Return the seconds that it is foreseen to take to lock the data of a call."""
    return data_bytes / LOCKED_BYTES_PER_S if data_bytes <= BYTES_MOST else 0.0


class Copies(NamedTuple):
    """Seconds of the copies of one call's data, memory locked beforehand; or why they failed."""

    to_device_s: float | None = None
    to_host_s: float | None = None
    why: str | None = None


def page_locked(
    backend: Backend,
    opening: Opening,
    tools: DeviceClock,
    host: tuple[Any, ...],
    results: tuple[Any, ...],
    seconds: float,
) -> Copies:
    """Time all inputs to the device, then all results to the host, each repeat awaited.

    Data of more than `BYTES_MOST` are not locked, and the reason is told.

    Parameters
    ----------
    host : tuple of array
        Inputs in pageable host memory; locked copies of them are made first, untimed.
    results : tuple
        Results of a call, on the device.
    seconds : float
        What each direction may take.
    """
    size = sum(a.nbytes for a in (*host, *results))
    if size > BYTES_MOST:
        return Copies(
            why=f"its data are {units.size_bytes(size)}, and no more than "
            f"{units.size_bytes(BYTES_MOST)} are locked for a test"
        )
    wait, clock = backend.synchronise, opening.clock
    sendings = [tools.sending(a) for a in host]
    landings = [tools.landing(a) for a in results]

    def there() -> None:
        for send in sendings:
            send()

    def back() -> None:
        for land in landings:
            land()

    going = repeats(there, wait, clock, seconds)
    coming = repeats(back, wait, clock, seconds)
    # The first copy of a process takes buffers that later ones reuse.
    return Copies(
        to_device_s=statistics.median(going[1:] or going),
        to_host_s=statistics.median(coming[1:] or coming),
    )
