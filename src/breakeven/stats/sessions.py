"""The difference between two sessions of one case, whose rounds do not pair."""

from __future__ import annotations

import math
from collections.abc import Sequence

from breakeven.stats.intervals import LEVEL, READING, Interval, interval
from breakeven.stats.quantile import t_quantile


def between(first: Sequence[float], second: Sequence[float]) -> Interval:
    """Return the mean of `first` less that of `second`, with the two intervals of the rule.

    Each side has the scale that the rule gives its rounds (few rounds lean on the spread that is
    expected). The standard errors add as those of independent means do, and the degrees of freedom
    are those of Welch (1947) and Satterthwaite (1946), rounded down.

    Parameters
    ----------
    first, second : sequence of float
        Logarithm of the time of each round.

    Returns
    -------
    Interval
        Its `n` is the smaller number of rounds, its `sd` the root mean square of both.

    Raises
    ------
    ValueError
        If a side has no value, or one is not finite.
    """
    one, other = interval(first), interval(second)
    parts = (one.scale**2 / one.n, other.scale**2 / other.n)
    square = math.fsum(parts)
    weights = parts[0] ** 2 / one.df + parts[1] ** 2 / other.df
    df = one.df + other.df if weights == 0 else max(1, math.floor(square**2 / weights + 1e-9))
    mean, error = one.mean - other.mean, math.sqrt(square)
    reading, verdict = t_quantile(READING, df) * error, t_quantile(LEVEL, df) * error
    return Interval(
        n=min(one.n, other.n),
        mean=mean,
        sd=math.sqrt((one.sd**2 + other.sd**2) / 2),
        scale=error * math.sqrt(min(one.n, other.n)),
        df=df,
        low=mean - reading,
        high=mean + reading,
        verdict_low=mean - verdict,
        verdict_high=mean + verdict,
    )
