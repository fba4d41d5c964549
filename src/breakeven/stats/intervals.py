"""The one rule by which rounds become an interval.

The constants are the calibrated ones: they were chosen on identical work measured on shared
machines so that false winners stay under 0.5 % over all five looks. They stand here alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from breakeven.stats.quantile import t_quantile

LOOKS = (3, 5, 8, 12, 20)
"""Numbers of rounds at which a verdict may be spoken; there are no others."""

PRIOR_SD = 0.20
"""Spread of the log ratio from round to round that is expected before there are many rounds."""

PRIOR_DF = 4
"""Rounds' worth of weight of that expectation."""

PRIOR_BELOW = 8
"""From this many rounds on the measured spread stands alone."""

WIDE_SD = 0.40
"""Over this spread the expectation is wrong, so the measured spread stands alone."""

LEVEL = 0.99925
"""One-sided level of the interval that a verdict hangs on."""

READING = 0.975
"""One-sided level of the interval that is shown for reading (95 %)."""

SAME = math.log(1.05)
"""Log ratio below which two times are called alike; the least margin of any winner."""

POWER = 1.65
"""Standard errors of room for a 95 % chance that the told number of rounds settles it."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Mean log ratio of some rounds with its two intervals.

    Attributes
    ----------
    n : int
        Rounds.
    mean, sd : float
        Mean and sample standard deviation of the log ratios (0 for one round).
    scale, df : float
        Scale and degrees of freedom that the rule used.
    low, high : float
        Ends at the reading level (95 %).
    verdict_low, verdict_high : float
        Ends at the level that a verdict hangs on.
    """

    n: int
    mean: float
    sd: float
    scale: float
    df: int
    low: float
    high: float
    verdict_low: float
    verdict_high: float


def interval(values: Sequence[float]) -> Interval:
    """Return the mean of the rounds' log ratios with its intervals.

    Parameters
    ----------
    values : sequence of float
        One log ratio a round. With one or two rounds the interval rests mostly on the expected
        spread: it may be read, no verdict hangs on it.

    Raises
    ------
    ValueError
        If there is no value, or one is not finite.
    """
    n = len(values)
    mean = _mean(values, "interval")
    squares = math.fsum((v - mean) ** 2 for v in values)
    sd = math.sqrt(squares / (n - 1)) if n > 1 else 0.0
    if n < PRIOR_BELOW and sd <= WIDE_SD:
        df = PRIOR_DF + n - 1
        scale = math.sqrt((PRIOR_DF * PRIOR_SD**2 + (n - 1) * sd**2) / df)
    else:
        df, scale = n - 1, sd
    error = scale / math.sqrt(n)
    reading, verdict = t_quantile(READING, df) * error, t_quantile(LEVEL, df) * error
    return Interval(
        n=n,
        mean=mean,
        sd=sd,
        scale=scale,
        df=df,
        low=mean - reading,
        high=mean + reading,
        verdict_low=mean - verdict,
        verdict_high=mean + verdict,
    )


@dataclass(frozen=True, slots=True)
class Mean:
    """Mean of some rounds with its 95 % interval; a single round has none.

    Attributes
    ----------
    low, high : float or None
        Ends of the interval; None for one round.
    """

    value: float
    low: float | None
    high: float | None
    n: int


def mean_of(values: Sequence[float]) -> Mean:
    """Return the mean of rounds with the interval of Student's t at the reading level.

    It is for figures that are read, and no verdict hangs on: nothing is expected of their spread
    beforehand, so that few rounds give a wide interval.

    Parameters
    ----------
    values : sequence of float
        One a round.

    Raises
    ------
    ValueError
        If there is no value, or one is not finite.
    """
    n = len(values)
    mean = _mean(values, "mean_of")
    if n == 1:
        return Mean(mean, None, None, 1)
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    half = t_quantile(READING, n - 1) * sd / math.sqrt(n)
    return Mean(mean, mean - half, mean + half, n)


def next_look(n: int) -> int | None:
    """Return the first look after `n` rounds; None after the last."""
    return min((look for look in LOOKS if look > n), default=None)


def rounds_to_settle(mean: float, sd: float, margin: float, after: int) -> int | None:
    """Return the rounds that would name a winner with a chance of 95 %, if this is the truth.

    Parameters
    ----------
    mean, sd : float
        Log ratio and its standard deviation from round to round.
    margin : float
        Log ratio that a winner must exceed.
    after : int
        Rounds already looked at; the answer is a later look.

    Returns
    -------
    int or None
        A look of 8 or more; None when even the last one would not do.
    """
    for look in LOOKS:
        if look < PRIOR_BELOW or look <= after:
            continue
        error = sd / math.sqrt(look)
        beyond_one = (t_quantile(LEVEL, look - 1) + POWER) * error < abs(mean)
        if beyond_one and margin + POWER * error < abs(mean):
            return look
    return None


def lag_one_correlation(values: Sequence[float]) -> float | None:
    """Return the correlation of each value with the one before; None where it is undefined."""
    if len(values) < 3:
        return None
    mean = math.fsum(values) / len(values)
    centred = [v - mean for v in values]
    total = math.fsum(c * c for c in centred)
    if total == 0:
        return None
    return math.fsum(a * b for a, b in pairwise(centred)) / total


def _mean(values: Sequence[float], name: str) -> float:
    """Return the mean; refuse no value at all, and one that is not finite."""
    if len(values) == 0 or not all(math.isfinite(v) for v in values):
        message = f"{name} needs at least one finite value, got {list(values)}"
        raise ValueError(message)
    return math.fsum(values) / len(values)
