"""The calibrated rule, by property and by simulated coverage."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from breakeven.stats.intervals import (
    LOOKS,
    interval,
    lag_one_correlation,
    mean_of,
    next_look,
    rounds_to_settle,
)

ratios = st.lists(st.floats(-3, 3), min_size=1, max_size=20)


@given(ratios)
def test_the_verdict_interval_holds_the_reading_interval(values: list[float]) -> None:
    """A verdict hangs on the wider interval, and both hold the mean."""
    seen = interval(values)
    assert seen.verdict_low <= seen.low <= seen.mean <= seen.high <= seen.verdict_high


@given(ratios)
def test_swapping_the_sides_mirrors_the_interval(values: list[float]) -> None:
    """Base and entry exchanged give the same interval with the other sign."""
    seen, swapped = interval(values), interval([-v for v in values])
    assert swapped.low == pytest.approx(-seen.high, abs=1e-12)
    assert swapped.verdict_high == pytest.approx(-seen.verdict_low, abs=1e-12)


@given(ratios, st.floats(-2, 2))
def test_a_planted_ratio_moves_the_interval_along(values: list[float], shift: float) -> None:
    """Adding a constant log ratio moves every end by it."""
    before, after = interval(values), interval([v + shift for v in values])
    # At a spread of exactly 0.40 rounding may choose the other scale.
    assume(abs(before.sd - 0.40) > 1e-9)
    assert after.low == pytest.approx(before.low + shift, abs=1e-9)
    assert after.verdict_high == pytest.approx(before.verdict_high + shift, rel=1e-9, abs=1e-9)


@given(ratios, st.randoms(use_true_random=False))
def test_the_order_of_rounds_does_not_matter(values: list[float], rng: random.Random) -> None:
    """An interval does not depend on the order of its rounds."""
    shuffled = values[:]
    rng.shuffle(shuffled)
    assert interval(shuffled).verdict_low == pytest.approx(interval(values).verdict_low, abs=1e-9)


@pytest.mark.parametrize(("n", "half_width"), [(3, 1.68), (5, 1.35)])
def test_few_equal_rounds_still_have_a_wide_interval(n: int, half_width: float) -> None:
    """Below 8 rounds the expected spread keeps three equal rounds from being certain."""
    assert math.exp(interval([0.0] * n).verdict_high) == pytest.approx(half_width, abs=0.005)


@pytest.mark.parametrize(("n", "factor"), [(8, 1.78), (12, 1.21), (20, 0.83)])
def test_from_eight_rounds_the_measured_spread_stands_alone(n: int, factor: float) -> None:
    """The half-width at 8, 12 and 20 rounds is the calibrated multiple of the spread."""
    values = [0.1 if i % 2 else -0.1 for i in range(n)]
    seen = interval(values)
    assert seen.verdict_high - seen.mean == pytest.approx(factor * seen.sd, rel=0.004)


def test_a_wild_spread_is_not_calmed_by_the_expected_one() -> None:
    """Over a spread of 0.40 the expectation is dropped, also below 8 rounds."""
    seen = interval([-1.0, 0.0, 1.0])
    assert seen.scale == pytest.approx(1.0)
    assert seen.df == 2


@pytest.mark.parametrize("spread", [0.02, 0.10, 0.20])
@pytest.mark.parametrize("n", LOOKS)
def test_the_reading_interval_covers(n: int, spread: float) -> None:
    """At every look a nominal 95 % covers at least 94 %, at spreads that real machines show."""
    rng = random.Random(1000 * n + round(100 * spread))
    trials, truth = 2500, 0.3
    hits = 0
    for _ in range(trials):
        seen = interval([rng.gauss(truth, spread) for _ in range(n)])
        hits += seen.low <= truth <= seen.high
    assert hits / trials >= 0.94


@pytest.mark.parametrize("n", [2, 3, 5, 8, 20])
def test_a_mean_of_rounds_is_covered_whatever_their_spread(n: int) -> None:
    """Student's t covers in 95 of 100, for two rounds as for twenty, at any scale."""
    rng = random.Random(n)
    trials = 4000
    hit = 0
    for _ in range(trials):
        found = mean_of([100.0 + rng.gauss(0, 7.0) for _ in range(n)])
        assert found.low is not None
        assert found.high is not None
        hit += found.low <= 100.0 <= found.high
    assert 0.94 <= hit / trials <= 0.96


def test_a_mean_of_one_round_claims_no_interval() -> None:
    """Nothing is known of a spread that was not seen, and nothing at all of no round."""
    found = mean_of([3.0])
    assert (found.value, found.low, found.high, found.n) == (3.0, None, None, 1)
    for values in ([], [math.nan], [1.0, math.inf]):
        with pytest.raises(ValueError, match="at least one finite value"):
            mean_of(values)


def test_an_interval_needs_finite_values() -> None:
    """No value, or one that is not finite, has no interval."""
    for values in ([], [0.1, math.nan], [math.inf]):
        with pytest.raises(ValueError, match="finite"):
            interval(values)


def test_looks_lie_at_the_calibrated_rounds() -> None:
    """A look is followed by the next one; after the last there is none."""
    assert [next_look(n) for n in (0, 3, 8, 12, 20)] == [3, 5, 12, 20, None]


@given(st.floats(0.02, 0.5), st.floats(0.06, 1.0), st.integers(0, 12))
def test_told_rounds_are_a_later_look(sd: float, mean: float, after: int) -> None:
    """The rounds told are a look after the one just taken, and 8 at least."""
    told = rounds_to_settle(mean, sd, math.log(1.05), after)
    assert told is None or (told in LOOKS and told > after and told >= 8)


def test_told_rounds_settle_it_nearly_always() -> None:
    """With the rounds told, a simulated difference is found in 90 % of the runs at least."""
    mean, sd, margin = math.log(1.3), 0.10, math.log(1.05)
    told = rounds_to_settle(mean, sd, margin, 5)
    assert told == 8
    rng = random.Random(7)
    found = 0
    for _ in range(1000):
        seen = interval([rng.gauss(mean, sd) for _ in range(told)])
        found += seen.verdict_low > 0 and seen.mean > margin
    assert found >= 900


def test_a_difference_within_the_margin_is_never_promised() -> None:
    """No number of rounds brings an estimate beyond a margin that exceeds it."""
    assert rounds_to_settle(math.log(1.03), 0.01, math.log(1.05), 3) is None


def test_drift_shows_as_correlation() -> None:
    """A rising series resembles itself one round later, an alternating one opposes itself."""
    rising = lag_one_correlation([float(i) for i in range(12)])
    swinging = lag_one_correlation([(-1.0) ** i for i in range(12)])
    assert rising is not None
    assert rising > 0.5
    assert swinging is not None
    assert swinging < -0.5


def test_equal_rounds_have_no_correlation() -> None:
    """Where nothing varies there is nothing to correlate."""
    assert lag_one_correlation([1.0] * 12) is None
    assert lag_one_correlation([1.0, 2.0]) is None
