"""Least squares whose coefficients cannot be negative."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.stats.least_squares import nonnegative, solve, squared_error

POINTS = [(1.0, 1.0), (1.0, 2.0), (1.0, 4.0), (1.0, 8.0)]
coefficients = st.floats(min_value=1e-6, max_value=1e6)


@given(coefficients, coefficients)
def test_a_planted_law_is_recovered(constant: float, slope: float) -> None:
    """Values that follow the columns exactly give back their coefficients."""
    values = [constant * a + slope * b for a, b in POINTS]
    found = nonnegative(POINTS, values)
    assert squared_error(POINTS, values, found) <= 1e-12 * sum(v * v for v in values)


@given(st.lists(st.floats(min_value=-10, max_value=10), min_size=4, max_size=4))
def test_no_coefficient_is_negative_and_no_other_choice_is_better(values: list[float]) -> None:
    """The solution is feasible; small feasible steps away from it do not lower the error."""
    found = nonnegative(POINTS, values)
    assert min(found) >= 0
    least = squared_error(POINTS, values, found)
    for place in range(2):
        for step in (-1e-3, 1e-3):
            moved = list(found)
            moved[place] = max(0.0, moved[place] + step)
            assert squared_error(POINTS, values, moved) >= least - 1e-9


def test_columns_that_say_the_same_are_not_told_apart() -> None:
    """There is no plain solution then; one of the two is used."""
    rows = [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]
    assert solve(rows, [1.0, 2.0, 3.0]) is None
    assert squared_error(rows, [1.0, 2.0, 3.0], nonnegative(rows, [1.0, 2.0, 3.0])) < 1e-20
    assert solve([(0.0,), (0.0,)], [1.0, 2.0]) is None


def test_no_more_columns_are_used_than_allowed() -> None:
    """With one column allowed, the one that explains most is taken."""
    values = [0.1 * a + 3 * b for a, b in POINTS]
    found = nonnegative(POINTS, values, most=1)
    assert found[0] == 0
    assert found[1] == pytest.approx(3, rel=0.05)
