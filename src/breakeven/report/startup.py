"""What a start costs in words: cold starts, calls that repay them, one-shot timings."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import units
from breakeven.model.verdict import Crossover, Estimate, NaiveCost, Payback
from breakeven.report import names
from breakeven.report.evidence import Evidence


def never_cold(evidence: Evidence, found: Sequence[Crossover]) -> str:
    """Return that a single call never repays its start, with what the starts alone cost.

    Parameters
    ----------
    found : sequence of Crossover
        Cold crossovers of one workload and kind of base, all ``never``.
    """
    first = found[0]
    sizes = first.sizes or (0,)
    low, high = names.size(min(sizes)), names.size(max(sizes))
    span = low if low == high else f"{low} to {high}"
    tested = f"{evidence.axis(first.workload)} = {span} tested"
    who = names.joined([evidence.label(c.entry) for c in found], "or")
    device = "on the GPU" if evidence.on_gpu(first.entry) else f"with {who}"
    text = f"a script that {names.once(first.workload)} is never faster {device} ({tested})"
    starts = [
        units.seconds(c.start_s)
        + (f" ({evidence.label(c.entry)})" if evidence.on_gpu(c.entry) or len(found) > 1 else "")
        for c in found
        if c.start_s is not None
    ]
    if not starts or first.base_start_s is None or not _starts(*found):
        return text + "."
    base = evidence.label(first.bases[-1]) if first.bases else names.base(first.base_kind, "")
    processes = sorted({n for c in found for n in (c.processes, c.base_processes)})
    n = names.joined([str(p) for p in processes], "or")
    return (
        f"{text}: start-up alone costs {names.joined(starts)} against "
        f"{units.seconds(first.base_start_s)} ({base}; {n} fresh processes)."
    )


def payback(evidence: Evidence, p: Payback) -> str:
    """Return after how many calls, and reuses of the same data, an entry has repaid its costs."""
    base, entry = names.base(p.base_kind, evidence.label(p.base)), evidence.label(p.base)
    named = f"{base} ({entry})" if base != entry else base
    gpu = evidence.on_gpu(p.entry)
    found = {"transfer": p.calls, "resident": p.calls_resident}
    if not gpu:
        # Data of a CPU entry need not travel: the two figures are one.
        found = {"resident": p.calls_resident or p.calls}
    parts = [
        f"after {count(e, 'call')} {names.scope(scope, on_gpu=gpu)}".rstrip()
        for scope, e in found.items()
        if e is not None
    ]
    said = []
    if parts and _starts(p):
        start = f"start-up (import, context, first call{_costs(p)}) is repaid "
        said.append(start + names.joined(parts))
    if p.reuses is not None:
        said.append(
            f"with the data travelling once, it pays from operation {count(p.reuses)} "
            "on the same data on"
        )
    if p.why:
        said.append(p.why)
    where = (
        f"At {evidence.axis(p.workload)} = {p.size}, {evidence.label(p.entry)} against {named}: "
    )
    return where + ("; ".join(said) or "no pay-back figure") + "."


def repaid(evidence: Evidence, found: Sequence[Payback]) -> str:
    """Return in one sentence when one entry's start-up is repaid, against each of its bases.

    Parameters
    ----------
    found : sequence of Payback
        Of one entry at one size, by base; those without a figure are left out.
    """
    gpu = evidence.on_gpu(found[0].entry)
    parts = []
    for p in found:
        calls = p.calls if gpu else (p.calls_resident or p.calls)
        if calls is not None and p.base_start_s is not None:
            cost = units.seconds(p.base_start_s)
            parts.append(f"after {count(calls, 'call')} against {evidence.label(p.base)} ({cost})")
    if not parts or found[0].start_s is None or not _starts(*found):
        return ""
    who, travel = evidence.label(found[0].entry), ", the data travelling" if gpu else ""
    ns = sorted({n for p in found for n in (p.processes, p.base_processes)})
    processes = names.joined([str(n) for n in ns], "or")
    return (
        f"at {evidence.axis(found[0].workload)} = {found[0].size} the start-up of {who} "
        f"({units.seconds(found[0].start_s)}) is repaid {names.joined(parts)}{travel} "
        f"({processes} fresh processes)."
    )


def naive(evidence: Evidence, n: NaiveCost) -> str:
    """Return what timing once read at one size, with what each of its mistakes cost."""
    at = f"{evidence.axis(n.workload)} = {n.size}"
    said = f"Timed once, {evidence.label(n.entry)} at {at} reads {units.seconds(n.one_shot_s)}"
    sound = n.sound_transfer_s if evidence.on_gpu(n.entry) else n.sound_resident_s
    if sound is None:
        return f"{said}; there is no sound figure to set beside it."
    said += f"; called again on the same machine it takes {units.seconds(sound)}"
    if n.one_shot_s > sound:
        said += f": {_times(n.one_shot_s / sound)} times less"
    costs = []
    for what, value in (("the first call", n.first_call_s), ("the transfer", n.transfer_s)):
        if value is not None:
            verb = "cost" if value >= 0 else "hid"
            costs.append(f"{what} {verb} {units.seconds(abs(value))}")
    if n.missing_sync_s is not None:
        verb = "hides" if n.missing_sync_s < 0 else "adds"
        costs.append(f"a missing synchronise {verb} {units.seconds(abs(n.missing_sync_s))}")
    return f"{said}; {', '.join(costs)}." if costs else f"{said}."


def count(e: Estimate, what: str = "") -> str:
    """Return a number, of `what` if told, with its interval: ``425 calls (95 % interval ...)``."""
    value, low, high = round(e.value), round(e.low), round(e.high)
    counted = f" {what}{'' if value == 1 else 's'}" if what else ""
    interval = "" if low == high == value else f" (95 % interval {low} to {high})"
    return f"{value}{counted}{interval}"


def _starts(*found: Payback | Crossover) -> bool:
    """Return whether starting takes any time: in a script it may not, and nothing is repaid."""
    return any(x.start_s != 0 or x.base_start_s != 0 for x in found)


def _costs(p: Payback) -> str:
    if p.start_s is None or p.base_start_s is None:
        return ""
    mine, base = units.seconds(p.start_s), units.seconds(p.base_start_s)
    return f": {mine} against {base}, {p.processes} and {p.base_processes} fresh processes"


def _times(ratio: float) -> str:
    shown = units.significant(ratio, 2)
    return units.whole(float(shown)) if ratio >= 10 else shown
