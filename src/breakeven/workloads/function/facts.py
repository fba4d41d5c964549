"""What is known of the user's function before it is measured: times and bytes on NumPy by size."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec

from breakeven.model.case import Work
from breakeven.model.spec import DType
from breakeven.workloads.base import Need

AXIS = "n"
# A call is planned by its time on NumPy: a nanosecond counts as one operation.
PER_SECOND = 1e9
LEAST_S = 1e-7
# What a library holds beside a case: its code and caches, kernels, workspaces.
HOST_BYTES, DEVICE_BYTES = 64 << 20, 300 << 20
# Copies of its data that a process holds: the arguments as made, those in use, one answer and the
# one before it.
COPIES = 2


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """The function at one size, on NumPy.

    Attributes
    ----------
    call_s : float
        Seconds of a warm call.
    in_bytes, out_bytes : int
        Of the arrays among its arguments, and in its answer.
    held_bytes : int
        That the process came to hold beyond its arguments while it ran; 0 where it is not known.
    """

    call_s: float
    in_bytes: int = 0
    out_bytes: int = 0
    held_bytes: int = 0


class PlannedFunction:
    """The user's function as a plan sees it, over a size `n`.

    Parameters
    ----------
    seen : mapping
        What was seen at some sizes; between and beyond them it is read from a line in logarithms.
    """

    axis = AXIS

    def __init__(self, name: str, seen: Mapping[int, Seen]) -> None:
        self.name = name
        self.sizes = tuple(sorted(seen))
        self._seen = {n: seen[n] for n in self.sizes}

    def work(self, size: int, dtype: DType) -> Work:
        """Return the time of a call on NumPy as a number of operations: enough to plan by."""
        del dtype
        seconds = {n: max(s.call_s, LEAST_S) for n, s in self._seen.items()}
        moved = {n: float(s.in_bytes + s.out_bytes + 1) for n, s in self._seen.items()}
        return Work(flops=PER_SECOND * at(seconds, size), bytes=at(moved, size))

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes that a process holds while it measures this size."""
        del dtype
        data = {n: float(COPIES * (s.in_bytes + s.out_bytes) + 1) for n, s in self._seen.items()}
        held = {n: float(s.held_bytes + 1) for n, s in self._seen.items()}
        own = int(at(data, size) + at(held, size))
        return Need(host=own + HOST_BYTES, device=own + DEVICE_BYTES)


def at(known: Mapping[int, float], size: int) -> float:
    """Return the value at `size` on straight lines between what is known, in logarithms.

    Beyond the ends the last slope goes on, rising at least as the size does above the largest.
    """
    sizes = sorted(known)
    if size in known:
        return known[size]
    if len(sizes) == 1:
        return known[sizes[0]] * size / sizes[0]
    place = min(max(sum(s < size for s in sizes), 1), len(sizes) - 1)
    low, high = sizes[place - 1], sizes[place]
    slope = math.log(known[high] / known[low]) / math.log(high / low)
    if size > high:
        slope = max(slope, 1.0)
    return float(
        known[low if size < high else high] * (size / (low if size < high else high)) ** slope
    )
