"""Quantiles of Student's t distribution."""

from __future__ import annotations

import math
from functools import lru_cache

_TINY = 1e-300
_STEPS = 500


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function (modified Lentz)."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for term in (even, odd):
            d = 1.0 + term * d
            c = 1.0 + term / c
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = c if abs(c) > _TINY else _TINY
            change *= c * d
        value *= change
        if abs(change - 1.0) < 1e-15:
            return value
    message = f"the incomplete beta function did not converge at a={a}, b={b}, x={x}"
    raise ArithmeticError(message)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b).

    Parameters
    ----------
    a, b : float
        Shapes, over 0.
    x : float
        Upper end, from 0 to 1.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    """
    if a <= 0 or b <= 0 or not 0 <= x <= 1:
        message = f"incomplete_beta needs a, b > 0 and 0 <= x <= 1, got {a}, {b}, {x}"
        raise ValueError(message)
    if x in {0.0, 1.0}:
        return x
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    # The fraction converges fast only below the mean of the distribution; the rest is symmetry.
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _continued_fraction(a, b, x) / a
    return 1.0 - math.exp(log_front) * _continued_fraction(b, a, 1.0 - x) / b


def t_upper_tail(t: float, df: float) -> float:
    """Return the probability that Student's t with `df` degrees of freedom exceeds `t`."""
    if t < 0:
        return 1.0 - t_upper_tail(-t, df)
    return 0.5 * incomplete_beta(df / 2, 0.5, df / (df + t * t))


@lru_cache(maxsize=256)
def t_quantile(probability: float, df: float) -> float:
    """Return the value that Student's t stays below with the given probability.

    Parameters
    ----------
    probability : float
        Over 0 and under 1.
    df : float
        Degrees of freedom, at least 1.

    Returns
    -------
    float
        The quantile, to about twelve digits.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    """
    if not 0 < probability < 1 or df < 1:
        message = f"t_quantile needs 0 < probability < 1 and df >= 1, got {probability}, {df}"
        raise ValueError(message)
    if probability == 0.5:
        return 0.0
    if probability < 0.5:
        return -t_quantile(1.0 - probability, df)
    tail, low, high = 1.0 - probability, 0.0, 1.0
    while t_upper_tail(high, df) > tail:
        low, high = high, high * 2
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        low, high = (middle, high) if t_upper_tail(middle, df) > tail else (low, middle)
    return (low + high) / 2
