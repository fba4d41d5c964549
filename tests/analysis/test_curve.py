"""The ratio over size, and where it changes sign."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.analysis.curve import (
    Point,
    at_least_cell,
    bracket,
    changes,
    crossing,
    interpolation_error,
    point,
    size_at,
    zeros,
)


def grid(centre: float, step: float = 1.19, points: int = 9) -> list[int]:
    """Return sizes about a centre, evenly spaced in log."""
    half = points // 2
    return [round(centre * step**i) for i in range(-half, half + 1)]


def measured(
    truth: Callable[[float], float],
    sizes: Sequence[int],
    rng: random.Random,
    *,
    rounds: int,
    spread: float,
) -> list[Point]:
    """Return points of a true log ratio with noise: half of each round's is common to all sizes."""
    common = [rng.gauss(0, spread / math.sqrt(2)) for _ in range(rounds)]
    return [
        point(s, {r + 1: truth(s) + common[r] + rng.gauss(0, spread / math.sqrt(2))
                  for r in range(rounds)})
        for s in sizes
    ]  # fmt: skip


def rising(size: float) -> float:
    """Cross 0 at 521 with slope 0.9, as matmul does with its data travelling."""
    return 0.9 * math.log(size / 521)


@pytest.mark.parametrize(("rounds", "spread"), [(3, 0.05), (5, 0.15), (8, 0.15), (12, 0.10)])
def test_the_bracket_covers_a_known_crossing(rounds: int, spread: float) -> None:
    """On the nine-point grid the bracket holds the true crossing in 95 % of simulated runs."""
    rng = random.Random(rounds)
    trials, covered, near = 200, 0, []
    for _ in range(trials):
        points = measured(rising, grid(560), rng, rounds=rounds, spread=spread)
        found = changes(points)
        ends = bracket(points, rising=True)
        if len(found) != 1:
            continue
        estimate = found[0].estimate(points)
        low, high = at_least_cell(ends, estimate, [p.x for p in points])
        near.append(abs(math.exp(estimate) / 521 - 1))
        assert low is not None
        assert high is not None
        covered += math.exp(low) <= 521 <= math.exp(high)
    assert len(near) >= 0.9 * trials
    assert covered >= 0.95 * len(near)
    assert statistics.median(near) <= 0.05


@given(st.lists(st.floats(-2, 2), min_size=3, max_size=9), st.integers(0, 10_000))
def test_the_bracket_is_never_inside_out(means: list[float], seed: int) -> None:
    """Where both ends are there, the low one is not above the high one if the sign is sure once."""
    rng = random.Random(seed)
    points = [point(2**i, {r: m + rng.gauss(0, 0.1) for r in range(1, 6)})
              for i, m in enumerate(means, 4)]  # fmt: skip
    found = changes(points)
    low, high = bracket(points, rising=True)
    if len(found) == 1 and found[0].rising and low is not None and high is not None:
        assert low <= high


def test_the_bracket_stops_where_no_size_is_sure() -> None:
    """Without a size that surely loses there is no low end."""
    sure = point(2048, dict.fromkeys(range(1, 9), 1.0))
    unsure = point(512, {r: 0.3 * (-1) ** r for r in range(1, 9)})
    low, high = bracket([unsure, sure], rising=True)
    assert low is None
    assert high is not None
    assert 512 < math.exp(high) < 2048


def test_two_rounds_are_sure_of_nothing() -> None:
    """A size with two rounds has no sign, however large its ratio."""
    assert point(64, {1: 2.0, 2: 2.0}).sign == 0
    assert point(64, {1: 2.0, 2: 2.0, 3: 2.0}).sign == 1


def test_interpolation_is_exact_on_a_straight_line() -> None:
    """A power law is a straight line on log axes: its crossing is found exactly."""
    xs = [math.log(s) for s in (128, 512, 2048)]
    found = zeros(xs, [0.9 * (x - math.log(600)) for x in xs], rising=True)
    assert [math.exp(x) for x in found] == [pytest.approx(600)]


def test_wiggles_on_a_flat_curve_give_their_middle() -> None:
    """Noise that crosses three times near the place still gives one estimate."""
    xs = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    ys = [-1.0, -0.1, 0.1, -0.1, 0.1, 1.0]
    assert crossing(xs, ys, (0.0, 5.0), rising=True) == pytest.approx(2.5)


def test_a_curve_that_does_not_pass_gives_the_end_beyond() -> None:
    """A resampled curve all on one side puts the crossing at the end on that side."""
    assert crossing([0.0, 1.0], [0.2, 0.5], (0.0, 1.0), rising=True) == 0.0
    assert crossing([0.0, 1.0], [-0.5, -0.2], (0.0, 1.0), rising=True) == 1.0
    assert crossing([0.0, 1.0], [-0.5, -0.2], (0.0, 1.0), rising=False) == 0.0


def test_the_bracket_is_at_least_a_cell() -> None:
    """However narrow the bounds, the two sizes about the estimate are the least bracket."""
    xs = [1.0, 2.0, 3.0]
    assert at_least_cell((2.4, 2.5), 2.45, xs) == (2.0, 3.0)
    assert at_least_cell((0.5, 3.5), 2.45, xs) == (0.5, 3.5)
    assert at_least_cell((None, 2.5), 2.45, xs) == (None, 3.0)


def test_coarse_bent_curves_are_less_sure() -> None:
    """A straight line misplaces the crossing of a bent curve, the more the coarser the grid."""

    def truth(size: float) -> float:
        return math.log((6e-6 + size**3 * 1.15e-12) / (28e-6 + size**3 * 3.9e-14))

    where = 271.2  # of this curve
    errors = []
    for step in (4.0, 2.0, 1.19):
        xs = [math.log(s) for s in grid(256 * math.sqrt(step), step, 5)]
        ys = [truth(math.exp(x)) for x in xs]
        at = zeros(xs, ys, rising=True)[0]
        bent = interpolation_error(xs, ys, at)
        errors.append(bent)
        assert abs(at - math.log(where)) <= bent + 0.002
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02


def test_two_sizes_alone_know_nothing_between_them() -> None:
    """Without neighbours the whole cell is in doubt."""
    assert interpolation_error([0.0, 1.4], [-1.0, 1.0], 0.7) == pytest.approx(1.4)


@pytest.mark.parametrize("size", [1, 127, 512, 8192, 131_072])
def test_measured_sizes_come_back_whole(size: int) -> None:
    """The log of a size and back is that size."""
    assert size_at(math.log(size)) == float(size)


@pytest.mark.parametrize("kink", [0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize(("below", "above"), [(0.5, 1.5), (1.5, 0.5), (1.0, 1.0)])
def test_a_kink_at_the_crossing_does_not_move_it(kink: float, below: float, above: float) -> None:
    """Where straight pieces meet at 0 inside a cell the place is theirs, not that of a chord."""
    xs = [0.3 * (i - kink) for i in range(-2, 4)]
    ys = [below * x if x < 0 else above * x for x in xs]
    assert math.isclose(crossing(xs, ys, (xs[0], xs[-1]), rising=True), 0.0, abs_tol=1e-12)


def test_a_neighbour_that_bends_back_is_not_drawn_on() -> None:
    """A line that falls where the curve rises says nothing of where it passes 0."""
    xs, ys = [0.0, 0.5, 1.0, 1.5], [1.0, -1.0, 1.0, 0.5]
    assert crossing(xs, ys, (0.5, 1.0), rising=True) == 0.75


def test_lines_of_wide_cells_are_not_drawn_on() -> None:
    """Over a factor of 4 a line is no tangent: the chord alone places the crossing."""
    xs, ys = [0.0, 1.4, 2.8, 4.2], [-4.0, -1.0, 1.0, 1.2]
    assert math.isclose(crossing(xs, ys, (xs[0], xs[-1]), rising=True), 2.1)


@given(
    st.lists(st.floats(-3, 3).filter(lambda y: abs(y) > 1e-3), min_size=3, max_size=9),
    st.booleans(),
)
def test_the_place_lies_in_the_cell_of_the_passage(ys: list[float], rising_: bool) -> None:
    """Lines of neighbours never carry a crossing out of the range that was asked about."""
    xs = [float(i) for i in range(len(ys))]
    assert xs[0] <= crossing(xs, ys, (xs[0], xs[-1]), rising=rising_) <= xs[-1]
