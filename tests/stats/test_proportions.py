"""Intervals of accuracies, checked by how often they hold the truth."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.stats.proportions import (
    Paired,
    difference,
    mcnemar,
    paired,
    paired_difference,
    wilson,
)

COUNTS = st.builds(Paired, *(st.integers(0, 60) for _ in range(4))).filter(lambda c: c.total > 0)


def binomial(k: int, n: int, share: float) -> float:
    """Return how likely `k` of `n` are."""
    return comb(n, k) * share**k * (1 - share) ** (n - k)


@given(st.integers(1, 2000), st.data())
def test_wilson_holds_its_share_within_0_and_1(total: int, data: st.DataObject) -> None:
    """Also where all answers are right, or none."""
    found = wilson(data.draw(st.integers(0, total)), total)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high


def test_wilson_is_the_interval_of_the_paper_that_compares_them() -> None:
    """81 of 263 and 0 of 20, as Newcombe (1998) has them in his table I."""
    assert wilson(81, 263)[1:] == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20)[1:] == pytest.approx((0.0, 0.1611), abs=5e-5)


def test_wilson_covers() -> None:
    """Averaged over true shares, it holds the share in 95 % of all outcomes, summed exactly."""
    n, shares = 50, np.linspace(0.02, 0.98, 49)
    found = [wilson(k, n) for k in range(n + 1)]
    held = [
        sum(binomial(k, n, p) for k, f in enumerate(found) if f.low <= p <= f.high) for p in shares
    ]
    assert np.mean(held) >= 0.945


def test_the_difference_is_that_of_the_paper() -> None:
    """56 of 70 against 48 of 80, and 10 of 10 against 0 of 10, as in Newcombe's table II."""
    assert difference(56, 70, 48, 80)[1:] == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert difference(10, 10, 0, 10)[1:] == pytest.approx((0.6075, 1.0), abs=5e-5)


def test_the_difference_covers() -> None:
    """Of 40 images each it holds the difference in at least 94.5 % of outcomes, on average."""
    n = 40
    found = {(a, b): difference(a, n, b, n) for a in range(n + 1) for b in range(n + 1)}
    held = []
    for p, q in [(0.5, 0.5), (0.9, 0.8), (0.95, 0.95), (0.7, 0.3)]:
        weights = {
            pair: binomial(pair[0], n, p) * binomial(pair[1], n, q)
            for pair, f in found.items()
            if f.low <= p - q <= f.high
        }
        held.append(sum(weights.values()))
    assert np.mean(held) >= 0.945


@given(COUNTS)
def test_the_paired_difference_turns_round_with_its_sides(counts: Paired) -> None:
    """Exchanging the models changes the sign alone."""
    there = paired_difference(counts)
    back = paired_difference(counts._replace(first=counts.second, second=counts.first))
    assert there.value == pytest.approx(-back.value)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert -1 - 1e-9 <= there.low <= there.value <= there.high <= 1 + 1e-9


def test_the_paired_difference_is_that_of_the_paper() -> None:
    """Of 50 pairs with 36, 12, 2 and 0 Newcombe's table II gives 0.0569 to 0.3404."""
    assert paired_difference(Paired(36, 12, 2, 0))[1:] == pytest.approx((0.0569, 0.3404), abs=5e-4)


def test_the_paired_difference_covers_and_is_narrower() -> None:
    """Of 360 images that both mostly get right it covers, and beats the interval of two samples."""
    rng = np.random.default_rng(11)
    chances = np.array([0.965, 0.010, 0.010, 0.015])
    held, narrower = 0, 0
    for row in rng.multinomial(360, chances, 2000):
        counts = Paired(*(int(x) for x in row))
        own = paired_difference(counts)
        held += own.low <= 0.0 <= own.high
        two = difference(counts.both + counts.first, 360, counts.both + counts.second, 360)
        narrower += own.high - own.low < two.high - two.low
    assert held / 2000 >= 0.94
    assert narrower / 2000 >= 0.9


@given(st.frozensets(st.integers(0, 59)), st.frozensets(st.integers(0, 59)))
def test_pairs_are_counted_from_what_each_got_wrong(a: frozenset[int], b: frozenset[int]) -> None:
    """The four counts add up to all images, and to each model's own accuracy."""
    counts = paired(a, b, 60)
    assert counts.total == 60
    assert counts.both + counts.first == 60 - len(a)
    assert counts.both + counts.second == 60 - len(b)


def test_a_place_beyond_the_images_is_refused() -> None:
    """Answers to other images cannot be paired."""
    with pytest.raises(ValueError, match="60 images"):
        paired(frozenset({60}), frozenset(), 60)


def test_mcnemar_is_the_sum_of_even_throws() -> None:
    """2 against 12 is as rare as two tails of 14 throws; as many on both sides are no wonder."""
    tail = sum(comb(14, k) for k in range(3)) / 2**14
    assert mcnemar(Paired(36, 12, 2, 0)) == pytest.approx(2 * tail)
    assert mcnemar(Paired(10, 3, 3, 1)) == 1.0
    assert mcnemar(Paired(10, 0, 0, 1)) == 1.0
    assert mcnemar(Paired(10, 0, 5, 1)) == pytest.approx(2 / 32)


def test_no_images_have_no_accuracy() -> None:
    """A share of nothing is refused, not taken for 0."""
    with pytest.raises(ValueError, match="total > 0"):
        wilson(0, 0)
