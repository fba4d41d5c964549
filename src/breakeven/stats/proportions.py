"""Intervals of accuracies: one, the difference of two, and two on the same images."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

from breakeven.stats.quantile import incomplete_beta

LEVEL = 0.95


class Share(NamedTuple):
    """A share, or a difference of two, with its interval."""

    value: float
    low: float
    high: float


class Paired(NamedTuple):
    """How two models answered the same images.

    Attributes
    ----------
    both, first, second, neither : int
        Images that both, only the first, only the second, and neither answered rightly.
    """

    both: int
    first: int
    second: int
    neither: int

    @property
    def total(self) -> int:
        """Return the number of images."""
        return sum(self)


def paired(wrong_first: frozenset[int], wrong_second: frozenset[int], total: int) -> Paired:
    """Return how two models answered, from the places of the images that each got wrong.

    Raises
    ------
    ValueError
        If a place lies outside the images.
    """
    missed = wrong_first | wrong_second
    if missed and not 0 <= min(missed) <= max(missed) < total:
        message = f"there are {total} images, and a wrong one at {min(missed)} or {max(missed)}"
        raise ValueError(message)
    return Paired(
        both=total - len(missed),
        first=len(wrong_second - wrong_first),
        second=len(wrong_first - wrong_second),
        neither=len(wrong_first & wrong_second),
    )


def wilson(correct: int, total: int, level: float = LEVEL) -> Share:
    """Return a share with the score interval of Wilson (1927).

    Parameters
    ----------
    correct, total : int
        Rightly answered, asked.

    Raises
    ------
    ValueError
        If nothing was asked, or more was answered than asked.
    """
    if total < 1 or not 0 <= correct <= total:
        message = f"wilson needs 0 <= correct <= total and total > 0, got {correct} of {total}"
        raise ValueError(message)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = correct / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    reach = z / (1 + z * z / total)
    reach *= math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    # At the ends the interval ends there: rounding must not leave the share outside of it.
    return Share(
        value=share,
        low=0.0 if correct == 0 else min(share, middle - reach),
        high=1.0 if correct == total else max(share, middle + reach),
    )


def difference(
    correct: int, total: int, base_correct: int, base_total: int, level: float = LEVEL
) -> Share:
    """Return a share less the base's, of different images, by Newcombe's hybrid of two Wilsons.

    Newcombe, "Interval estimation for the difference between independent proportions: comparison
    of eleven methods", 1998, method 10.
    """
    ours, base = wilson(correct, total, level), wilson(base_correct, base_total, level)
    value = ours.value - base.value
    return Share(
        value=value,
        low=value - math.hypot(ours.value - ours.low, base.high - base.value),
        high=value + math.hypot(ours.high - ours.value, base.value - base.low),
    )


def paired_difference(counts: Paired, level: float = LEVEL) -> Share:
    """Return the first share less the second, of the same images.

    Newcombe, "Improved confidence intervals for the difference between binomial proportions based
    on paired data", 1998, method 10: the hybrid above, narrowed by how far the two agree image by
    image. This is what two accuracies are compared by where each answer was kept, as an image that
    is hard to read is so for both; McNemar's test of the same counts says only whether they
    differ, and no interval by how much.
    """
    both, only_first, only_second, _ = counts
    n = counts.total
    first, second = wilson(both + only_first, n, level), wilson(both + only_second, n, level)
    value, phi = (only_first - only_second) / n, _correlation(counts)

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))

    return Share(
        value=value,
        low=value - reach(first.value - first.low, second.high - second.value),
        high=value + reach(first.high - first.value, second.value - second.low),
    )


def _correlation(counts: Paired) -> float:
    both, only_first, only_second, neither = counts
    margins = (both + only_first) * (only_second + neither)
    margins *= (both + only_second) * (only_first + neither)
    if margins == 0:
        return 0.0
    product = float(both * neither - only_first * only_second)
    if product > 0:
        product = max(product - counts.total / 2, 0.0)
    return product / math.sqrt(margins)


def mcnemar(counts: Paired) -> float:
    """Return the chance of answers that differ as unevenly if neither model were better.

    McNemar's test in its exact form: two-sided, from the binomial distribution of the images that
    only one of the two answered rightly.
    """
    apart, fewer = counts.first + counts.second, min(counts.first, counts.second)
    if 2 * fewer >= apart:
        return 1.0
    # Chance of at most `fewer` in `apart` even throws.
    return min(1.0, 2 * incomplete_beta(apart - fewer, fewer + 1, 0.5))
