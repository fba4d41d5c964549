"""After how many calls, or reuses of the same data, an entry has repaid what it costs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from breakeven.analysis.compare import Comparison
from breakeven.analysis.starts import start
from breakeven.analysis.times import Times
from breakeven.model.verdict import Estimate, Payback, Scope
from breakeven.stats.intervals import LOOKS, interval
from breakeven.stats.resampling import spread


class _Saving(NamedTuple):
    """What one call saves: base seconds, paired log ratio and journey seconds, by round."""

    base: tuple[float, ...]
    logs: tuple[float, ...]
    journey: tuple[float, ...]

    def seconds(self, chosen: Sequence[int]) -> float:
        """Return seconds saved a call: the base's median time, less what the ratio leaves of it.

        The ratio is what the rounds measure best (both sides in one round), so the saving is
        taken from it; it then never contradicts the verdict.
        """
        base = statistics.median(self.base[i] for i in chosen)
        log = math.fsum(self.logs[i] for i in chosen) / len(chosen)
        return base * -math.expm1(-log)

    def journey_s(self, chosen: Sequence[int]) -> float:
        return statistics.median(self.journey[i] for i in chosen)


def payback(times: Times, resident: Comparison, transfer: Comparison | None) -> Payback:
    """Return after how many calls and reuses an entry has repaid its costs at one size.

    Calls: start-up (import, context, what the first call takes beyond a steady one) beyond that
    of the base, over what a call saves; import and context are pooled over the processes of all
    workloads. Reuses: one journey of the data, over what an operation
    saves once it is there. The journey is the median over rounds of the whole piece (in, compute,
    out) less the resident call of the same round, since that pair is replicated by round; copies
    timed apart are not.

    Parameters
    ----------
    times : Times
        The record's wall times.
    resident, transfer : Comparison
        The same pair in both scopes; no transfer for an entry on the CPU.
    """
    pair = resident.pair
    notes: list[str] = []
    calls = None
    if transfer is not None:
        calls = _calls(times, transfer, "with the data travelling", notes)
    stays = "calls" if times.on_cpu(pair.entry) else "on resident data"
    calls_resident = _calls(times, resident, stays, notes)
    reuses = _reuses(times, resident, notes) if transfer is not None else None
    ours, theirs = (start(times, pair.workload, e) for e in (pair.entry, pair.base))
    return Payback(
        workload=pair.workload,
        size=pair.size,
        base=pair.base,
        base_kind=pair.base_kind,
        entry=pair.entry,
        calls=calls if transfer is not None else calls_resident,
        calls_resident=calls_resident,
        reuses=reuses,
        why="; ".join(dict.fromkeys(notes)) or None,
        start_s=ours.seconds() if ours else None,
        base_start_s=theirs.seconds() if theirs else None,
        processes=ours.processes if ours else 0,
        base_processes=theirs.processes if theirs else 0,
    )


def _saving(times: Times, comparison: Comparison) -> _Saving:
    pair = comparison.pair
    rounds = sorted(comparison.values)

    def by_round(entry: str, scope: Scope) -> dict[int, float]:
        return times.by_round(pair.workload, pair.size, entry, scope)

    base = by_round(pair.base, pair.scope)
    there, whole = by_round(pair.entry, "resident"), by_round(pair.entry, "transfer")
    journey = tuple(whole[r] - there[r] for r in rounds if r in whole and r in there)
    return _Saving(
        tuple(base[r] for r in rounds), tuple(comparison.values[r] for r in rounds), journey
    )


def _pays(times: Times, comparison: Comparison, where: str, notes: list[str]) -> bool:
    """Return whether a call surely saves time; if not, note why."""
    if comparison.gate is not None and comparison.gate.spoils:
        notes.append(f"{where}: {comparison.gate.why}")
        return False
    if len(comparison.values) < LOOKS[0]:
        notes.append(f"{where}: fewer than 3 rounds")
        return False
    seen = interval(list(comparison.values.values()))
    if seen.high < 0:
        base = times.label(comparison.pair.base)
        notes.append(f"{where}: never, a call is slower than on {base}")
    elif seen.low <= 0:
        notes.append(f"{where}: it is not settled that a call is faster")
    return seen.low > 0


def _calls(times: Times, comparison: Comparison, where: str, notes: list[str]) -> Estimate | None:
    pair = comparison.pair
    if not _pays(times, comparison, where, notes):
        return None
    ours, theirs = (start(times, pair.workload, e) for e in (pair.entry, pair.base))
    if ours is None or theirs is None or min(ours.processes, theirs.processes) < 2:
        measured = (
            "no fresh process" if ours is None or theirs is None else "only one fresh process"
        )
        notes.append(
            f"{where}: {measured} was measured, which gives no interval; two or more of each "
            "backend would (--budget)"
        )
        return None

    saving = _saving(times, comparison)
    n = min(len(saving.logs), ours.replicated, theirs.replicated)
    spent = ours.seconds() - theirs.seconds()
    ours_down, ours_up = ours.spread()
    theirs_down, theirs_up = theirs.spread()
    low = spent - math.hypot(ours_down, theirs_up)
    high = spent + math.hypot(ours_up, theirs_down)
    return _count((low, spent, high), saving, n, where, notes)


def _reuses(times: Times, resident: Comparison, notes: list[str]) -> Estimate | None:
    where = "reuses"
    if not _pays(times, resident, where, notes):
        return None
    saving = _saving(times, resident)
    if len(saving.journey) < len(saving.logs):
        notes.append(f"{where}: the journey of the data was not measured in every round")
        return None
    every = range(len(saving.logs))
    spent = saving.journey_s(every)
    down, up = spread(saving.journey_s, len(every), spent)
    if spent <= 0:
        notes.append(f"{where}: the journey of the data is lost in the noise of the call")
        return None
    return _count((spent - down, spent, spent + up), saving, len(every), where, notes)


def _count(
    spent: tuple[float, float, float], saving: _Saving, n: int, where: str, notes: list[str]
) -> Estimate | None:
    """Return the first whole number of calls that beats the base, from cost over saving.

    Costs and savings come from different measurements, so their spreads add in quadrature, each
    on the log scale about its own estimate.
    """
    every = range(len(saving.logs))
    gain = saving.seconds(every)
    down, up = spread(saving.seconds, len(every), gain)
    if gain - down <= 0:
        notes.append(f"{where}: the saving of a call is not settled; more rounds would tell")
        return None
    low_cost, cost, high_cost = spent
    centre = max(cost, 0.0) / gain
    if cost <= 0:
        # It costs no more than the base does: ahead from the first call, as far as is known.
        latest = max(high_cost, 0.0) / (gain - down)
        return Estimate(value=1.0, low=1.0, high=_whole(latest), level=0.95, n=n)
    fewer = math.hypot(
        math.log(cost / low_cost) if low_cost > 0 else math.inf, math.log((gain + up) / gain)
    )
    more = math.hypot(math.log(high_cost / cost), math.log(gain / (gain - down)))
    return Estimate(
        value=_whole(centre),
        low=_whole(centre * math.exp(-fewer)),
        high=_whole(centre * math.exp(more)),
        level=0.95,
        n=n,
    )


def _whole(calls: float) -> float:
    """Return the smallest whole number of calls beyond the break-even."""
    return float(math.floor(calls) + 1)
