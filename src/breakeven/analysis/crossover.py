"""Where an entry overtakes its base over the axis of size."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from breakeven import units
from breakeven.analysis.compare import Comparison
from breakeven.analysis.curve import (
    Change,
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
from breakeven.analysis.pairs import Line
from breakeven.model.verdict import BEST_CPU, Crossover, Estimate
from breakeven.stats.intervals import LOOKS
from breakeven.stats.resampling import spread

CLOSED = 1.2
"""Factor from low to high at which a bracket is narrow enough."""


def points_of(compared: Sequence[Comparison]) -> list[Point]:
    """Return the points of a line that may bear on its crossover, ascending by size."""
    kept = [c for c in compared if c.values and not (c.gate and c.gate.spoils)]
    return sorted((point(c.pair.size, c.values) for c in kept), key=lambda p: p.size)


def base_name(line: Line, compared: Sequence[Comparison]) -> str:
    """Return what a line calls its base: one entry, or the best CPU entry of each size."""
    if line.base_kind == BEST_CPU or not compared:
        return BEST_CPU
    return compared[0].pair.base


def left_out(compared: Sequence[Comparison]) -> str:
    """Return which sizes do not count, with the reason of each; empty when all do."""
    by_reason: dict[str, list[int]] = {}
    for c in compared:
        if c.gate is not None and c.gate.spoils:
            by_reason.setdefault(c.gate.why, []).append(c.pair.size)
    return "; ".join(
        f"left out: {', '.join(str(s) for s in sizes)} ({why})" for why, sizes in by_reason.items()
    )


def crossover(line: Line, compared: Sequence[Comparison]) -> Crossover:
    """Return where the entry of a line overtakes its base.

    The kind rests on the sizes whose 95 % interval lies on one side, with at least one verdict
    that is settled: without one, chance alone would find a crossing somewhere on a flat curve.

    Parameters
    ----------
    line : Line
        Entry, scope and kind of base.
    compared : sequence of Comparison
        Its comparisons, one a size.

    Returns
    -------
    Crossover
        ``several`` also when the only change is one at which the entry stops winning.
    """
    points = [p for p in points_of(compared) if p.seen.n >= LOOKS[0]]
    blank = Crossover(
        workload=line.workload,
        scope=line.scope,
        base=base_name(line, compared),
        base_kind=line.base_kind,
        entry=line.entry,
        kind="undecided",
        sizes=tuple(p.size for p in points),
    )
    if not points:
        return msgspec.structs.replace(blank, why=_no_points(compared))
    found = changes(points)
    best = max(points, key=lambda p: p.seen.mean)
    blank = msgspec.structs.replace(
        blank,
        changes=tuple(size_at(c.estimate(points)) for c in found),
        best_ratio=math.exp(best.seen.mean),
        best_size=best.size,
    )
    if len(found) > 1 or (found and not found[0].rising):
        shaped = _several(blank, points, found)
    elif found or any(p.sign for p in points):
        shaped = _single(blank, points, found, _thin(compared))
    else:
        shaped = msgspec.structs.replace(blank, why="no size tells the two apart")
    return _claims(shaped, compared)


def _no_points(compared: Sequence[Comparison]) -> str:
    few = any(c.gate is None or not c.gate.spoils for c in compared)
    said = ["fewer than 3 rounds at every size" if few else "", left_out(compared)]
    return "; ".join(s for s in said if s) or "nothing was measured"


def _several(blank: Crossover, points: Sequence[Point], found: Sequence[Change]) -> Crossover:
    parts = [
        f"{'ahead' if c.rising else 'behind'} beyond about {units.significant(size)}"
        for c, size in zip(found, blank.changes, strict=True)
    ]
    start = "behind" if found[0].rising else "ahead"
    why = f"the entry is {start} at the smallest sizes, " + ", ".join(parts)
    if len(found) > 1:
        return msgspec.structs.replace(blank, kind="several", why=why)
    estimate, ends = located(points, found[0])
    return msgspec.structs.replace(
        blank, kind="several", why=why, estimate=estimate, low=ends[0], high=ends[1]
    )


def _thin(compared: Sequence[Comparison]) -> list[int]:
    """Return the sizes that were measured in too few rounds to count."""
    return [c.pair.size for c in compared if c.gate is not None and c.gate.reason == "few_rounds"]


def _single(
    blank: Crossover, points: Sequence[Point], found: Sequence[Change], thin: Sequence[int]
) -> Crossover:
    """Shape a curve that surely changes once, or is sure at some sizes and open at the others."""
    if found:
        estimate, (low, high) = located(points, found[0])
        return msgspec.structs.replace(
            blank,
            kind="bracket",
            estimate=estimate,
            low=low,
            high=high,
            why=_width(low, high, points, thin),
        )
    signs = {p.sign for p in points}
    if signs == {1}:
        return msgspec.structs.replace(blank, kind="always")
    if signs == {-1}:
        return msgspec.structs.replace(blank, kind="never", why=_trend(points))
    open_sizes = ", ".join(str(p.size) for p in points if p.sign == 0)
    if not _ordered(points):
        sure = ", ".join(str(p.size) for p in points if p.sign)
        state = "ahead" if signs >= {1} else "behind"
        return msgspec.structs.replace(
            blank, why=f"{state} at {sure}; not told apart at {open_sizes}"
        )
    low_x, high_x = bracket(points, rising=True)
    return msgspec.structs.replace(
        blank,
        kind="bracket",
        low=None if low_x is None else size_at(low_x),
        high=None if high_x is None else size_at(high_x),
        why=f"not told apart at {open_sizes}",
    )


def _ordered(points: Sequence[Point]) -> bool:
    """Return whether sure and open sizes lie as on a curve that rises through equality.

    What is surely lost must lie below all that is open, what is surely won above: an entry that
    is ahead at the smallest size and open beyond it has shown no place where it overtakes.
    """
    signs = [p.sign for p in points]
    return signs == sorted(signs)


def located(
    points: Sequence[Point], change: Change
) -> tuple[Estimate, tuple[float | None, float | None]]:
    """Return a change's estimate with its interval, then its bracket.

    The interval comes from resampled rounds, with what a straight line between the sizes may
    misplace on either side.
    """
    centre = change.estimate(points)
    rounds = sorted({r for p in points for r in p.values})
    xs = [p.x for p in points]

    def again(chosen: Sequence[int]) -> float:
        drawn = [rounds[i] for i in chosen]
        return crossing(
            xs,
            [_mean_of(p, drawn) for p in points],
            (change.before.x, change.after.x),
            rising=change.rising,
        )

    down, up = spread(again, len(rounds), centre)
    bent = interpolation_error(xs, [p.seen.mean for p in points], centre)
    replicated = min(change.before.seen.n, change.after.seen.n)
    low = max(centre - down - bent, xs[0])
    high = min(centre + up + bent, xs[-1])
    estimate = Estimate(
        value=size_at(centre), low=size_at(low), high=size_at(high), level=0.95, n=replicated
    )
    ends = at_least_cell(bracket(points, rising=change.rising), centre, xs)
    return estimate, (
        None if ends[0] is None else size_at(ends[0]),
        None if ends[1] is None else size_at(ends[1]),
    )


def _mean_of(p: Point, drawn: Sequence[int]) -> float:
    """Return the mean over the drawn rounds that measured this size; over all when none did."""
    values = [p.values[r] for r in drawn if r in p.values]
    return math.fsum(values) / len(values) if values else p.seen.mean


def _width(
    low: float | None, high: float | None, points: Sequence[Point], thin: Sequence[int]
) -> str | None:
    """Return why a bracket is wider than asked."""
    if low is None or high is None or high <= low * CLOSED:
        return None
    spans = f"the bracket spans a factor of {units.significant(high / low)}"
    if not any(low < p.size < high for p in points):
        if any(low < size < high for size in thin):
            few = f"sizes between its ends have fewer than {LOOKS[0]} rounds"
            return f"{spans}: {few}; more time (--budget) would narrow it"
        return f"{spans}: no size between its ends was measured (--sizes, or more --budget)"
    rounds = max(p.seen.n for p in points)
    return f"{spans} after {rounds} rounds; more rounds would narrow it (--budget)"


def _trend(points: Sequence[Point]) -> str | None:
    if len(points) < 2:
        return None
    last, before = points[-1], points[-2]
    rises = last.seen.mean > before.seen.mean
    return (
        f"at the largest sizes the ratio {'still rises' if rises else 'does not rise'}: "
        f"{units.ratio(math.exp(before.seen.mean))} at {before.size}, "
        f"{units.ratio(math.exp(last.seen.mean))} at {last.size}"
    )


def _claims(shaped: Crossover, compared: Sequence[Comparison]) -> Crossover:
    """Add what settled verdicts claim, then what was left out."""
    wins = [c.pair.size for c in compared if c.verdict.word == "faster"]
    losses = [c.pair.size for c in compared if c.verdict.word == "slower"]
    top = shaped.estimate.value if shaped.estimate else shaped.high
    below = [s for s in losses if top is None or s <= top]
    why = [shaped.why or "", left_out(compared)]
    kind = shaped.kind
    if kind != "undecided" and not (wins or losses):
        kind = "undecided"
        why.insert(0, "no size has a settled verdict yet")
    return msgspec.structs.replace(
        shaped,
        kind=kind,
        wins_from=min(wins, default=None),
        wins_to=max(wins, default=None),
        loses_to=max(below, default=None),
        why="; ".join(w for w in why if w) or None,
    )


def first_estimate(sized: Sequence[tuple[int, float]]) -> float | None:
    """Return the size at which log ratios pass 0 upwards, from as little as one reading a size.

    The last such place stands; None when there is none.
    """
    ordered = sorted(sized)
    found = zeros([math.log(s) for s, _ in ordered], [v for _, v in ordered], rising=True)
    return math.exp(found[-1]) if found else None
