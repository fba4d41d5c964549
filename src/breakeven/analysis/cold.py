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
from breakeven.analysis.starts import Start, start
from breakeven.analysis.times import Times
from breakeven.model.verdict import BEST_CPU, Crossover, Estimate
from breakeven.stats.resampling import spread


class _Side(NamedTuple):
    """One entry at one size: its cold start, then seconds a round with data travelling."""

    entry: str
    start: Start
    rounds: tuple[float, ...]

    def total(
        self, cold: Sequence[int] | None = None, rounds: Sequence[int] | None = None
    ) -> float:
        cost = self.start.seconds() if cold is None else self.start.drawn(cold)
        calls = (
            self.rounds if rounds is None else [self.rounds[i % len(self.rounds)] for i in rounds]
        )
        return cost + statistics.median(calls)


def _side(times: Times, workload: str, size: int, entry: str) -> _Side | None:
    cold = start(times, workload, entry)
    rounds = tuple(times.by_round(workload, size, entry, "transfer").values())
    return _Side(entry, cold, rounds) if cold is not None and rounds else None


def _usual(times: Times, workload: str) -> list[str]:
    """Return the CPU entries that a size must have for its cold base to be chosen.

    These are the libraries as they come, so far as a round measured them anywhere. A size of the
    crossover's grid has one of them alone: there the base would change with what was measured.
    """
    cpus = cpu_entries(times.record)
    ran = [
        e
        for e in cpus
        if any(times.rounds_of(workload, s, e.id, "resident") for s in times.sizes(workload))
    ]
    return [e.id for e in ran if e.default] or [e.id for e in ran]


def _base(times: Times, plan: Plan, line: Line, size: int) -> _Side | None:
    """Return the base of a cold line at a size: the CPU entry with the smallest cold total."""
    if line.base_kind != BEST_CPU:
        base = plan.base(line, size)
        return None if base is None else _side(times, line.workload, size, base)
    found = {e.id: _side(times, line.workload, size, e.id) for e in cpu_entries(times.record)}
    sides = [side for side in found.values() if side is not None]
    if not sides or any(found[e] is None for e in _usual(times, line.workload)):
        return None
    return min(sides, key=_Side.total)


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
    for size in sorted({c.pair.size for c in compared} - spoilt):
        base = _base(times, plan, line, size)
        ours = _side(times, line.workload, size, line.entry)
        if ours is not None and base is not None:
            sides[size] = (base, ours)
    return _shape(times, line, sides, left_out(compared))


def _shape(
    times: Times,
    line: Line,
    sides: dict[int, tuple[_Side, _Side]],
    skipped: str,
) -> Crossover:
    bases = tuple(base.entry for base, _ in sides.values())
    blank = Crossover(
        workload=line.workload,
        scope="cold",
        base=bases[0] if len(set(bases)) == 1 else BEST_CPU,
        base_kind=line.base_kind,
        entry=line.entry,
        kind="undecided",
        sizes=tuple(sides),
        composed=True,
        why=skipped or None,
        bases=bases,
    )
    if not sides:
        lacking = start(times, line.workload, line.entry) is None
        said = "nothing to compare"
        if lacking:
            said = f"no fresh process of {times.label(line.entry)} was measured"
        return replace(blank, why="; ".join(s for s in (said, skipped) if s))
    ys = [math.log(base.total() / entry.total()) for base, entry in sides.values()]
    xs = [math.log(s) for s in sides]
    ups, downs = zeros(xs, ys, rising=True), zeros(xs, ys, rising=False)
    best = max(range(len(ys)), key=lambda i: ys[i])
    last_base, last = sides[blank.sizes[-1]]
    blank = replace(
        blank,
        start_s=last.start.seconds(),
        base_start_s=last_base.start.seconds(),
        processes=last.start.processes,
        base_processes=last_base.start.processes,
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
    cold = min(min(a.start.replicated, b.start.replicated) for a, b in sides)
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
