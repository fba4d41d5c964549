"""What each case reached: its rates, and its share of the least time that the ceilings allow."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from breakeven import units
from breakeven.analysis.times import WARM_SCOPES, Times
from breakeven.model.machine import Ceilings, Cpu, LinkRate
from breakeven.model.run import Case, Entry, Work
from breakeven.model.verdict import Achieved, BoundBy, Bounded, Scope

# Beyond this share a call was faster than its device can be: the ceiling or the count is wrong.
FAULT = 1.05
# A call that spends this share of its time on the host, issuing, is bound by launches.
ISSUING = 0.5
# Variants that repeat another entry, or measure badly on purpose.
REPEATED = frozenset({"twin", "naive", "planted"})


def achieved(times: Times) -> tuple[Achieved, ...]:
    """Return floating-point operations and bytes a second of each sound case, data resident.

    Cases without a sound time, or whose work is not counted, are left out. Where the ceilings of
    a device were measured, each of its cases is set beside them.
    """
    ceilings = {c.device: c for c in times.record.limits.ceilings}
    rows = []
    for case in times.record.cases:
        entry = times.entries[case.entry]
        if case.status != "ok" or case.work is None or entry.variant in REPEATED:
            continue
        seconds = times.median(case.workload, case.size, case.entry, "resident")
        if seconds is None:
            continue
        rows.append(
            Achieved(
                workload=case.workload,
                size=case.size,
                entry=case.entry,
                flops_per_s=case.work.flops / seconds,
                bytes_per_s=case.work.bytes / seconds,
                bounds=_bounds(times, case, case.work, ceilings.get(entry.device)),
            )
        )
    return tuple(rows)


def _bounds(times: Times, case: Case, work: Work, ceilings: Ceilings | None) -> tuple[Bounded, ...]:
    """Return a case beside its ceilings in each scope that it was measured in."""
    if ceilings is None:
        return ()
    entry, found = times.entries[case.entry], []
    for scope in ("resident",) if entry.device == "cpu" else WARM_SCOPES:
        seconds = times.median(case.workload, case.size, case.entry, scope)
        if seconds is not None:
            one = bounded(work, entry, scope, seconds, ceilings, issue_s=issue_s(case))
            found.append(_explained(one, work, entry, times.record.machine.cpu))
    return tuple(found)


def issue_s(case: Case) -> float | None:
    """Return the median time until a call returns, from the blocks of all rounds."""
    blocks = [
        slot.median_s
        for block in case.rounds
        if (block.clock, block.scope) == ("issue", "resident")
        for slot in block.slots
    ]
    if blocks:
        return statistics.median(blocks)
    return None if case.device is None else case.device.issue_s


def bounded(
    work: Work,
    entry: Entry,
    scope: Scope,
    seconds: float,
    ceilings: Ceilings,
    *,
    issue_s: float | None = None,
) -> Bounded:
    """Return one call beside the least time that the ceilings of its device allow.

    That is the roofline model (Williams, Waterman and Patterson 2009), the longer of operations
    over peak and bytes over bandwidth, with what a call pays beside it: the launch of one kernel
    with the wait for its end, and in scope `transfer` one copy each way.

    Parameters
    ----------
    issue_s : float or None
        Time until the call returns, which tells a call of many launches.
    """
    peak, bandwidth = ceilings.flops_per_s.get(entry.precision), ceilings.memory_bytes_per_s
    missing = []
    if peak is None:
        missing.append(f"the peak in {entry.precision}")
    if bandwidth is None:
        missing.append("the memory bandwidth")
    launch_s, link_s = 0.0, 0.0
    if entry.device != "cpu":
        if ceilings.launch_s is None or ceilings.synchronise_s is None:
            missing.append("the launch cost")
        else:
            launch_s = ceilings.launch_s + ceilings.synchronise_s
        if scope == "transfer":
            journey = _journey_s(work, ceilings.link)
            if journey is None:
                missing.append("the time of the journey")
            else:
                link_s = journey
    if peak is None or bandwidth is None or missing:
        why = f"not known here: {', '.join(missing)}"
        return Bounded(scope=scope, seconds=seconds, why=why)
    compute_s, memory_s = work.flops / peak, work.bytes / bandwidth
    work_s = max(compute_s, memory_s)
    bound_s = launch_s + link_s + work_s
    parts: dict[BoundBy, float] = {
        "compute" if compute_s >= memory_s else "memory": work_s,
        "link": link_s,
        "launch": launch_s,
        "residual": seconds - bound_s,
    }
    by = max(parts, key=lambda name: parts[name])
    if by == "residual" and scope == "resident" and (issue_s or 0.0) >= ISSUING * seconds:
        # Of several kernels only the first launch is in the bound.
        by = "launch" if entry.device != "cpu" else by
    return Bounded(
        scope=scope,
        seconds=seconds,
        bound_s=bound_s,
        share=bound_s / seconds,
        by=by,
        launch=launch_s / seconds,
        transfer=link_s / seconds,
        work=work_s / seconds,
        residual=(seconds - bound_s) / seconds,
    )


def _journey_s(work: Work, link: Sequence[LinkRate]) -> float | None:
    """Return the least time of one copy to the device and one back, pageable memory."""
    if work.to_device_bytes is None or work.to_host_bytes is None:
        return None
    there = copy_s(work.to_device_bytes, [(x.bytes, x.to_device) for x in link])
    back = copy_s(work.to_host_bytes, [(x.bytes, x.to_host) for x in link])
    return None if there is None or back is None else there + back


def copy_s(count: float, rates: Sequence[tuple[int, float | None]]) -> float | None:
    """Return the seconds of a copy of `count` bytes from rates measured at some sizes.

    Between sizes the time is interpolated in logarithms of both; beyond the largest its rate
    holds, and a copy below the smallest takes as long as that.
    """
    known = sorted((size, size / rate) for size, rate in rates if rate)
    if not known:
        return None
    if count <= 0:
        return 0.0
    if count <= known[0][0]:
        return known[0][1]
    for (low, low_s), (high, high_s) in pairwise(known):
        if count <= high:
            along = math.log(count / low) / math.log(high / low)
            return float(low_s * (high_s / low_s) ** along)
    size, seconds = known[-1]
    return seconds * count / size


def _explained(found: Bounded, work: Work, entry: Entry, cpu: Cpu) -> Bounded:
    """Say what may be wrong where a call was faster than its ceilings allow; clip nothing."""
    if found.share is None or found.share <= FAULT or found.work is None:
        return found
    said = f"{found.share:.0%} of the bound: the ceiling, or the count of the work, is wrong"
    cache = max(cpu.caches_bytes.values(), default=0)
    if found.by == "memory" and entry.device == "cpu" and 0 < work.bytes <= cache:
        said = (
            f"{found.share:.0%} of the bound: its {units.size_bytes(work.bytes)} stay in a cache "
            f"of {units.size_bytes(cache)}, and the ceiling is that of memory beyond the caches"
        )
    elif found.by == "memory":
        said += "; data that stay in a cache are faster than memory"
    return replace(found, fault=said.replace("%", " %"))
