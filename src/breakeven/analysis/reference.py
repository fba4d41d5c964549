"""A stored run of another machine beside this one: not paired, so indicative only."""

from __future__ import annotations

from breakeven.analysis.pairs import Plan
from breakeven.analysis.times import WARM_SCOPES, Times
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Reference, Scope


def beside(record: RunRecord, reference: RunRecord) -> tuple[Reference, ...]:
    """Return the quickest CPU entry here beside each GPU entry and the best CPU of a stored run.

    Parameters
    ----------
    record, reference : RunRecord
        The run here, then the stored one. Only sizes that both measured are set side by side,
        with cases whose answers were right.

    Returns
    -------
    tuple of Reference
        By workload, size, scope; the CPU of the stored run in the resident scope only.
    """
    here, there = Plan(Times(record)), Plan(Times(reference))
    rows = []
    for workload in here.times.workloads():
        common = set(here.times.sizes(workload)) & set(there.times.sizes(workload))
        for size in sorted(common):
            quickest = _quickest(here, workload, size)
            if quickest is None:
                continue
            ours_s, ours = quickest
            for entry, scope in _others(there, workload, size):
                theirs_s = _sound(there, workload, size, entry, scope)
                if theirs_s is None or _dtype(here, ours) != _dtype(there, entry):
                    continue
                rows.append(
                    Reference(
                        run=reference.id,
                        machine=_device(reference, on_cpu=there.times.on_cpu(entry)),
                        workload=workload,
                        size=size,
                        scope=scope,
                        here_entry=ours,
                        here_s=ours_s,
                        there_entry=entry,
                        there_s=theirs_s,
                        ratio=ours_s / theirs_s,
                    )
                )
    return tuple(rows)


def _quickest(here: Plan, workload: str, size: int) -> tuple[float, str] | None:
    """Return seconds and id of the CPU entry that the rounds show as quickest.

    What scouting chose is not asked: on a busy machine it may have read little or nothing.
    """
    timed = [
        (seconds, e.id)
        for e in here.times.record.entries
        if e.device == "cpu" and e.variant not in {"twin", "precision"}
        if (seconds := _sound(here, workload, size, e.id, "resident")) is not None
    ]
    return min(timed, default=None)


def _others(there: Plan, workload: str, size: int) -> list[tuple[str, Scope]]:
    entries = [(e.id, scope) for e in there.gpu_entries() for scope in WARM_SCOPES]
    best = there.best_cpu(workload, size)
    if best is not None:
        entries.append((best, "resident"))
    return entries


def _dtype(plan: Plan, entry: str) -> tuple[str, str]:
    found = plan.times.entries[entry]
    return found.dtype, found.matmul_precision


def _sound(plan: Plan, workload: str, size: int, entry: str, scope: Scope) -> float | None:
    case = plan.times.cases.get((workload, size, entry))
    right = case is not None and case.agreement is not None and case.agreement.passed
    if case is None or case.status != "ok" or not right:
        return None
    return plan.times.median(workload, size, entry, scope)


def _device(reference: RunRecord, *, on_cpu: bool) -> str:
    """Return the name of what the stored run measured, fit to be shown."""
    machine = reference.machine
    if not on_cpu and machine.gpus:
        return machine.gpus[0].name
    return f"{machine.cpu.model or 'unknown CPU'}, {machine.cpu.cores_usable} cores"
