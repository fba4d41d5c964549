"""Drawn log ratios judged by the package's own rule, as one session judges a comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from breakeven.analysis.rule import SETTLED, first_settled, margin_of
from breakeven.stats.intervals import LOOKS, SAME, interval, rounds_to_settle

Array = npt.NDArray[np.float64]
WINNERS = frozenset({"faster", "slower"})
ROUNDS = LOOKS[-1]


class Judged(NamedTuple):
    """One drawn comparison.

    Attributes
    ----------
    word : str
        ``withheld`` where the A/A pair beside it names a winner.
    rounds : int
        Rounds at the look that decided, or at the last one.
    told : tuple of tuple
        For each look that was open: its rounds, and the rounds in all that it asked for; None
        where it said that even the last look would not settle it.
    """

    word: str
    rounds: int
    told: tuple[tuple[int, int | None], ...] = ()


class Told(NamedTuple):
    """How the rounds told turned out.

    Attributes
    ----------
    at : int
        Rounds after which they were told.
    times : int
        How often.
    kept : int
        How often a winner was named by then.
    never, found : int
        How often it was said that no look would do, and how often one did all the same.
    """

    at: int
    times: int
    kept: int
    never: int
    found: int


def judge(values: Sequence[float], aa: Sequence[float] | None) -> Judged:
    """Judge one comparison look by look, its A/A pair beside it.

    Parameters
    ----------
    values : sequence of float
        Log ratio of each round.
    aa : sequence of float or None
        Those of the A/A pair, for margin and gate; None leaves both out.
    """

    def margin_at(look: int) -> float:
        return (margin_of(aa, look) if aa is not None else None) or SAME

    found = first_settled(values, margin_at)
    if found is None:
        return Judged("withheld", len(values))
    rounds = found.interval.n
    if aa is not None:
        beside = first_settled(aa[:rounds], lambda _: SAME)
        if beside is not None and beside.word in WINNERS:
            return Judged("withheld", rounds)
    return Judged(found.word, rounds, _told(values, rounds, margin_at, found.word))


def _told(
    values: Sequence[float], rounds: int, margin_at: Callable[[int], float], word: str
) -> tuple[tuple[int, int | None], ...]:
    """Return what each open look asked for: its rounds, and those that would settle it."""
    said = []
    for look in LOOKS:
        if look > rounds or look == LOOKS[-1] or (look == rounds and word in SETTLED):
            break
        seen = interval(values[:look])
        said.append((look, rounds_to_settle(seen.mean, seen.sd, margin_at(look), look)))
    return tuple(said)


def judge_all(values: Array, aa: Array | None) -> list[Judged]:
    """Judge drawn comparisons, one a row."""
    beside = aa.tolist() if aa is not None else [None] * len(values)
    return [judge(row, other) for row, other in zip(values.tolist(), beside, strict=True)]


def share(judged: Sequence[Judged], words: frozenset[str]) -> float:
    """Return the share of comparisons with one of these words."""
    return sum(j.word in words for j in judged) / len(judged)


def told_right(judged: Sequence[Judged]) -> list[Told]:
    """Return how often a winner was named within the rounds told, by the look that told them."""
    rows = []
    for look in LOOKS:
        said = [(j, needed) for j in judged for at, needed in j.told if at == look]
        told = [(j, needed) for j, needed in said if needed is not None]
        kept = sum(j.word in WINNERS and j.rounds <= needed for j, needed in told)
        never = [j for j, needed in said if needed is None]
        found = sum(j.word in WINNERS for j in never)
        if said:
            rows.append(Told(look, len(told), kept, len(never), found))
    return rows


def bound(events: int, trials: int) -> float:
    """Return the rate that is excluded at 95 % by so many events (exact, one-sided).

    Solved on the binomial distribution; without an event it is close to 3 over the trials.
    """
    if trials == 0 or events >= trials:
        return 1.0
    low, high = events / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        below = sum(
            math.exp(
                math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
                + k * math.log(middle) + (trials - k) * math.log1p(-middle)
            )
            for k in range(events + 1)
        )  # fmt: skip
        low, high = (middle, high) if below > 0.05 else (low, middle)
    return high
