"""Questions within a share of a core: cheap ones keep their period, dear ones are asked less."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.sensors.thrift import Asked, allot


def _costing(cost_s: float, period_s: float = 0.1) -> Asked:
    asked = Asked(period_s)
    asked.cost_s = cost_s
    return asked


def test_what_fits_is_asked_each_time() -> None:
    """Three questions of 50 us ten times a second take 0.15 % of a core."""
    asked = [_costing(50e-6) for _ in range(3)]
    allot(asked, 0.003)
    assert [a.every for a in asked] == [1, 1, 1]


def test_a_dear_question_is_asked_less_often_and_the_others_are_not() -> None:
    """4.5 ms ten times a second would be 4.5 % of a core."""
    asked = [_costing(50e-6), _costing(4.5e-3)]
    allot(asked, 0.003)
    assert [a.every for a in asked] == [1, 18]


@given(
    st.lists(st.tuples(st.floats(1e-7, 1e-2), st.sampled_from([0.1, 1.0])), min_size=1, max_size=9),
    st.floats(1e-4, 1e-2),
)
def test_all_together_stay_within_the_share(costs: list[tuple[float, float]], share: float) -> None:
    """Whatever each costs."""
    asked = [_costing(*one) for one in costs]
    allot(asked, share)
    assert sum(a.cost_s / (a.period_s * a.every) for a in asked) <= share * (1 + 1e-9)


def test_a_steady_question_keeps_its_period_and_the_others_pay() -> None:
    """Power at 2 % of a core leaves a tenth of 0.5 % to the others."""
    power, cheap, dear = Asked(0.1, steady=True), _costing(10e-6), _costing(1e-3)
    power.cost_s = 2e-3
    allot([power, cheap, dear], 0.005)
    assert power.every == 1
    assert cheap.every == 1
    assert dear.every == 25
    power.cost_s = 0.2e-3
    allot([power, cheap, dear], 0.005)
    assert (power.every, dear.every) == (1, 4)


def test_every_so_many_th_occasion_is_one() -> None:
    """The occasions in between are passed over."""
    asked = Asked(0.1)
    asked.every = 3
    assert [asked.due() for _ in range(7)] == [False, False, True, False, False, True, False]


def test_a_first_answer_counts_for_little() -> None:
    """It loads what later answers find loaded: 20 ms, then 10 us each."""
    asked = Asked(0.1)
    asked.took(0.02)
    for _ in range(30):
        asked.took(1e-5)
    assert asked.cost_s == pytest.approx(1e-5, rel=2.0)


def test_nothing_left_asks_everything_as_rarely_as_the_rest() -> None:
    """A share of 0 stops nothing for good."""
    asked = [_costing(1e-3)]
    allot(asked, 0.0)
    assert asked[0].every >= 1
