"""The ratio of an entry to its base over size, with the places where it changes sign."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from breakeven.stats.intervals import LOOKS, Interval, interval

NARROW = math.log(2)


@dataclass(frozen=True, slots=True)
class Point:
    """Rounds of one comparison at one size.

    Attributes
    ----------
    size : int
        The size.
    values : dict
        Paired log ratio by round, at least one.
    seen : Interval
        Their mean with its intervals.
    """

    size: int
    values: dict[int, float]
    seen: Interval

    @property
    def x(self) -> float:
        """Log of the size."""
        return math.log(self.size)

    @property
    def sign(self) -> int:
        """1 or -1 where the 95 % interval of three rounds or more lies on one side, else 0."""
        if self.seen.n < LOOKS[0]:
            return 0
        return (self.seen.low > 0) - (self.seen.high < 0)


def point(size: int, values: dict[int, float]) -> Point:
    """Return the point of a size from its rounds."""
    return Point(size, values, interval([values[r] for r in sorted(values)]))


def size_at(x: float) -> float:
    """Return the size of a log size; a measured size comes back as it was."""
    size = math.exp(x)
    whole = round(size)
    return float(whole) if math.isclose(size, whole, rel_tol=1e-9) else size


def zeros(xs: Sequence[float], ys: Sequence[float], *, rising: bool) -> list[float]:
    """Return where straight lines between points pass 0 in one direction, ascending."""
    found = []
    for (x0, y0), (x1, y1) in zip(
        zip(xs, ys, strict=True), zip(xs[1:], ys[1:], strict=True), strict=False
    ):
        passes = y0 < 0 <= y1 if rising else y0 > 0 >= y1
        if passes:
            found.append(x0 + (x1 - x0) * -y0 / (y1 - y0))
    return found


def crossing(
    xs: Sequence[float], ys: Sequence[float], between: tuple[float, float], *, rising: bool
) -> float:
    """Return the one place where the curve passes 0 between two log sizes.

    Cost curves have kinks, and a line from one side of a kink to the other misses both sides of
    it: so the lines of the neighbouring cells are drawn on into the cell that holds the passage,
    and the middle one of the three places stands (decision 017).

    Noise makes a flat curve pass 0 several times on a fine grid: the middle one stands then.
    Where it does not pass at all, the end that it would have passed beyond.

    Parameters
    ----------
    xs, ys : sequence of float
        Log sizes, ascending, with the log ratio at each.
    between : tuple of float
        Two of the log sizes; the curve is negative at the first and positive at the second when
        it rises, and the reverse when it falls.
    """
    inside = [i for i, x in enumerate(xs) if between[0] <= x <= between[1]]
    found = [
        _passage(xs, ys, i) for i in inside[:-1] if ys[i] < 0 <= ys[i + 1] or ys[i] > 0 >= ys[i + 1]
    ]
    if found:
        return statistics.median(found)
    first = ys[inside[0]]
    before = first >= 0 if rising else first <= 0
    return between[0] if before else between[1]


def _passage(xs: Sequence[float], ys: Sequence[float], cell: int) -> float:
    """Return where the curve passes 0 between point `cell` and the next, by three lines.

    Only lines of cells narrower than a factor of 2 are drawn on: a wider one is no tangent.
    """
    left, right = xs[cell], xs[cell + 1]
    slope = (ys[cell + 1] - ys[cell]) / (right - left)
    places = [left - ys[cell] / slope]
    for near, far in ((cell, cell - 1), (cell + 1, cell + 2)):
        if 0 <= far < len(xs) and max(right - left, abs(xs[near] - xs[far])) < NARROW:
            drawn = (ys[near] - ys[far]) / (xs[near] - xs[far])
            if drawn * slope > 0:
                places.append(min(max(xs[near] - ys[near] / drawn, left), right))
    return statistics.median(places)


def interpolation_error(xs: Sequence[float], ys: Sequence[float], at: float) -> float:
    """Return by how much a straight line between two sizes may misplace the crossing.

    A curve of curvature c strays by up to h^2 c / 8 from a line over a cell of width h; twice
    that is taken, for the curvature is read from the neighbours and cost curves have kinks.
    Without a neighbour it is the whole cell.

    Parameters
    ----------
    at : float
        The crossing, a log size between the first and the last.
    """
    cell = max((i for i in range(len(xs) - 1) if xs[i] <= at), default=0)
    h = xs[cell + 1] - xs[cell]
    slope = (ys[cell + 1] - ys[cell]) / h
    bends = []
    for i in (cell, cell + 1):
        if 0 < i < len(xs) - 1:
            left = (ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1])
            right = (ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i])
            bends.append(abs(right - left) * 2 / (xs[i + 1] - xs[i - 1]))
    if not bends or slope == 0:
        return h
    return min(h, h * h / 4 * max(bends) / abs(slope))


@dataclass(frozen=True, slots=True)
class Change:
    """Two neighbouring sizes on whose sides the 95 % intervals are sure of opposite signs."""

    before: Point
    after: Point

    @property
    def rising(self) -> bool:
        """Whether the entry wins beyond it."""
        return self.after.sign > 0

    def estimate(self, points: Sequence[Point]) -> float:
        """Return the log size at which the means pass 0."""
        return crossing(
            [p.x for p in points],
            [p.seen.mean for p in points],
            (self.before.x, self.after.x),
            rising=self.rising,
        )


def changes(points: Sequence[Point]) -> list[Change]:
    """Return every change of sign that the intervals are sure of, ascending."""
    sure = [p for p in points if p.sign != 0]
    return [Change(a, b) for a, b in pairwise(sure) if a.sign != b.sign]


def bracket(points: Sequence[Point], *, rising: bool) -> tuple[float | None, float | None]:
    """Return the log sizes between which the curve passes 0, by its interpolated 95 % bounds.

    For a rising curve: from the smallest size that surely loses, up to where the upper bound
    reaches 0; from the largest that surely wins, down to where the lower bound does.

    Parameters
    ----------
    points : sequence of Point
        Ascending; those with fewer than three rounds are left out.

    Returns
    -------
    tuple
        Low and high; None for an end that no size is sure of.
    """
    known = [p for p in points if p.seen.n >= LOOKS[0]]
    turn = 1 if rising else -1
    inner = [(p.x, turn * (p.seen.high if rising else p.seen.low)) for p in known]
    outer = [(p.x, turn * (p.seen.low if rising else p.seen.high)) for p in known]
    return _first_reach(inner), _last_reach(outer)


def _first_reach(bound: Sequence[tuple[float, float]]) -> float | None:
    """Return where a bound first rises to 0 after the first point that lies below."""
    start = next((i for i, (_, y) in enumerate(bound) if y < 0), None)
    if start is None:
        return None
    for (x0, y0), (x1, y1) in zip(bound[start:], bound[start + 1 :], strict=False):
        if y1 >= 0:
            return x0 + (x1 - x0) * -y0 / (y1 - y0)
    return bound[-1][0]


def _last_reach(bound: Sequence[tuple[float, float]]) -> float | None:
    """Return where a bound last lies at 0 before the last point that lies above."""
    end = next((i for i in range(len(bound) - 1, -1, -1) if bound[i][1] > 0), None)
    if end is None:
        return None
    for i in range(end, 0, -1):
        (x0, y0), (x1, y1) = bound[i - 1], bound[i]
        if y0 <= 0:
            return x0 + (x1 - x0) * -y0 / (y1 - y0)
    return bound[0][0]


def at_least_cell(
    ends: tuple[float | None, float | None], estimate: float, xs: Sequence[float]
) -> tuple[float | None, float | None]:
    """Return a bracket widened to the two measured sizes that hold the estimate."""
    low, high = ends
    below = max((x for x in xs if x <= estimate), default=None)
    above = min((x for x in xs if x > estimate), default=None)
    if low is not None and below is not None:
        low = min(low, below)
    if high is not None and above is not None:
        high = max(high, above)
    return low, high
