"""Intervals of derived figures, by drawing the measured units again with replacement."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import lru_cache

from breakeven.stats.intervals import READING
from breakeven.stats.quantile import t_quantile

DRAWS = 400
_SEED = 0
_NORMAL = 1.959963984540054


@lru_cache(maxsize=64)
def draws(n: int, count: int = DRAWS) -> tuple[tuple[int, ...], ...]:
    """Return `count` draws of `n` indices below `n`, with replacement, always the same."""
    rng = random.Random(_SEED)  # noqa: S311 - a fixed seed makes a report reproducible
    return tuple(tuple(rng.randrange(n) for _ in range(n)) for _ in range(count))


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which `share` of the ascending values lies, interpolated."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def widening(n: int) -> float:
    """Return by how much drawing `n` units again understates the spread of their mean.

    Drawing again divides by n instead of n - 1; it also knows nothing of the heavy tails of few
    units. With 3 units the 95 % interval of draws is 2.7 times too narrow, with 20 by 1.1.
    """
    if n < 2:
        message = f"one unit has no spread that could be drawn again, got n = {n}"
        raise ValueError(message)
    return t_quantile(READING, n - 1) / _NORMAL * math.sqrt(n / (n - 1))


def spread(
    statistic: Callable[[Sequence[int]], float], n: int, centre: float, count: int = DRAWS
) -> tuple[float, float]:
    """Return by how much a figure may lie below and above its estimate, at 95 %.

    Parameters
    ----------
    statistic : callable
        Figure for a list of `n` unit indices, on a scale on which differences make sense.
    n : int
        Units measured, at least 2.
    centre : float
        The estimate on the same scale.

    Returns
    -------
    tuple of float
        Distances down and up, both at least 0.
    """
    values = sorted(statistic(chosen) for chosen in draws(n, count))
    factor = widening(n)
    down = factor * max(0.0, centre - quantile(values, 1 - READING))
    up = factor * max(0.0, quantile(values, READING) - centre)
    return down, up
