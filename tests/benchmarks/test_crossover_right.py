"""What counts as a crossover that is right, on outcomes that were made up."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import crossover_right
from crossover_right import Outcome, at_least, details, holds, off, right_kind
from rehearsal import Rehearsal
from scripted_plays import KINDS, SIZES, base_s, bent, hill, play


def outcome(**changes: object) -> Outcome:
    """Return a bracket from 500 to 600 around 550, the truth being 550."""
    values = {
        "effort": "short", "kind": "one", "spread": 0.03, "scope": "resident", "truths": (550.0,),
        "found": "bracket", "low": 500.0, "high": 600.0, "estimate": 550.0, "changes": (550.0,),
        "rounds": 6,
    }  # fmt: skip
    return Outcome(**(values | changes))  # type: ignore[arg-type]


def test_a_bracket_that_misses_the_truth_does_not_hold() -> None:
    """The truth lies between both ends, or the bracket is wrong; an open end excludes nothing."""
    assert holds(outcome()) is True
    assert holds(outcome(truths=(601.0,))) is False
    assert holds(outcome(truths=(499.0,))) is False
    assert holds(outcome(truths=(9000.0,), high=None)) is True
    assert holds(outcome(found="undecided")) is None


def test_an_estimate_is_off_by_a_share_of_the_truth() -> None:
    """How far it is off is counted from the truth, not from the estimate."""
    assert off(outcome(estimate=605.0)) == pytest.approx(0.1)
    assert off(outcome(estimate=None)) is None


def test_a_lower_bound_tells_95_from_90_percent() -> None:
    """With the runs of this benchmark 95 % found would exclude a true 90 %."""
    searched = sum(
        2 * counts.get(kind, 0)
        for counts in crossover_right.RUNS.values()
        for kind in crossover_right.SEARCHED
    )
    bound = at_least(round(0.95 * searched), searched)
    assert bound is not None
    assert bound > 0.93
    assert at_least(0, 0) is None
    assert at_least(19, 20) == pytest.approx(0.8040, abs=1e-3)


def test_several_crossings_must_each_be_listed() -> None:
    """One listed crossing of two, or one that is far away, is not the right word for the curve."""
    two = outcome(kind="several", found="several", truths=(300.0, 2700.0), changes=(310.0, 3000.0))
    assert right_kind(two)
    assert not right_kind(two._replace(changes=(310.0,)))
    assert not right_kind(two._replace(changes=(310.0, 9000.0)))
    assert not right_kind(two._replace(found="bracket"))


def test_a_flat_curve_that_names_a_winner_is_wrong() -> None:
    """Of a flat curve nothing may be claimed, and memory that ends too soon shows no win."""
    assert right_kind(outcome(kind="flat", found="undecided"))
    assert not right_kind(outcome(kind="flat", found="bracket"))
    assert right_kind(outcome(kind="memory", found="never", beyond=False))
    assert not right_kind(outcome(kind="memory", found="never", beyond=True))


def test_a_miss_is_a_miss() -> None:
    """One bracket in ten that misses the truth leaves the row unmet, with the figure told."""
    good, bad = outcome(), outcome(truths=(700.0,))
    made = crossover_right.result([good] * 9 + [bad])
    assert made.met is False
    assert made.figure.startswith("90.0 % of 10 brackets hold it")
    assert crossover_right.result([good] * 10).met is True


def test_figures_are_kept_apart_by_noise_and_kind() -> None:
    """A kind that fails at high noise shows at that noise alone."""
    found = details([outcome(), outcome(spread=0.12, truths=(700.0,))])
    rows = {(r["effort"], r["spread"]): r for r in found["by_noise"]}
    assert rows["short", 0.03]["held_share"] == 1.0
    assert rows["short", 0.12]["held_share"] == 0.0
    assert rows["short", 0.06]["held_share"] is None
    assert [r["kind"] for r in found["by_kind"]] == ["one"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_play_crosses_where_it_says(kind: crossover_right.Kind) -> None:
    """Scripted times change sides at the true sizes, and nowhere else."""
    for seed in range(6):
        shown = play(kind, seed)
        for scope, truths in shown.truths.items():
            signs = [sign(shown, n, scope) for n in range(SIZES[0], SIZES[-1], 7)]
            places = [
                n for n, a, b in zip(range(SIZES[0], SIZES[-1], 7), signs, signs[1:], strict=False)
                if a != b
            ]  # fmt: skip
            assert len(places) == len([t for t in truths if SIZES[0] < t < SIZES[-1]])
            assert all(abs(p / t - 1) < 0.05 for p, t in zip(places, truths, strict=True))


def sign(shown: crossover_right.Play, size: int, scope: str) -> bool:
    """Tell whether the entry is ahead at a size, by more than rounding."""
    curve = entry_curve(shown, scope)
    return math.log(base_s(size) / curve(size)) > 1e-3


def entry_curve(shown: crossover_right.Play, scope: str) -> Callable[[int], float]:
    """Return the entry's seconds over size in one scope."""
    from breakeven.backends.scripted import interpolate

    def seconds(size: int) -> float:
        took = interpolate(shown.entry.compute_s["matmul"], size)
        return took + (
            interpolate(shown.entry.journey_s["matmul"], size) if scope == "transfer" else 0.0
        )

    return seconds


def test_curves_pass_equality_where_they_are_built_to() -> None:
    """A bent curve is 0 at its place and rises; a hill is over 0 inside its width alone."""
    curve = bent(700.0, 1.0, 3.0)
    assert curve(700.0) == 0
    assert curve(600.0) < 0 < curve(800.0)
    assert hill(1000.0, 0.7)(1000.0) > 0 > hill(1000.0, 0.7)(3001.0)


def test_the_same_seed_rehearses_the_same_run() -> None:
    """Noise comes from the seed alone, so a figure can be made again."""
    records = [
        Rehearsal(play("one", 1), "again", budget_s=120.0, rounds_most=2).run() for _ in range(2)
    ]
    assert records[0] == records[1]
    other = Rehearsal(play("one", 1), "other", budget_s=120.0, rounds_most=2).run()
    assert other != records[0]


def test_every_kind_counts_in_the_headline() -> None:
    """A curve cut short by memory that is called wrong lowers the number that are right."""
    wrong = outcome(kind="memory", found="never", estimate=None, low=None, high=None)
    made = crossover_right.result([outcome(), outcome(kind="memory"), wrong])
    assert "; 2 of 3 curves of all kinds called what they are" in made.figure


def test_the_words_come_from_the_details_alone() -> None:
    """What was stored is told again as it was told first."""
    made = crossover_right.result([outcome(), outcome(effort="long", estimate=700.0)])
    assert crossover_right.words(made.details).figure == made.figure
    assert "in long runs 0.0 % of 1" in made.figure
