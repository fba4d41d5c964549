"""The closed words, by property and by simulation."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.analysis.rule import SETTLED, first_settled, word
from breakeven.stats.intervals import LOOKS, SAME, interval

MIRROR = {"faster": "slower", "slower": "faster", "some_gain": "some_loss",
          "some_loss": "some_gain", "equivalent": "equivalent", "inconclusive": "inconclusive"}  # fmt: skip


def _run(rng: random.Random, mean: float, spread: float) -> list[float]:
    return [rng.gauss(mean, spread) for _ in range(20)]


@given(st.lists(st.floats(-2, 2), min_size=3, max_size=20), st.floats(SAME, 0.5))
def test_swapping_the_sides_mirrors_the_word(values: list[float], margin: float) -> None:
    """Faster one way round is slower the other; alike stays alike."""
    seen, swapped = interval(values), interval([-v for v in values])
    assert word(swapped, margin) == MIRROR[word(seen, margin)]


@given(st.lists(st.floats(-2, 2), min_size=3, max_size=20), st.floats(SAME, 0.5))
def test_a_winner_excludes_equality(values: list[float], margin: float) -> None:
    """No winner is named whose verdict interval includes 1, or whose estimate is in the margin."""
    seen = interval(values)
    if word(seen, margin) == "faster":
        assert seen.verdict_low > 0
        assert seen.mean > margin


def test_a_noisy_session_does_not_make_things_equal() -> None:
    """A margin of 1.5 does not widen what counts as equivalent."""
    seen = interval([math.log(1.2) + 0.001 * (-1) ** i for i in range(20)])
    assert word(seen, SAME) == "faster"
    assert word(seen, math.log(1.5)) == "some_gain"


@pytest.mark.parametrize("spread", [0.05, 0.10, 0.20])
def test_pure_noise_names_hardly_a_winner(spread: float) -> None:
    """Identical work is called different in under 0.75 % of runs, over all five looks."""
    rng = random.Random(5)
    trials = 3000
    words = [first_settled(_run(rng, 0.0, spread), lambda _: SAME) for _ in range(trials)]
    named = sum(look is not None and look.word in {"faster", "slower"} for look in words)
    assert named / trials <= 0.0075


@pytest.mark.parametrize(
    ("ratio", "spread", "found", "rounds"),
    [(2.0, 0.05, 1.0, 3.1), (2.0, 0.10, 0.99, 3.5), (1.5, 0.05, 0.99, 5.1), (1.2, 0.05, 0.95, 8.5),
     (1.1, 0.03, 0.95, 9.5)],
)  # fmt: skip
def test_planted_differences_are_found_in_few_rounds(
    ratio: float, spread: float, found: float, rounds: float
) -> None:
    """A factor of 2 takes 3 rounds, 1.5 takes 5, 1.2 about 8, as calibrated."""
    rng = random.Random(11)
    looks = [first_settled(_run(rng, math.log(ratio), spread), lambda _: SAME) for _ in range(800)]
    assert all(look is not None for look in looks)
    right = [look for look in looks if look is not None and look.word == "faster"]
    assert len(right) / len(looks) >= found
    assert statistics.fmean(look.interval.n for look in right) <= rounds


def test_equal_and_quiet_work_is_called_equivalent() -> None:
    """At a spread of 2 % twenty rounds show parity, and 1.10 is not taken for it."""
    rng = random.Random(2)
    same = [first_settled(_run(rng, 0.0, 0.02), lambda _: SAME) for _ in range(300)]
    assert statistics.fmean(look is not None and look.word == "equivalent" for look in same) > 0.98
    other = [first_settled(_run(rng, math.log(1.1), 0.02), lambda _: SAME) for _ in range(300)]
    assert not any(look is not None and look.word == "equivalent" for look in other)


def test_verdicts_are_spoken_at_looks_only() -> None:
    """Seven rounds are judged as five: there is no look between."""
    look = first_settled([0.1, -0.1, 0.12, -0.12, 0.05, 3.0, 3.0], lambda _: SAME)
    assert look is not None
    assert look.interval.n == 5


def test_the_first_settled_look_stands() -> None:
    """Rounds after a settled verdict do not change it."""
    early = [math.log(3)] * 3
    look = first_settled([*early, *[-5.0] * 17], lambda _: SAME)
    assert look is not None
    assert (look.word, look.interval.n) == ("faster", 3)


@given(st.lists(st.floats(-0.02, 0.02), min_size=20, max_size=20))
def test_an_unsettled_comparison_is_judged_at_its_last_look(values: list[float]) -> None:
    """Without a settled look the last one speaks."""
    look = first_settled(values, lambda _: SAME)
    assert look is not None
    assert look.interval.n in LOOKS
    assert look.word in SETTLED or look.interval.n == 20


def test_two_rounds_have_no_look() -> None:
    """Nothing is said before three rounds."""
    assert first_settled([5.0, 5.0], lambda _: SAME) is None


def test_the_margin_of_the_same_look_applies() -> None:
    """The A/A margin is taken after as many rounds as the comparison has."""
    asked: list[int] = []

    def margin(look: int) -> float:
        asked.append(look)
        return 1.0 if look < 8 else SAME

    look = first_settled([math.log(2)] * 8, margin)
    assert asked == [3, 5, 8]
    assert look is not None
    assert (look.word, look.interval.n) == ("faster", 8)
