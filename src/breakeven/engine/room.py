"""Whether all live workers of a round have the memory for a size, foreseen before it starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from breakeven import units
from breakeven.engine.page_locked import BYTES_MOST, foreseen_bytes
from breakeven.model.run import Entry
from breakeven.workloads.jobs import JobWorkload
from breakeven.workloads.planned import Planned

# What is free now is not all for arrays: libraries take workspaces, the system its caches.
MEMORY_SHARE = 0.9


def host_shortage(
    workload: Planned,
    size: int,
    entries: Sequence[Entry],
    free: int | None,
    *,
    locks: bool = False,
) -> str | None:
    """Return that the host memory is too short for all entries together; None when it is not.

    Parameters
    ----------
    entries : sequence of Entry
        Those that live together.
    free : int or None
        Bytes of host memory available now; None foresees nothing.
    locks : bool
        Whether GPU entries lock copies of their data as well: libraries keep what they locked.
    """

    def need(at: int) -> int:
        whole = sum(_on_host(workload, at, e) for e in entries)
        locked = (foreseen_bytes(workload, at, e.dtype) for e in entries if e.device != "cpu")
        return whole + (sum(min(BYTES_MOST, n) for n in locked) if locks else 0)

    return _shortage(workload, size, entries, free, need, "of host memory", "are free")


def _on_host(workload: Planned, size: int, entry: Entry) -> int:
    need = workload.need(size, entry.dtype)
    if isinstance(workload, JobWorkload):
        return workload.host_bytes_of(need, entry.device)
    return need.host


def device_shortage(
    workload: Planned, size: int, entries: Sequence[Entry], free: int | None
) -> str | None:
    """Return that the GPU's memory is too short for all entries together; None when it is not.

    Parameters
    ----------
    entries : sequence of Entry
        GPU entries that live together, contexts open.
    free : int or None
        Bytes of device memory that nobody held before the sizes of the round began.
    """

    def need(at: int) -> int:
        return sum(workload.need(at, e.dtype).device for e in entries)

    return _shortage(workload, size, entries, free, need, "of device memory", "are free on the GPU")


def _shortage(
    workload: Planned,
    size: int,
    entries: Sequence[Entry],
    free: int | None,
    need: Callable[[int], int],
    kind: str,
    have: str,
) -> str | None:
    if free is None or not entries or need(size) <= MEMORY_SHARE * free:
        return None
    count = len(entries)
    who = "1 process needs" if count == 1 else f"{count} processes that live together need"
    said = f"foreseen: {who} {units.size_bytes(need(size))} {kind}"
    said = f"{said}, and {units.size_bytes(free)} {have}"
    fitting = largest(size, lambda at: need(at) <= MEMORY_SHARE * free)
    room = [] if fitting is None else [f"{workload.axis} = {fitting} would fit"]
    alone = next(
        (k for k in range(count - 1, 0, -1) if k * need(size) <= MEMORY_SHARE * free * count), 0
    )
    if alone:
        room.append(f"this size with {alone} of the {count} (--backends)")
    return f"{said}; {', or '.join(room)}" if room else said


def largest(below: int, fits: Callable[[int], bool]) -> int | None:
    """Return the largest size under `below` that fits; None when not even 1 does.

    Need grows with size, so it is found by halving.
    """
    low, high = 0, below
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low or None
