"""The knee: the batch size from which on a larger one brings little."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from breakeven.stats.intervals import Mean, mean_of

WITHIN = 0.05
"""Throughput this close to the best counts as the best."""

_CLOSE = math.log(1 - WITHIN)


class Knee(NamedTuple):
    """Where throughput stops growing.

    Attributes
    ----------
    size : int
        Smallest batch whose throughput is within 5 % of the best measured.
    low, high : int or None
        Smallest that may be, and smallest that surely is, by the 95 % intervals of the paired
        ratios; None where fewer than two rounds measured both.
    best : int
        Batch of the best throughput.
    reached : bool
        False where only the largest batch is that close: throughput still grows there.
    sure : bool
        Whether the interval leaves no other answer to that.
    ratios : dict
        Throughput over the best, by size: log mean with interval; the best itself is 0.
    """

    size: int
    low: int | None
    high: int | None
    best: int
    reached: bool
    sure: bool
    ratios: dict[int, Mean]


def knee(rates: Mapping[int, Mapping[int, float]]) -> Knee | None:
    """Return the knee of throughput over batch size; None for fewer than two sizes.

    Sizes are compared within rounds, since what makes one process slow makes all its sizes slow.

    Parameters
    ----------
    rates : mapping
        Samples a second by batch size and round.
    """
    sizes = sorted(s for s, found in rates.items() if found)
    if len(sizes) < 2:
        return None
    best = max(sizes, key=lambda s: mean_of([math.log(v) for v in rates[s].values()]).value)
    ratios = {s: paired(rates[s], rates[best]) for s in sizes}
    size = next(s for s in sizes if ratios[s].value >= _CLOSE)
    known = all(r.low is not None for s, r in ratios.items() if s <= best)
    low = next(s for s in sizes if _end(ratios[s].high) >= _CLOSE) if known else None
    high = next(s for s in sizes if _end(ratios[s].low) >= _CLOSE) if known else None
    reached = size != sizes[-1]
    return Knee(
        size=size,
        low=low,
        high=high,
        best=best,
        reached=reached,
        sure=known and (high != sizes[-1] if reached else low == sizes[-1]),
        ratios=ratios,
    )


def paired(ours: Mapping[int, float], theirs: Mapping[int, float]) -> Mean:
    """Return the mean log ratio of two rates over the rounds that measured both.

    Without a round in common it is the ratio of their means, without an interval.
    """
    shared = sorted(ours.keys() & theirs.keys())
    if shared:
        return mean_of([math.log(ours[r] / theirs[r]) for r in shared])
    logs = [mean_of([math.log(v) for v in side.values()]).value for side in (ours, theirs)]
    return Mean(logs[0] - logs[1], None, None, 0)


def _end(value: float | None) -> float:
    return -math.inf if value is None else value
