"""Percentiles of readings, and the ranks that bound them."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.stats.percentiles import interval, interval_ranks, percentile, readings_needed

SHARES = st.sampled_from([0.01, 0.1, 0.5, 0.75, 0.95, 0.99])
READINGS = st.lists(st.floats(0, 1e3), min_size=1, max_size=400).map(sorted)


def chance_between(low: int, high: int, n: int, share: float) -> float:
    """Return how likely the percentile lies from the reading of one rank to that of another."""
    terms = (comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(low, high))
    return float(sum(terms))


@given(READINGS, SHARES)
def test_a_percentile_is_a_reading_that_parts_them(readings: list[float], share: float) -> None:
    """At least the share lies at or under it, and at least the rest at or over it."""
    found = percentile(readings, share)
    if found is None:
        assert len(readings) * min(share, 1 - share) < 1
        return
    n = len(readings)
    assert sum(r <= found for r in readings) >= n * share - 1e-6
    assert sum(r >= found for r in readings) >= n * (1 - share) - 1e-6


def test_a_99th_percentile_needs_100_readings() -> None:
    """With fewer, no reading lies beyond it, and the largest one would pass for it."""
    assert percentile([float(x) for x in range(99)], 0.99) is None
    assert percentile([float(x) for x in range(100)], 0.99) == 98.0
    assert percentile([1.0], 0.5) is None


@pytest.mark.parametrize("share", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("n", [10, 100, 369, 1000])
def test_the_ranks_hold_the_percentile_as_often_as_they_say(n: int, share: float) -> None:
    """Summed term by term, the chance is at least the level, and closer ranks would be too few."""
    ranks = interval_ranks(n, share)
    if ranks is None:
        assert n < readings_needed(share)
        return
    low, high = ranks
    assert 1 <= low < high <= n
    assert chance_between(low, high, n, share) >= 0.95
    assert chance_between(0, low + 1, n, share) > 0.025 or low == n
    assert chance_between(high - 1, n + 1, n, share) > 0.025


@given(SHARES)
def test_an_interval_is_there_from_the_number_of_readings_told(share: float) -> None:
    """One reading fewer gives none."""
    needed = readings_needed(share)
    readings = [float(x) for x in range(needed)]
    assert interval(readings, share) is not None
    assert interval(readings[:-1], share) is None


def test_the_interval_covers_a_skewed_percentile() -> None:
    """Of log-normal readings it holds the true 95th percentile in at least 94 % of 2,000 draws."""
    rng = np.random.default_rng(5)
    truth = float(np.exp(1.6448536269514722))
    held = 0
    for _ in range(2000):
        ends = interval(sorted(np.exp(rng.standard_normal(200)).tolist()), 0.95)
        assert ends is not None
        held += ends[0] <= truth <= ends[1]
    assert held / 2000 >= 0.94


def test_a_share_outside_its_range_is_refused() -> None:
    """A percentile of 99 instead of 0.99 is a mistake."""
    with pytest.raises(ValueError, match=r"over 0 and under 1, got 99"):
        percentile([1.0, 2.0], 99)
