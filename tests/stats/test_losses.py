"""The rule by which two trainings are the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.stats.classes import WRONG
from breakeven.stats.losses import agreement, bounds, spread, within_spread

LOSSES = [2.3 - 0.1 * n for n in range(10)]
SMALL = st.floats(-9e-5, 9e-5)


@given(st.lists(SMALL, min_size=10, max_size=10))
def test_losses_within_1e_4_agree(errors: list[float]) -> None:
    """Whatever the signs, ten steps that differ by less pass, and the largest is told."""
    found = agreement([x * (1 + e) for x, e in zip(LOSSES, errors, strict=True)], LOSSES)
    assert found.passed
    assert found.error == pytest.approx(max(abs(e) for e in errors), abs=1e-12)


@pytest.mark.parametrize("step", range(10))
def test_one_step_that_differs_by_more_does_not_agree(step: int) -> None:
    """A difference of 2e-4 in any single step is enough."""
    losses = [x * (1 + 2e-4 * (n == step)) for n, x in enumerate(LOSSES)]
    found = agreement(losses, LOSSES)
    assert not found.passed
    assert found.class_ == WRONG


def test_a_bound_follows_the_probes_and_never_falls() -> None:
    """It is ten times the largest that a probe moved this loss or an earlier one."""
    probes = [[2.3, 2.2 * (1 + 1e-3), 2.1], [2.3 * (1 + 1e-8), 2.2, 2.1 * (1 - 1e-4)]]
    assert bounds(LOSSES[:3], probes) == pytest.approx((1e-4, 1e-2, 1e-2))


def test_a_network_that_magnifies_rounding_is_judged_by_its_first_steps() -> None:
    """Steps whose bound is over 5 % are left out, and the rule says so."""
    probe = [x * (1 + 1e-7 * 30**n) for n, x in enumerate(LOSSES)]
    other = [x * (1 - 2e-7 * 30**n) for n, x in enumerate(LOSSES)]
    found = agreement(other, LOSSES, [probe])
    assert found.passed
    assert "first 4 steps" in found.rule
    assert "rounding alone moves later ones" in found.rule
    assert not agreement(other, LOSSES).passed


def test_rounding_that_a_network_magnified_is_still_float32() -> None:
    """What it made of one unit in the last place is taken out before the class is told."""
    # On an H200 the tenth loss of the small convolutional network was 5.5e-5 from the CPU's, each
    # in full float32.
    apart = [0.0, 1e-7, 2e-7, 5e-7, 1e-6, 3e-6, 5e-6, 1e-5, 3e-5, 5.5e-5][: len(LOSSES)]
    probe = [x * (1 + a / 2) for x, a in zip(LOSSES, apart, strict=False)]
    other = [x * (1 + 1e-7 + a) for x, a in zip(LOSSES, apart, strict=False)]
    other[-1] = LOSSES[-1] * (1 + 5.5e-5)
    probe[-1] = LOSSES[-1] * (1 + 2.5e-5)
    assert agreement(other, LOSSES, [probe]).class_ == "float32"
    assert agreement(other, LOSSES).class_ == "TF32/half"


def test_probes_do_not_excuse_a_coarse_first_step() -> None:
    """A forward pass in TF32 is told as such, however much later steps are magnified."""
    wild = [[LOSSES[0], *(x * (1 + 1e-3) for x in LOSSES[1:])]]
    found = agreement([x * (1 + 6e-5) for x in LOSSES], LOSSES, wild)
    assert found.class_ == "TF32/half"


def test_probes_do_not_excuse_other_weights() -> None:
    """The first step is a forward pass alone: it is held to 1e-4 whatever probes do."""
    wild = [[x * 1.5 for x in LOSSES]]
    found = agreement([x * 1.001 for x in LOSSES], LOSSES, wild)
    assert not found.passed
    assert found.bound == 1e-4
    assert "the first step" in found.rule


def test_nan_agrees_with_nan_alone() -> None:
    """A loss that is no number on one side only is a wrong answer."""
    assert agreement([math.nan, 1.0], [math.nan, 1.0]).passed
    assert not agreement([1.0, math.nan], [1.0, 1.0]).passed
    assert not agreement([1.0, math.inf], [1.0, -math.inf]).passed


def test_losses_of_other_steps_are_refused() -> None:
    """Nine losses cannot be set beside ten."""
    with pytest.raises(ValueError, match="equally many"):
        agreement(LOSSES[:9], LOSSES)


def test_the_spread_covers_one_more_seed() -> None:
    """Of log-normal last losses it holds a fresh one in 95 of 100 draws, with four seeds."""
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(4000):
        drawn = np.exp(rng.normal(-3, 0.4, 5)).tolist()
        reach = spread(drawn[:4])
        assert reach is not None
        held += reach[0] <= drawn[4] <= reach[1]
    assert held / 4000 == pytest.approx(0.95, abs=0.01)


def test_one_seed_has_no_spread() -> None:
    """Nothing is said then, rather than that they agree."""
    assert within_spread([0.1], [0.1]) is None
    assert within_spread([], [0.1, 0.2]) is None


def test_a_loss_beyond_the_spread_is_found() -> None:
    """A training that stays ten times as bad as three seeds does not end where they do."""
    base = [0.010, 0.012, 0.011]
    assert within_spread([0.0115], base)
    assert within_spread([0.1], base) is False
    assert within_spread([math.nan], base) is False
