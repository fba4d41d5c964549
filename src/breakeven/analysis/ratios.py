"""Ratios that are no verdicts: what launches, caches and float64 cost, each with its interval."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.gates import FLOOR_TIMES
from breakeven.analysis.pairs import Plan
from breakeven.analysis.times import Times
from breakeven.model.ratio import Ratio, RatioKind, Side
from breakeven.model.run import CacheTimes, Case, DeviceTimes
from breakeven.model.verdict import Verdict
from breakeven.stats.intervals import interval
from breakeven.stats.launches import gain, issue_rules


def ratios(found: Comparisons) -> tuple[Ratio, ...]:
    """Return every ratio that the record holds the two times of, by case, then by kind."""
    cases = [c for c in found.record.cases if c.status == "ok" and c.entry in found.times.entries]
    by_case = [
        r for c in cases for r in (*_launches(found.times, c), *_caches(found.times, found.plan, c))
    ]
    return (*by_case, *_float64(found))


def _launches(times: Times, case: Case) -> Iterator[Ratio]:
    """Yield what calls would gain that need not be awaited, or not be launched one by one.

    Only where launches rule: where a call takes longer to issue than the device works for it.
    Then calls that are issued one behind the other go at the host's pace. A call with its wait
    over that, both host times, is what waiting costs; that over the device's own time, with the
    launches spread over a batch or saved by a graph, is what launching costs.
    """
    device = case.device
    if device is None or not issue_rules(device.issue_s, device.queued_s):
        return
    assert device.issue_s is not None
    floors = times.record.limits.floors.get(case.entry)
    waiting = _waiting(times, case, device.issue_s)
    call_floor = 0.0 if floors is None else FLOOR_TIMES * floors.empty_call_s
    # At the floor of the host's clock either time would be the loop's.
    if waiting is not None and (waiting.denominator_s or 0.0) >= call_floor:
        yield waiting
    kernel = None if floors is None else floors.empty_kernel_s
    floor = None if kernel is None else FLOOR_TIMES * kernel
    for kind, side, each in _device_sides(device):
        seen = gain(device.issue_s, each, floor)
        if seen is not None:
            yield Ratio(
                workload=case.workload, size=case.size, entry=case.entry, kind=kind,
                numerator="issued", denominator=side, value=seen.factor, n=1,
                numerator_s=device.issue_s, denominator_s=each, at_least=seen.at_least,
            )  # fmt: skip


def _device_sides(device: DeviceTimes) -> tuple[tuple[RatioKind, Side, float | None], ...]:
    return (("batching", "queued", device.queued_s), ("graph", "graph", device.graph_s))


def _waiting(times: Times, case: Case, issue_s: float) -> Ratio | None:
    """Return an awaited call over an issued one, paired by the rounds that have both."""
    where = (case.workload, case.size, case.entry)
    awaited, issued = times.by_round(*where, "resident"), _issued(case)
    both = sorted(awaited.keys() & issued.keys())
    if not both:
        # The reading of the device's clocks may come from a round whose slots do not count.
        middle = times.median(*where, "resident")
        return None if middle is None else _single(case, middle, issue_s)
    if len(both) == 1:
        return _single(case, awaited[both[0]], issued[both[0]])
    seen = interval([math.log(awaited[r] / issued[r]) for r in both])
    return Ratio(
        workload=case.workload, size=case.size, entry=case.entry, kind="waiting",
        numerator="awaited", denominator="issued", value=math.exp(seen.mean), n=seen.n,
        numerator_s=statistics.median(awaited[r] for r in both),
        denominator_s=statistics.median(issued[r] for r in both),
        low=math.exp(seen.low), high=math.exp(seen.high),
    )  # fmt: skip


def _single(case: Case, awaited_s: float, issued_s: float) -> Ratio | None:
    seen = gain(awaited_s, issued_s, None)
    if seen is None:
        return None
    return Ratio(
        workload=case.workload, size=case.size, entry=case.entry, kind="waiting",
        numerator="awaited", denominator="issued", value=seen.factor, n=1,
        numerator_s=awaited_s, denominator_s=issued_s,
    )  # fmt: skip


def _issued(case: Case) -> dict[int, float]:
    """Return seconds until a call returns, by round."""
    found: dict[int, list[float]] = {}
    for r in case.rounds:
        if r.clock == "issue" and r.round > 0:
            found.setdefault(r.round, []).extend(s.median_s for s in r.slots if s.median_s > 0)
    return {number: statistics.median(values) for number, values in found.items() if values}


def _caches(times: Times, plan: Plan, case: Case) -> Iterator[Ratio]:
    """Yield the best CPU entry over a GPU entry, hot over hot and cold over cold.

    Neither where one side lacks its cold figure: cold is never shown of one side alone.
    """
    if times.on_cpu(case.entry) or case.caches is None:
        return
    best = plan.best_cpu(case.workload, case.size)
    base = None if best is None else times.cases.get((case.workload, case.size, best))
    if base is None or base.caches is None or not (_whole(base.caches) and _whole(case.caches)):
        return
    sides: tuple[tuple[RatioKind, Side, float | None, float | None], ...] = (
        ("hot_caches", "hot", base.caches.hot_s, case.caches.hot_s),
        ("cold_caches", "cold", base.caches.cold_s, case.caches.cold_s),
    )
    for kind, side, above, below in sides:
        if above and below:
            yield Ratio(
                workload=case.workload, size=case.size, entry=case.entry, other=best, kind=kind,
                numerator=side, denominator=side, value=above / below, n=1,
                numerator_s=above, denominator_s=below,
            )  # fmt: skip


def _whole(caches: CacheTimes) -> bool:
    return bool(caches.hot_s and caches.cold_s)


def _float64(found: Comparisons) -> Iterator[Ratio]:
    """Yield how float64 compares with float32 on a GPU, from the rounds of both."""
    for line, compared in found.variants.items():
        if line.scope != "resident" or line.base_kind != "own" or found.times.on_cpu(line.entry):
            continue
        for comparison in compared:
            one = _of_verdict(comparison.verdict)
            if one is not None:
                yield one


def _of_verdict(v: Verdict) -> Ratio | None:
    """Return the time of float64 over that of float32, whichever of the two is the variant."""
    if {v.base_precision, v.precision} != {"float64", "float32"}:
        return None
    if v.ratio is None or v.low is None or v.high is None:
        return None
    wide = v.precision == "float64"
    value, low, high = (1 / v.ratio, 1 / v.high, 1 / v.low) if wide else (v.ratio, v.low, v.high)
    return Ratio(
        workload=v.workload, size=v.size, entry=v.entry, other=v.base, kind="float64",
        numerator="float64", denominator="float32", value=value, low=low, high=high, n=v.rounds,
    )  # fmt: skip
