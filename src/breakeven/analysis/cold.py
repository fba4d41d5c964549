"""The cold scope: from a fresh interpreter to the first answer, put together from its parts."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from breakeven.analysis.bases import cpu_entries
from breakeven.analysis.compare import Comparison
from breakeven.analysis.crossover import left_out
from breakeven.analysis.curve import crossing, interpolation_error, size_at, zeros
from breakeven.analysis.pairs import Line, Plan
from breakeven.analysis.times import Times
from breakeven.model.verdict import BEST_CPU, Crossover, Estimate
from breakeven.stats.resampling import spread


def cold_costs(times: Times, workload: str, entry: str) -> tuple[float, ...]:
    """Return what a fresh process pays before steady calls, seconds, one value a process.

    Import, context, then what the first call takes beyond the last one measured. A process that
    made one call only cannot tell the two apart, so it is left out.
    """
    backend = times.entries[entry].backend
    return tuple(
        c.import_s + c.context_s + max(0.0, c.calls_s[0] - c.calls_s[-1])
        for c in times.record.cold_starts
        if c.backend == backend and c.workload == workload and len(c.calls_s) > 1
    )


def cold_median(times: Times, workload: str, entry: str) -> float | None:
    """Return the median cold cost of an entry; None when no fresh process was measured."""
    costs = cold_costs(times, workload, entry)
    return statistics.median(costs) if costs else None


class _Side(NamedTuple):
    """One entry at one size: cold cost a process, then seconds a round with data travelling."""

    cold: tuple[float, ...]
    rounds: tuple[float, ...]

    def total(
        self, cold: Sequence[int] | None = None, rounds: Sequence[int] | None = None
    ) -> float:
        costs = self.cold if cold is None else [self.cold[i % len(self.cold)] for i in cold]
        calls = (
            self.rounds if rounds is None else [self.rounds[i % len(self.rounds)] for i in rounds]
        )
        return statistics.median(costs) + statistics.median(calls)


def _side(times: Times, workload: str, size: int, entry: str) -> _Side | None:
    cold = cold_costs(times, workload, entry)
    rounds = tuple(times.by_round(workload, size, entry, "transfer").values())
    return _Side(cold, rounds) if cold and rounds else None


def _base(times: Times, plan: Plan, line: Line, size: int) -> str | None:
    """Return the base of a cold line: the CPU entry with the smallest total, as scouted."""
    if line.base_kind != BEST_CPU:
        return plan.base(line, size)
    totals = {}
    for e in cpu_entries(times.record):
        cold = cold_median(times, line.workload, e.id)
        call = times.scouted(line.workload, size, e.id, voided=False)
        if call is None:
            call = times.median(line.workload, size, e.id, "resident")
        if cold is not None and call is not None:
            totals[e.id] = cold + call
    measured = {
        e: t for e, t in totals.items() if times.by_round(line.workload, size, e, "transfer")
    }
    chosen = measured or totals
    return min(chosen, key=lambda e: chosen[e]) if chosen else None


def cold_crossover(
    times: Times, plan: Plan, line: Line, compared: Sequence[Comparison]
) -> Crossover:
    """Return where an entry overtakes its base when every call starts from nothing.

    It is composed from medians, so it has no bracket beyond the two neighbouring measured sizes.

    Parameters
    ----------
    line : Line
        Entry and kind of base; its scope is not used.
    compared : sequence of Comparison
        Its comparisons with data travelling: sizes that do not count there do not count here.
    """
    spoilt = {c.pair.size for c in compared if c.gate is not None and c.gate.spoils}
    sides: dict[int, tuple[_Side, _Side]] = {}
    bases = set()
    for size in sorted({c.pair.size for c in compared} - spoilt):
        base = _base(times, plan, line, size)
        if base is None:
            continue
        ours, theirs = (
            _side(times, line.workload, size, line.entry),
            _side(times, line.workload, size, base),
        )
        if ours is not None and theirs is not None:
            sides[size] = (theirs, ours)
            bases.add(base)
    return _shape(times, line, sides, bases, left_out(compared))


def _shape(
    times: Times,
    line: Line,
    sides: dict[int, tuple[_Side, _Side]],
    bases: set[str],
    skipped: str,
) -> Crossover:
    blank = Crossover(
        workload=line.workload,
        scope="cold",
        base=BEST_CPU if line.base_kind == BEST_CPU or not bases else next(iter(bases)),
        base_kind=line.base_kind,
        entry=line.entry,
        kind="undecided",
        sizes=tuple(sides),
        composed=True,
        why=skipped or None,
    )
    if not sides:
        lacking = not cold_costs(times, line.workload, line.entry)
        said = f"no fresh process of {line.entry} was measured" if lacking else "nothing to compare"
        return replace(blank, why="; ".join(s for s in (said, skipped) if s))
    ys = [math.log(base.total() / entry.total()) for base, entry in sides.values()]
    xs = [math.log(s) for s in sides]
    ups, downs = zeros(xs, ys, rising=True), zeros(xs, ys, rising=False)
    best = max(range(len(ys)), key=lambda i: ys[i])
    blank = replace(
        blank,
        best_ratio=math.exp(ys[best]),
        best_size=blank.sizes[best],
        changes=tuple(size_at(x) for x in sorted([*ups, *downs])),
    )
    if not blank.changes:
        return replace(blank, kind="always" if ys[0] > 0 else "never")
    if len(ups) != 1 or downs:
        return replace(blank, kind="several")
    at = next(i for i, x in enumerate(xs) if x >= ups[0])
    estimate, why = _estimate(xs, list(sides.values()), ups[0])
    return replace(
        blank,
        kind="bracket",
        low=float(blank.sizes[at - 1]),
        high=float(blank.sizes[at]),
        estimate=estimate,
        why="; ".join(w for w in (why, skipped) if w) or None,
    )


def _estimate(
    xs: Sequence[float], sides: Sequence[tuple[_Side, _Side]], centre: float
) -> tuple[Estimate | None, str | None]:
    """Return the crossing with its interval from resampled processes and rounds."""
    cold = min(min(len(a.cold), len(b.cold)) for a, b in sides)
    rounds = min(min(len(a.rounds), len(b.rounds)) for a, b in sides)
    if cold < 2 or rounds < 2:
        lacking = "fresh process" if cold < 2 else "round"
        return None, f"one {lacking} gives no interval; two or more would (--budget)"

    def place(ys: Sequence[float]) -> float:
        return crossing(xs, ys, (xs[0], xs[-1]), rising=True)

    def by_cold(chosen: Sequence[int]) -> float:
        return place([math.log(b.total(cold=chosen) / e.total(cold=chosen)) for b, e in sides])

    def by_round(chosen: Sequence[int]) -> float:
        return place([math.log(b.total(rounds=chosen) / e.total(rounds=chosen)) for b, e in sides])

    ys = [math.log(b.total() / e.total()) for b, e in sides]
    bent = interpolation_error(xs, ys, centre)
    parts = [spread(by_cold, cold, centre), spread(by_round, rounds, centre)]
    down = math.hypot(*(p[0] for p in parts))
    up = math.hypot(*(p[1] for p in parts))
    low, high = max(centre - down - bent, xs[0]), min(centre + up + bent, xs[-1])
    return Estimate(value=size_at(centre), low=size_at(low), high=size_at(high), level=0.95,
                    n=min(cold, rounds)), None  # fmt: skip
