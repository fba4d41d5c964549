"""Percentiles of single readings, with intervals that assume no distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from breakeven.stats.quantile import incomplete_beta

LEVEL = 0.95
_ROUNDING = 1e-9


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """Return the smallest reading that at least a `share` of all does not exceed.

    Parameters
    ----------
    ordered : sequence of float
        Ascending.
    share : float
        Over 0 and under 1: 0.99 for the 99th percentile.

    Returns
    -------
    float or None
        None where the readings are too few for one to lie beyond it: fewer than 100 for 0.99.
    """
    _check(share)
    n = len(ordered)
    if n * (1 - share) < 1 - _ROUNDING or n * share < 1 - _ROUNDING:
        return None
    return ordered[math.ceil(n * share - _ROUNDING) - 1]


def interval(
    ordered: Sequence[float], share: float, level: float = LEVEL
) -> tuple[float, float] | None:
    """Return two readings between which the percentile lies, at the level asked for or over it.

    Order statistics: how many of `n` independent readings lie below a percentile is binomial,
    whatever they are distributed by (David and Nagaraja, "Order statistics", section 7.1). Readings
    of one process are not quite independent: an interval over several processes says more.

    Returns
    -------
    tuple of float or None
        None where there are too few readings: `readings_needed`.
    """
    ranks = interval_ranks(len(ordered), share, level)
    return None if ranks is None else (ordered[ranks[0] - 1], ordered[ranks[1] - 1])


def interval_ranks(n: int, share: float, level: float = LEVEL) -> tuple[int, int] | None:
    """Return the ranks, counted from 1, of the two readings that bound a percentile.

    Each end leaves out at most half of what the level leaves.
    """
    _check(share)
    tail = (1 - level) / 2
    # Below the lower rank: at most `low - 1` of n readings lie under the percentile.
    low = _largest(lambda rank: _at_most(rank - 1, n, share) <= tail, n)
    high = _largest(lambda rank: _at_most(rank - 1, n, 1 - share) <= tail, n)
    return None if low == 0 or high == 0 else (low, n + 1 - high)


def readings_needed(share: float, level: float = LEVEL) -> int:
    """Return the fewest readings that give a percentile an interval."""
    _check(share)
    tail = (1 - level) / 2
    rarer = max(share, 1 - share)
    return math.ceil(math.log(tail) / math.log(rarer) - _ROUNDING)


def _check(share: float) -> None:
    if not 0 < share < 1:
        message = f"a percentile needs a share over 0 and under 1, got {share}"
        raise ValueError(message)


def _largest(holds: Callable[[int], bool], n: int) -> int:
    """Return the largest rank from 1 to n that holds, by bisection; 0 where none does."""
    low, high = 0, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _at_most(count: int, n: int, share: float) -> float:
    """Return the chance that at most `count` of n independent readings lie below a percentile."""
    if count < 0:
        return 0.0
    if count >= n:
        return 1.0
    return incomplete_beta(n - count, count + 1, 1 - share)
