"""Drawing measured units again."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.stats.resampling import draws, quantile, spread, widening


def test_draws_are_the_same_every_time() -> None:
    """Two reports of one run show the same interval."""
    first = draws(5)
    draws.cache_clear()
    assert draws(5) == first


@given(st.integers(1, 30))
def test_draws_are_indices_of_units(n: int) -> None:
    """Each draw has as many units as were measured, each of them a measured one."""
    assert all(len(d) == n and min(d) >= 0 and max(d) < n for d in draws(n, 20))


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=30))
def test_quantiles_lie_within_the_values(values: list[float]) -> None:
    """A quantile lies between the smallest and the largest value, and rises with its share."""
    ordered = sorted(values)
    low, high = quantile(ordered, 0.025), quantile(ordered, 0.975)
    assert ordered[0] <= low <= high <= ordered[-1]


@pytest.mark.parametrize(("n", "factor"), [(3, 2.69), (5, 1.58), (20, 1.10)])
def test_few_units_are_widened_most(n: int, factor: float) -> None:
    """Drawing three units again understates the interval by a factor of 2.7."""
    assert widening(n) == pytest.approx(factor, abs=0.01)


def test_one_unit_has_no_spread() -> None:
    """A single process gives no interval."""
    with pytest.raises(ValueError, match="one unit"):
        widening(1)


@pytest.mark.parametrize("n", [3, 5, 8, 20])
def test_intervals_of_draws_cover(n: int) -> None:
    """The widened interval of a mean covers the truth in about 95 % of simulated runs."""
    rng = random.Random(n)
    trials, hits = 400, 0
    for _ in range(trials):
        values = [rng.gauss(1.0, 0.3) for _ in range(n)]
        centre = statistics.fmean(values)

        def mean(chosen: Sequence[int], values: Sequence[float] = values) -> float:
            return math.fsum(values[i] for i in chosen) / len(chosen)

        down, up = spread(mean, n, centre, 120)
        hits += centre - down <= 1.0 <= centre + up
    assert hits / trials >= 0.92
