"""Words of every conclusion, with numbers that come with their intervals."""

from __future__ import annotations

from typing import Literal

import msgspec

Scope = Literal["resident", "transfer", "cold"]
Word = Literal[
    "faster", "slower", "equivalent", "some_gain", "some_loss", "inconclusive", "withheld"
]
BEST_CPU = "best-cpu"


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A number that cannot be had without its interval.

    Attributes
    ----------
    low, high : float
        Ends of the interval.
    level : float
        Nominal coverage of the interval, such as 0.95.
    n : int
        Units of replication behind it (rounds, or fresh processes).
    """

    value: float
    low: float
    high: float
    level: float
    n: int
