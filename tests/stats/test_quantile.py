"""Quantiles of Student's t."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.stats.quantile import incomplete_beta, t_quantile, t_upper_tail

# Probability, degrees of freedom, quantile: computed with SciPy 1.16.
TABLE = [
    (0.975, 1, 12.706204736174694),
    (0.975, 2, 4.302652729749462),
    (0.975, 4, 2.7764451051977934),
    (0.975, 6, 2.4469118511449786),
    (0.975, 19, 2.0930240544083087),
    (0.99925, 1, 424.4123961799174),
    (0.99925, 6, 5.510588092320948),
    (0.99925, 7, 5.037907711814382),
    (0.99925, 8, 4.721118326362303),
    (0.99925, 11, 4.194271591088871),
    (0.99925, 19, 3.7057363669406005),
    (0.6, 3, 0.2766706623326898),
    (0.9999, 30, 4.23398595727206),
]


@pytest.mark.parametrize(("probability", "df", "expected"), TABLE)
def test_quantiles_agree_with_published_ones(probability: float, df: int, expected: float) -> None:
    """Every quantile that the rule uses agrees with SciPy's to ten digits."""
    assert t_quantile(probability, df) == pytest.approx(expected, rel=1e-10)


@given(st.floats(0.501, 0.99999), st.integers(1, 60))
def test_quantile_inverts_the_tail(probability: float, df: int) -> None:
    """The tail beyond a quantile is the probability that it was asked for."""
    assert t_upper_tail(t_quantile(probability, df), df) == pytest.approx(1 - probability, rel=1e-8)


@given(st.floats(0.01, 0.99), st.integers(1, 60))
def test_quantiles_are_symmetric(probability: float, df: int) -> None:
    """Student's t is symmetric about 0."""
    mirrored = -t_quantile(1 - probability, df)
    assert t_quantile(probability, df) == pytest.approx(mirrored, rel=1e-9, abs=1e-9)


@given(st.floats(0.2, 20), st.floats(0.2, 20), st.floats(0.001, 0.999))
def test_incomplete_beta_is_symmetric(a: float, b: float, x: float) -> None:
    """I_x(a, b) and I_1-x(b, a) add up to 1."""
    assert incomplete_beta(a, b, x) + incomplete_beta(b, a, 1 - x) == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize(("probability", "df"), [(0.0, 3), (1.0, 3), (0.9, 0.5)])
def test_quantile_refuses_what_has_none(probability: float, df: float) -> None:
    """A probability of 0 or 1, or less than one degree of freedom, has no quantile."""
    with pytest.raises(ValueError, match="t_quantile needs"):
        t_quantile(probability, df)


def test_incomplete_beta_refuses_arguments_out_of_range() -> None:
    """The incomplete beta function ends at 1."""
    with pytest.raises(ValueError, match="incomplete_beta needs"):
        incomplete_beta(1.0, 1.0, 1.5)
