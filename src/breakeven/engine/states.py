"""Slots in which two threads shared a core: seen by their length, a whole number of time slices."""

from __future__ import annotations

SLICES_S = (4e-3, 3e-3)
NEAR = 0.05
TIMES_BEST = 10.0


def stalled(seconds: float, best_s: float) -> bool:
    """Tell whether a slot's median reads as a stall.

    It does when it is ten times the best slot and more, and within 5 % of a whole multiple of the
    scheduler's time slice (4 ms; 3 ms on kernels that share out by deadline).
    """
    if best_s <= 0 or seconds < TIMES_BEST * best_s:
        return False
    return any(_near_multiple(seconds, unit) for unit in SLICES_S)


def _near_multiple(seconds: float, unit: float) -> bool:
    whole = round(seconds / unit)
    return whole >= 1 and abs(seconds - whole * unit) <= NEAR * unit * max(1, min(whole, 4))
