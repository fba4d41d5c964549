"""What calls would gain that do not wait for their launches."""

from __future__ import annotations

import pytest

from breakeven.stats.launches import Gain, gain, issue_rules


@pytest.mark.parametrize(
    ("issue_s", "queued_s", "rules"),
    [(2e-5, 1e-5, True), (1e-5, 2e-5, False), (None, 1e-5, False), (1e-5, None, False)],
)
def test_issuing_rules_where_it_takes_longer_than_the_work(
    issue_s: float | None, queued_s: float | None, rules: bool
) -> None:
    """Both figures must be known, and issuing must be the longer one."""
    assert issue_rules(issue_s, queued_s) is rules


def test_the_gain_is_the_ratio_of_one_call_to_each_of_many() -> None:
    """28 us alone and 7 us each are a factor of 4."""
    assert gain(2.8e-5, 7e-6, 1e-6) == Gain(pytest.approx(4.0), at_least=False)
    assert gain(2.8e-5, 7e-6, None) == Gain(pytest.approx(4.0), at_least=False)


def test_a_figure_at_its_floor_bounds_the_gain_from_below() -> None:
    """Under 14 us each, of 28 us alone: a factor of 2 at least."""
    assert gain(2.8e-5, 7e-6, 1.4e-5) == Gain(pytest.approx(2.0), at_least=True)


@pytest.mark.parametrize(("each", "floor"), [(None, None), (3e-5, None), (1e-6, 3e-5), (0.0, None)])
def test_nothing_known_and_nothing_gained_are_no_gain(
    each: float | None, floor: float | None
) -> None:
    """Calls that are no shorter, or not known to be, gain nothing."""
    assert gain(2.8e-5, each, floor) is None
