"""Coverage: an interval that is too narrow is found out, gates take out what they should."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

import intervals_cover
import noise
from breakeven.stats.intervals import LOOKS, Interval, interval
from intervals_cover import SPREADS, TARGET, coverage

COUNT = 400


def normal(spread: float = 0.1) -> list[list[float]]:
    """Return sessions of twenty rounds with a normal log ratio around 0."""
    drawn: list[list[float]] = np.random.default_rng(5).normal(0, spread, (COUNT, 20)).tolist()
    return drawn


def half_as_wide(values: Sequence[float]) -> Interval:
    """Return an interval that is deliberately broken."""
    one = interval(values)
    quarter = (one.high - one.low) / 4
    return Interval(
        n=one.n, mean=one.mean, sd=one.sd, scale=one.scale, df=one.df, low=one.mean - quarter,
        high=one.mean + quarter, verdict_low=one.verdict_low, verdict_high=one.verdict_high,
    )  # fmt: skip


def test_the_rule_s_interval_covers_normal_noise() -> None:
    """At every look at least 94 % of the intervals hold the truth."""
    found = coverage(normal())
    assert [c.n for c in found] == list(LOOKS)
    assert {c.sessions for c in found} == {COUNT}
    assert min(c.reading for c in found) >= 0.92
    assert min(c.verdict for c in found) >= 0.99


def test_an_interval_half_as_wide_fails() -> None:
    """A deliberately broken interval misses the target at the looks without a prior."""
    found = {c.n: c.reading for c in coverage(normal(), interval_of=half_as_wide)}
    assert all(found[n] < 0.8 for n in (8, 12, 20))


def test_another_truth_is_not_covered() -> None:
    """Intervals around 0 do not hold a truth far away; short sessions have fewer looks."""
    assert max(c.reading for c in coverage(normal(), truth=1.0)) == 0.0
    assert [c.n for c in coverage([[0.0, 0.1, 0.0, 0.1]])] == [3]


def test_a_miss_is_named_with_its_figure() -> None:
    """One kind of noise under the target makes the row a miss, in words."""
    good = {"noise": "normal", "spread": 0.1, "coverage": [
        {"n": n, "sessions": 10, "reading": 0.95, "verdict": 1.0} for n in LOOKS]}  # fmt: skip
    bad = msgspec.json.decode(msgspec.json.encode(good)) | {"noise": "memory"}
    bad["coverage"][3]["reading"] = 0.80
    real = [{"recording": "fresh", "n": 3, "reading": 0.97}]
    assert intervals_cover.coverage_result([good], real).met is True
    found = intervals_cover.coverage_result([good, bad], real)
    assert found.met is False
    assert "memory 80 % (n = 12)" in found.figure
    low = intervals_cover.coverage_result([good], [real[0] | {"reading": TARGET - 0.01}])
    assert low.met is False


@pytest.mark.parametrize("kind", noise.KINDS)
def test_every_kind_of_noise_makes_whole_sessions(kind: str) -> None:
    """Each has twenty rounds that count and more, or is withheld by the gate on lost turns."""
    made = noise.sessions(kind, 0.05, 20, np.random.default_rng(1))
    assert len(made) == 20
    assert all(len(s.values) >= LOOKS[-1] or s.withheld for s in made)
    assert all(np.isfinite(s.values).all() for s in made)


def test_stalls_are_seen_before_they_decide_a_round() -> None:
    """With one slot in ten stalled the gate leaves rounds as calm as they were."""
    rng = np.random.default_rng(1)
    stalled = [v for s in noise.sessions("two states", 0.05, 60, rng) for v in s.values]
    calm = [v for s in noise.sessions("normal", 0.05, 60, rng) for v in s.values]
    assert np.std(stalled) < 1.3 * np.std(calm)


def test_only_whole_slices_ten_times_the_best_are_stalls() -> None:
    """A slot of 8 ms beside 0.3 ms is a stall; 2 ms, or 8 ms beside 1 ms, is not."""
    times = np.array([[3e-4, 8e-3, 2e-3], [1e-3, 8e-3, 8e-3]])
    void = np.zeros(times.shape, dtype=bool)
    assert noise.stalls(times, void).tolist() == [[False, True, False], [False, False, False]]


def test_a_neighbour_that_takes_a_core_is_gated() -> None:
    """Turns in which others took over a tenth of a core are lost, the rest stay."""
    made = noise.sessions("neighbour", 0.05, 60, np.random.default_rng(1))
    lost = float(np.mean([s.lost for s in made]))
    assert 0.1 < lost < 0.25


def test_noise_on_one_side_is_on_both_in_its_aa_pair() -> None:
    """The mean of a one-sided skew is off 0, that of its A/A pair is not."""
    rng = np.random.default_rng(1)
    one = noise.sessions("skew on one side", 0.4, 60, rng)
    both = noise.sessions("skew on one side", 0.4, 60, rng, one_sided=False)
    assert np.mean([v for s in one for v in s.values]) > 0.3
    assert abs(np.mean([v for s in both for v in s.values])) < 0.1


def test_a_simulated_row_holds_words_for_every_look() -> None:
    """A row has the coverage at each look, winners and the share that was withheld."""
    row = intervals_cover.simulated("normal", SPREADS[1], 50, np.random.default_rng(1))
    assert [c["n"] for c in row["coverage"]] == list(LOOKS)
    assert row["winners"] == 0
    assert row["withheld"] == 0.0
