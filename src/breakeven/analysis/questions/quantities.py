"""Figures of rounds, made into quantities with their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping

from breakeven.model.questions import Quantity, Unit
from breakeven.stats.intervals import mean_of

ONE_ROUND = "one round gives no interval"


def mean(
    name: str, unit: Unit, by_round: Mapping[int, float], *, method: str | None = None
) -> Quantity:
    """Return the mean over rounds; its interval stays where such a figure can lie.

    Parameters
    ----------
    by_round : mapping
        One figure a round (a fresh process), at least one.
    """
    found = mean_of([by_round[r] for r in sorted(by_round)])
    low, high = found.low, found.high
    if unit != "C" and low is not None and min(by_round.values()) >= 0:
        low = max(low, 0.0)
    if unit == "share" and high is not None:
        high = min(high, max(1.0, found.value))
    return _quantity(name, unit, found.value, low, high, found.n, method)


def geometric(
    name: str, unit: Unit, by_round: Mapping[int, float], *, method: str | None = None
) -> Quantity:
    """Return the geometric mean over rounds, for times and rates: their noise is a factor.

    Parameters
    ----------
    by_round : mapping
        One figure over 0 a round, at least one.
    """
    found = mean_of([math.log(by_round[r]) for r in sorted(by_round)])
    low = None if found.low is None else math.exp(found.low)
    high = None if found.high is None else math.exp(found.high)
    return _quantity(name, unit, math.exp(found.value), low, high, found.n, method)


def missing(name: str, unit: Unit, why: str, fix: str | None = None) -> Quantity:
    """Return a figure that could not be had, with the reason."""
    return Quantity(name=name, unit=unit, why=why, fix=fix)


def single(name: str, unit: Unit, value: float, *, method: str, why: str) -> Quantity:
    """Return a figure that was read once in all: `why` says what keeps it without an interval."""
    return Quantity(name=name, unit=unit, value=value, n=1, method=method, why=why)


def scaled(quantity: Quantity, factor: float, name: str) -> Quantity:
    """Return a quantity times a number that is known exactly, under another name."""

    def times(value: float | None) -> float | None:
        return None if value is None else value * factor

    return Quantity(
        name=name,
        unit=quantity.unit,
        value=times(quantity.value),
        low=times(quantity.low),
        high=times(quantity.high),
        n=quantity.n,
        method=quantity.method,
        why=quantity.why,
        fix=quantity.fix,
    )


def _quantity(
    name: str,
    unit: Unit,
    value: float,
    low: float | None,
    high: float | None,
    n: int,
    method: str | None,
) -> Quantity:
    why = ONE_ROUND if n == 1 else None
    return Quantity(
        name=name, unit=unit, value=value, low=low, high=high, n=n, method=method, why=why
    )
