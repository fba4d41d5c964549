"""The closed words of a verdict, with the looks at which they may be spoken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from breakeven.model.verdict import Word
from breakeven.stats.intervals import LOOKS, SAME, Interval, interval

SETTLED: frozenset[Word] = frozenset({"faster", "slower", "equivalent"})


class Look(NamedTuple):
    """What one look at the rounds so far says; margin as a log ratio."""

    interval: Interval
    margin: float
    word: Word


def word(seen: Interval, margin: float) -> Word:
    """Return the word for an interval of log ratios (over 0 the entry is faster).

    Parameters
    ----------
    margin : float
        Log ratio that the estimate must exceed, at least that of 1.05. It never widens what
        counts as equivalent: a noisy session must not make things equal.
    """
    low, high = seen.verdict_low, seen.verdict_high
    if low > 0 and seen.mean > margin:
        return "faster"
    if high < 0 and seen.mean < -margin:
        return "slower"
    if low > -SAME and high < SAME:
        return "equivalent"
    if low > 0:
        return "some_gain"
    if high < 0:
        return "some_loss"
    return "inconclusive"


def margin_of(aa: Sequence[float], rounds: int) -> float | None:
    """Return the margin that an A/A pair sets: the far bound of its 95 % interval.

    Parameters
    ----------
    aa : sequence of float
        Log ratios of the pair, one a round.
    rounds : int
        After how many rounds (or all there are).

    Returns
    -------
    float or None
        A log ratio, at least that of 1.05; None before the first look.
    """
    if len(aa) < LOOKS[0]:
        return None
    seen = interval(aa[:rounds])
    return max(SAME, seen.high, -seen.low)


def first_settled(values: Sequence[float], margin_at: Callable[[int], float]) -> Look | None:
    """Return the first look that settles, else the last look taken; None before the first.

    Parameters
    ----------
    values : sequence of float
        Log ratio of each round, in the order of the rounds.
    margin_at : callable
        Margin at a look, from the A/A pair after as many rounds.
    """
    found = None
    for look in LOOKS:
        if look > len(values):
            break
        seen = interval(values[:look])
        margin = margin_at(look)
        found = Look(seen, margin, word(seen, margin))
        if found.word in SETTLED:
            break
    return found
