"""What must be read beside the verdicts of a run."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from breakeven import units
from breakeven.analysis.arithmetic import tf32_caveats
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.gpu_caveats import figures, gpu_caveats
from breakeven.analysis.other_work import other_work_caveats
from breakeven.model import labels
from breakeven.model.run import RunRecord
from breakeven.stats.intervals import WIDE_SD, interval, lag_one_correlation

CORRELATED = 0.3
"""Lag-1 correlation of the rounds over which an interval of independent rounds is too narrow."""

CORRELATED_FROM = 12
"""Rounds from which that correlation can be told."""

LAUNCH_TIMES = 10
"""A GPU call under this many times an idle synchronise is mostly the cost of asking."""

SESSION = (
    "A claim holds for this session of this machine (from session to session ratios moved by "
    "13 %): run again on another day."
)

_LISTED = 6

MANY = 0.05
"""Share of slots that do not count from which their cause is told before anything else."""


def caveats(found: Comparisons) -> tuple[str, ...]:
    """Return what weakens the verdicts, in words: what weighs most comes first."""
    said = []
    if found.record.spec.effort == "quick":
        said.append("Quick run: one round, so figures are indicative and nothing is judged.")
    if found.record.interrupted:
        said.append("The run was interrupted: what was measured stands, with fewer rounds.")
    many, few = _voided(found)
    said += [*many, SESSION]
    said += gpu_caveats(found)
    said += _noise(found)
    said += few
    said += other_work_caveats(found)
    said += tf32_caveats(found.record)
    said += _first_process(found.record)
    said += _launch_bound(found)
    said += _idle_cores(found)
    said += _no_floors(found)
    return tuple(said)


def _sizes(sizes: Iterable[int]) -> str:
    found = sorted(set(sizes))
    if len(found) > _LISTED:
        return f"{found[0]} to {found[-1]}"
    return ", ".join(str(s) for s in found)


def _voided(found: Comparisons) -> tuple[list[str], list[str]]:
    """Return what voided many slots, then what voided few."""
    sizes: dict[str, list[int]] = {}
    cores: list[float] = []
    total = 0
    for case in found.record.cases:
        for round_ in case.rounds:
            for slot in round_.slots:
                total += 1
                if slot.voided is not None:
                    sizes.setdefault(slot.voided, []).append(case.size)
                if slot.voided == "busy" and slot.conditions.foreign_cores is not None:
                    cores.append(slot.conditions.foreign_cores)
    many: list[str] = []
    few: list[str] = []
    for reason, at in sizes.items():
        said = many if len(at) >= MANY * total else few
        share = f"{len(at)} of {total} slots do not count (sizes {_sizes(at)})"
        said.append(_void_sentence(found.record, reason, share, cores))
    return many, few


def _void_sentence(record: RunRecord, reason: str, share: str, cores: Sequence[float]) -> str:
    match reason:
        case "busy":
            took = (
                f", {units.significant(statistics.median(cores), 2)} cores' worth" if cores else ""
            )
            return f"Busy machine: other processes took CPU time{took}; {share}."
        case "gpu_busy":
            return f"Busy GPU: another process used it{figures(record, 'tenant')}; {share}."
        case "thermal":
            return f"Hot GPU: heat held its clock down{figures(record, 'thermal')}; {share}."
        case "two_states":
            return (
                f"Two states: pool threads shared a core and calls took ten times as long and "
                f"more; {share}. Programs that use these threads meet the same stall."
            )
        case _:
            return f"{reason}: {share}."


def _noise(found: Comparisons) -> list[str]:
    wide, drifting = [], []
    for c in found.all():
        ordered = [c.values[r] for r in sorted(c.values)]
        if c.gate is not None and c.gate.spoils:
            continue
        entry, base = found.times.label(c.pair.entry), found.times.label(c.pair.base)
        name = f"{entry} against {base} at {c.pair.size} ({c.pair.scope})"
        if len(ordered) > 2 and interval(ordered).sd > WIDE_SD:
            wide.append(name)
        correlation = lag_one_correlation(ordered) if len(ordered) >= CORRELATED_FROM else None
        if correlation is not None and correlation > CORRELATED:
            drifting.append(name)
    said = []
    if wide:
        said.append(
            f"Rounds differ by more than a factor of 1.5 for {_some(wide)}: false winners are more "
            "frequent at such noise than the level says."
        )
    if drifting:
        said.append(
            f"Successive rounds resemble each other (drift) for {_some(drifting)}: the intervals "
            "there are too narrow."
        )
    return said


def _some(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    more = len(unique) - 3
    return "; ".join(unique[:3]) + (f"; and {more} more" if more > 0 else "")


def _first_process(record: RunRecord) -> list[str]:
    """Tell of a first fresh process that was slower than the later ones: kernels were compiled."""
    by_kind: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for c in record.cold_starts:
        if not c.as_found:
            continue
        total = c.import_s + c.context_s + c.calls_s[0]
        by_kind.setdefault((c.backend, c.workload), []).append((c.order, total))
    said = []
    for (backend, workload), starts in by_kind.items():
        ordered = [total for _, total in sorted(starts)]
        if len(ordered) < 2:
            continue
        later = statistics.median(ordered[1:])
        # Half as much again, and over what file caches of a small import explain.
        if ordered[0] > 1.5 * later and ordered[0] - later > 0.1:
            said.append(
                f"The first fresh process of {labels.backend(backend)} ({workload}) took "
                f"{units.seconds(ordered[0])}, later ones {units.seconds(later)}: it filled caches "
                "(files, compiled kernels) that a new machine does not have."
            )
    return said


def _launch_bound(found: Comparisons) -> list[str]:
    said = []
    for workload in found.times.workloads():
        for e in found.plan.gpu_entries():
            floors = found.record.limits.floors.get(e.id)
            if floors is None or floors.synchronise_s is None:
                continue
            limit = LAUNCH_TIMES * floors.synchronise_s
            medians = {s: found.times.median(workload, s, e.id, "resident")
                       for s in found.times.sizes(workload)}  # fmt: skip
            bound = [s for s, m in medians.items() if m is not None and m < limit]
            if bound:
                said.append(
                    f"{found.times.label(e.id)} on resident {workload} at {_sizes(bound)}: the "
                    f"call takes under {LAUNCH_TIMES} times an idle synchronise "
                    f"({units.seconds(floors.synchronise_s)}), so asking the GPU costs more than "
                    "the work; fewer, larger calls would gain."
                )
    return said


def _idle_cores(found: Comparisons) -> list[str]:
    """Tell of pools that left more than half of their threads idle at the largest size."""
    said = []
    for workload in found.times.workloads():
        for e in found.record.entries:
            sizes = [s for s in found.times.sizes(workload)
                     if found.times.rounds_of(workload, s, e.id, "resident")]  # fmt: skip
            if e.threads is None or e.threads < 2 or e.variant == "twin" or not sizes:
                continue
            rounds = found.times.rounds_of(workload, sizes[-1], e.id, "resident")
            used = [s.conditions.cores_used
                    for s in found.times.slots(workload, sizes[-1], e.id, "resident", rounds)
                    if s.voided is None and s.conditions.cores_used is not None]  # fmt: skip
            if used and statistics.median(used) < e.threads / 2:
                said.append(
                    f"{e.id} kept {units.significant(statistics.median(used), 2)} of its "
                    f"{e.threads} threads busy on {workload} at {sizes[-1]}: the "
                    "work, the library or a limit leaves the other cores idle."
                )
    return said


def _no_floors(found: Comparisons) -> list[str]:
    record = found.record
    measured = {c.entry for c in record.cases if c.rounds}
    lacking = [
        found.times.label(e.id)
        for e in record.entries
        if e.variant == "default" and e.id in measured and e.id not in record.limits.floors
    ]
    if not lacking:
        return []
    said = "whether very short calls are more than the cost of timing them cannot be told"
    return [f"Floors were not measured for {_some(lacking)}: {said}."]
