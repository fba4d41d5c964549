"""Two sessions whose rounds do not pair."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from breakeven.stats.intervals import WIDE_SD, interval
from breakeven.stats.sessions import between

logs = st.lists(st.floats(-3, 3), min_size=1, max_size=20)


@given(logs, logs)
def test_exchanging_the_sessions_mirrors_the_interval(a: list[float], b: list[float]) -> None:
    """The second less the first is the first less the second with the other sign."""
    seen, swapped = between(a, b), between(b, a)
    assert swapped.mean == pytest.approx(-seen.mean, abs=1e-12)
    assert swapped.low == pytest.approx(-seen.high, rel=1e-9, abs=1e-9)
    assert swapped.verdict_high == pytest.approx(-seen.verdict_low, rel=1e-9, abs=1e-9)


@given(logs, logs, st.floats(-2, 2))
def test_a_change_moves_the_interval_along(a: list[float], b: list[float], shift: float) -> None:
    """A factor on one session's times moves every end by its logarithm."""
    assume(abs(interval(a).sd - WIDE_SD) > 1e-9)
    before, after = between(a, b), between([v + shift for v in a], b)
    assert after.mean == pytest.approx(before.mean + shift, abs=1e-9)
    assert after.verdict_low == pytest.approx(before.verdict_low + shift, rel=1e-6, abs=1e-6)


def test_equal_spreads_have_the_degrees_of_freedom_of_both() -> None:
    """Welch's formula gives 2 (n - 1) for two sides alike."""
    a = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert between(a, a).df == 14


def test_a_session_without_spread_leaves_that_of_the_other() -> None:
    """Where one side's rounds are all alike, the other's count alone."""
    a = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert between(a, [0.0] * 8).df == 7
    assert between([0.0] * 8, [0.0] * 8).low == 0.0


@pytest.mark.parametrize("rounds", [(8, 8), (8, 20), (12, 8)])
def test_the_reading_interval_holds_the_truth_at_95_percent(rounds: tuple[int, int]) -> None:
    """Over simulated sessions the 95 % interval misses the true change in about one of twenty."""
    rng = random.Random(5)
    held, tries = 0, 600
    for _ in range(tries):
        a = [rng.gauss(0.1, 0.05) for _ in range(rounds[0])]
        b = [rng.gauss(0.0, 0.02) for _ in range(rounds[1])]
        seen = between(a, b)
        held += seen.low <= 0.1 <= seen.high
    assert 0.93 < held / tries < 0.975


def test_no_rounds_are_refused() -> None:
    """A session without rounds has no mean."""
    with pytest.raises(ValueError, match="at least one finite value"):
        between([], [0.0])
    with pytest.raises(ValueError, match="at least one finite value"):
        between([0.0], [math.inf])
