"""The rule on drawn comparisons: false winners are counted, planted differences are found."""

from __future__ import annotations

import math

import numpy as np
import pytest

import calibration
import resample_rule
from recordings import Cell
from verdicts_drawn import Judged, bound, judge, told_right

CALM = 0.02


def cell(spread: float = CALM, mean: float = 0.0, **fields: object) -> Cell:
    """Return a cell of thirty rounds with a normal log ratio, exactly so centred and scaled."""
    values = np.random.default_rng(3).normal(size=30)
    values = mean + spread * (values - values.mean()) / values.std(ddof=1)
    made: dict[str, object] = {"source": "frozen-x", "kind": "numpy", "size": 64}
    return Cell(values=values, **(made | fields))


def tried(*cells: Cell, trials: int = 30) -> list[resample_rule.Drawn]:
    """Draw from cells, as the command does."""
    return resample_rule.tried(cells, trials, np.random.default_rng(1))[0]


def test_identical_work_has_no_winner() -> None:
    """Calm rounds around 0 name no winner; the result says that its target is met."""
    found = resample_rule.false_result(tried(cell()), [], {})
    assert found.met is True
    assert {r["winners"] for r in found.details["rates"]} == {0}
    assert found.details["excluded_at_95"] == pytest.approx(1 - 0.05 ** (1 / 60), rel=1e-3)


def test_a_false_winner_generator_is_caught() -> None:
    """Noise with a direction names a winner each time, and the target is missed."""
    biased = cell(mean=0.3, crossed=True, source="mixed-x")
    found = resample_rule.false_result(tried(cell(), biased), [], {})
    assert found.met is False
    rates = {r["recording"]: r["rate"] for r in found.details["rates"]}
    assert rates == {"frozen": 0.0, "mixed": 1.0}
    assert "mixed-x numpy 64" in {r["worst_cell"] for r in found.details["rates"]}


def test_planted_differences_are_found_as_the_table_says() -> None:
    """At 2 % from round to round all factors are settled in the rounds of the calibration."""
    found = resample_rule.planted_result(tried(cell(spread=CALM)))
    assert found.details["as_the_table"] is True
    rows = {r["factor"]: r for r in found.details["without_aa"]}
    assert {r["found"] for r in rows.values()} == {1.0}
    assert [rows[f]["rounds"] for f in (1.1, 1.2, 1.5, 2.0)] == [8, 8, 5, 3]
    assert {r["wrong"] for r in rows.values()} == {0.0}


def test_a_rule_that_finds_less_is_told() -> None:
    """Fewer found, or later, than the table has is not as the table."""
    row = {"found": 0.96, "rounds": 8.5, "table_found": 1.0, "table_rounds": 8.0}
    assert calibration.as_the_table([row])
    assert not calibration.as_the_table([row | {"found": 0.94}])
    assert not calibration.as_the_table([row | {"rounds": 9.1}])


def test_what_was_expected_goes_by_spread_and_factor() -> None:
    """Calmer rounds find more; a factor that was not tried has no expectation."""
    assert calibration.expected(0.01, 1.1) == (1.0, 8.0)
    assert calibration.expected(0.15, 1.2) == (0.87, 16.4)
    assert calibration.expected(9.0, 2.0) == (1.0, 4.4)
    assert calibration.expected(0.01, 1.3) is None


def test_gated_and_unfrozen_cells_take_no_part() -> None:
    """A cell that the gate shuts is named; workers that were not frozen are the control."""
    rng = np.random.default_rng(1)
    cells = [cell(), cell(lost=0.3, size=128), cell(source="interleaved-x", mean=0.5)]
    found, shut = resample_rule.tried(cells, 10, rng)
    assert shut == ["frozen-x numpy 128"]
    assert {d.name for d in found} == {"frozen-x numpy 64"}
    control = resample_rule.unfrozen(cells, 10, rng)
    assert control == {"cells": 1, "worst_cell": "interleaved-x numpy 64", "worst": 1.0}


def test_what_is_compared_across_kinds_takes_its_margin_from_numpy() -> None:
    """The A/A pair is NumPy's, of the same machine and size."""
    crossed = cell(kind="numpy/torch", crossed=True, source="mixed-h200")
    same, other = cell(source="frozen-h200"), cell(source="frozen-2core")
    assert resample_rule.aa_cell(crossed, [other, same, crossed]) is same
    assert resample_rule.aa_cell(same, [other, same]) is same
    assert resample_rule.aa_cell(crossed, [crossed]) is None
    ours = cell(kind="matmul numpy-16/torch-cuda resident", crossed=True, source="new-h200")
    own = cell(kind="matmul numpy-16", source="new-h200")
    assert resample_rule.aa_cell(ours, [same, own, ours]) is own
    assert resample_rule.aa_cell(ours, [same, ours]) is same


def test_an_aa_pair_that_names_a_winner_withholds() -> None:
    """The comparison beside it has no word, whatever its own rounds say."""
    clear = [math.log(3.0) + d for d in (-0.01, 0.0, 0.01)]
    assert judge(clear, None).word == "faster"
    assert judge(clear, [0.0, 0.01, -0.01]).word == "faster"
    assert judge(clear, clear).word == "withheld"


def test_the_margin_of_the_aa_pair_is_at_work() -> None:
    """A factor of 1.1 that is clear by itself is within the margin of a noisy session."""
    values = [math.log(1.1) + d for d in (0.004, -0.004) * 4]
    assert judge(values, [0.0] * 8) == Judged("faster", 8, judge(values, [0.0] * 8).told)
    assert judge(values, [0.2, -0.2] * 4).word == "some_gain"


def test_rounds_told_are_held_against_what_came() -> None:
    """A telling is kept when a winner was named by then; one that despaired may be wrong."""
    judged = [
        Judged("faster", 8, ((3, 8), (5, 8))),
        Judged("faster", 12, ((3, 8), (5, None))),
        Judged("inconclusive", 20, ((3, None),)),
    ]
    three, five = told_right(judged)
    assert three == (3, 2, 1, 1, 0)
    assert five == (5, 1, 1, 1, 1)


def test_none_in_six_hundred_bounds_the_rate() -> None:
    """No event in 600 excludes a rate of 0.5 %; one event does not."""
    assert bound(0, 600) == pytest.approx(1 - 0.05 ** (1 / 600), rel=1e-6)
    assert bound(0, 600) < 0.005 < bound(1, 600)
    assert bound(0, 0) == 1.0


def test_recordings_that_were_held_out_are_told_apart() -> None:
    """What the rule was chosen on flatters it, so its winners stand beside those of the others."""
    biased = cell(mean=0.3, crossed=True, source="mixed-x")
    found = resample_rule.false_result(tried(cell(), biased), [], {})
    assert found.figure.startswith(
        "held out: 100.00 % (60 of 60, drawn from 1 cells); recordings that the rule was chosen "
        "on: 0.00 % (0 of 60, drawn from 1 cells)"
    )
    assert found.details["parts"]["held_out"]["recordings"] == ["mixed"]
    alone = resample_rule.false_result(tried(cell(source="fresh-x")), [], {})
    assert alone.figure.startswith("held out: none; ")
