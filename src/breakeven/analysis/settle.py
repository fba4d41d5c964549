"""The stop rule: what is settled after the rounds so far."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from breakeven.analysis.compare import Comparison
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.crossover import CLOSED, crossover, first_estimate
from breakeven.analysis.pairs import Line, Pair
from breakeven.model.run import RunRecord
from breakeven.model.settlement import PairState, Settlement, SizeState, WorkloadState
from breakeven.model.verdict import Crossover
from breakeven.stats.intervals import next_look


def settle(record: RunRecord) -> Settlement:
    """Return what the rounds so far have settled, with where each crossover lies.

    A comparison is settled when its word is ``faster``, ``slower`` or ``equivalent`` at one of
    the looks, or when it is withheld for a reason that more rounds cannot mend.

    Parameters
    ----------
    record : RunRecord
        Everything measured so far; scouting alone is enough for a first estimate.
    """
    found = Comparisons(record)
    pairs = tuple(_pair(found, line) for line in found.main_lines())
    workloads = tuple(_workload(found, name) for name in found.times.workloads())
    return Settlement(
        pairs=pairs,
        workloads=workloads,
        rounds=found.times.rounds,
        next_look=next_look(found.times.rounds),
        settled=all(p.closed for p in pairs) and not any(w.open_sizes for w in workloads),
    )


def _workload(found: Comparisons, name: str) -> WorkloadState:
    sizes = found.times.sizes(name)
    compared = [c for c in found.all() if c.pair.workload == name]
    still_open = {c.pair.size for c in compared if not c.settled}
    bases = {size: found.plan.best_cpu(name, size) for size in sizes}
    return WorkloadState(
        workload=name,
        open_sizes=tuple(s for s in sizes if s in still_open),
        settled_sizes=tuple(s for s in sizes if s not in still_open),
        bases={size: base for size, base in bases.items() if base is not None},
    )


def _pair(found: Comparisons, line: Line) -> PairState:
    compared = found.by_line[line]
    crossed = crossover(line, compared)
    low, high = crossed.low, crossed.high
    factor = high / low if low is not None and high is not None else None
    states = tuple(_size(c) for c in compared)
    return PairState(
        workload=line.workload,
        scope=line.scope,
        base_kind=line.base_kind,
        entry=line.entry,
        sizes=states,
        estimate=_estimate(found, compared, crossed),
        low=low,
        high=high,
        factor=factor,
        closed=_closed(found, line, crossed, factor, states),
        rounds=max((s.rounds for s in states), default=0),
    )


def _size(c: Comparison) -> SizeState:
    return SizeState(
        size=c.pair.size,
        rounds=len(c.values),
        word=c.verdict.word,
        settled=c.settled,
        why=c.verdict.why,
        rounds_needed=c.verdict.rounds_needed,
    )


def _closed(
    found: Comparisons,
    line: Line,
    crossed: Crossover,
    factor: float | None,
    states: Sequence[SizeState],
) -> bool:
    """Return whether more rounds are not needed for this crossover.

    A bracket closes at a factor of 1.2; sizes that the user named need not be that near each
    other, so it closes there once all are settled, as does a curve that never crosses.
    """
    if factor is not None and factor <= CLOSED:
        return True
    given = any(w.name == line.workload and w.given for w in found.record.spec.workloads)
    crosses = crossed.kind == "bracket" and factor is not None
    return all(s.settled for s in states) and (given or not crosses)


def _estimate(
    found: Comparisons, compared: Sequence[Comparison], crossed: Crossover
) -> float | None:
    """Return where the crossing lies: judged, else from the rounds, else from scouting."""
    if crossed.estimate is not None:
        return crossed.estimate.value
    usable = [c for c in compared if c.gate is None or not c.gate.spoils or c.gate.mendable]
    sized = [(c.pair.size, statistics.fmean(c.values.values())) for c in usable if c.values]
    if sized:
        return first_estimate(sized)
    scouted = [(c.pair.size, _scouted_ratio(found, c.pair)) for c in usable]
    return first_estimate([(size, value) for size, value in scouted if value is not None])


def _scouted_ratio(found: Comparisons, pair: Pair) -> float | None:
    seconds = [
        found.times.scouted(pair.workload, pair.size, entry, voided=True, scope=pair.scope)
        for entry in (pair.base, pair.entry)
    ]
    base, entry = seconds
    return None if base is None or entry is None else math.log(base / entry)
