"""The break-even points in words: where the lead changes, and when start-up is repaid."""

from __future__ import annotations

from breakeven import units
from breakeven.model import labels
from breakeven.model.verdict import Band, Crossover, Estimate, Payback
from breakeven.report import names
from breakeven.report.evidence import Evidence
from breakeven.report.rows import ratio_text
from breakeven.report.view import Claim


def crossover(evidence: Evidence, c: Crossover, *, lead: bool) -> Claim:
    """Return one sentence on where an entry overtakes its base, then what stands behind it."""
    writer = {
        "bracket": _bracket,
        "always": _always,
        "never": _never,
        "several": _several,
        "undecided": _undecided,
    }[c.kind]
    mark = "Indicative, no verdict: " if evidence.quick else ""
    more = " ".join(part for part in (_settled(c), _reason(c)) if part)
    text = mark + writer(evidence, c)
    return Claim(text=text, more=more, kind=c.kind, scope=c.scope, lead=lead)


def where(c: Crossover) -> str:
    """Return a bracket in words: ``between N = 610 and 790``; one-sided when one end is open."""
    axis = labels.axis(c.workload)
    if c.low is not None and c.high is not None:
        return f"between {axis} = {names.size(c.low)} and {names.size(c.high)}"
    if c.high is not None:
        return f"below {axis} = {names.size(c.high)} (lower end open)"
    if c.low is not None:
        return f"above {axis} = {names.size(c.low)} (upper end open)"
    return f"at an unknown {axis}"


def falls_behind(c: Crossover) -> bool:
    """Return whether the entry loses its lead with growing size instead of taking it."""
    ends = [end for end in (c.low, c.high) if end is not None]
    if c.wins_to is None or not ends:
        return False
    return c.wins_to < (c.estimate.value if c.estimate else max(ends))


def payback(evidence: Evidence, p: Payback) -> str:
    """Return after how many calls, and reuses of the same data, an entry has repaid its costs."""
    base = names.base(p.base_kind, p.base)
    named = f"{base} ({p.base})" if base != p.base else base
    gpu = evidence.on_gpu(p.entry)
    found = {"transfer": p.calls, "resident": p.calls_resident}
    if not gpu:
        # Data of a CPU entry need not travel: the two figures are one.
        found = {"resident": p.calls_resident or p.calls}
    parts = [
        f"after {_count(e)} calls {names.scope(scope, on_gpu=gpu)}".rstrip()
        for scope, e in found.items()
        if e is not None
    ]
    said = []
    if parts:
        start = "start-up (import, context, first call) is repaid "
        said.append(start + names.joined(parts))
    if p.reuses is not None:
        said.append(
            f"with the data travelling once, it pays from operation {_count(p.reuses)} "
            "on the same data"
        )
    if p.why:
        said.append(p.why)
    where = f"At {labels.axis(p.workload)} = {p.size}, {evidence.label(p.entry)} against {named}: "
    return where + ("; ".join(said) or "no pay-back figure") + "."


def band(evidence: Evidence, b: Band) -> str:
    """Return what holds over a run of neighbouring sizes."""
    axis = labels.axis(b.workload)
    sizes = f"{axis} = {b.from_size}" + (f" to {b.to_size}" if b.to_size != b.from_size else "")
    name = "All sizes" if b.name == "all" else b.name.capitalize()
    who = names.joined([evidence.label(e) for e in b.entries], "or")
    base = names.base(b.base_kind, "the base")
    said = {
        "base": f"{who or base} wins",
        "entry": f"{who} {'win, not told apart' if len(b.entries) > 1 else 'wins'}",
        "alike": f"{who or 'all'} and {base} are alike" if who else "no difference that matters",
        "open": "not settled",
    }[b.kind]
    return f"{name} ({sizes}): {said}{_band_ratios(b, base)}"


def at_best(evidence: Evidence, c: Crossover, lead: str) -> str:
    """Return the best ratio seen with its interval; empty when the interval is not stored."""
    if c.best_size is None:
        return ""
    wanted = {"size": c.best_size, "scope": c.scope, "entry": c.entry, "base_kind": c.base_kind}
    for v in evidence.verdicts(c.workload, **wanted):
        if v.low is not None:
            axis = labels.axis(c.workload)
            said = f"{ratio_text(v)} over {v.base} at {axis} = {c.best_size}, {_rounds(v.rounds)}"
            return f"{lead} {said}"
    return ""


def _bracket(evidence: Evidence, c: Crossover) -> str:
    who, base, scope = _parts(evidence, c)
    verb = "falls behind" if falls_behind(c) else "overtakes"
    estimate = ""
    if c.estimate is not None:
        interval = names.interval(c.estimate.low, c.estimate.high)
        estimate = (
            f"(estimate {names.size(c.estimate.value)}, 95 % {interval}, {_rounds(c.estimate.n)})"
        )
    claim = " ".join(p for p in (who, verb, base, where(c), estimate, scope) if p)
    return claim + "."


def _settled(c: Crossover) -> str:
    axis = labels.axis(c.workload)
    parts = []
    if c.loses_to is not None:
        parts.append(f"slower up to {axis} = {c.loses_to}")
    if c.wins_from is not None and c.wins_to is not None:
        if c.wins_to in (c.wins_from, max(c.sizes, default=0)):
            words = "at" if c.wins_to == c.wins_from else "from"
            parts.append(
                f"faster {words} {axis} = {c.wins_from}" + ("" if words == "at" else " on")
            )
        else:
            parts.append(f"faster from {axis} = {c.wins_from} to {c.wins_to}")
    return f"Settled by measurement: {names.joined(parts)}." if parts else ""


def _always(evidence: Evidence, c: Crossover) -> str:
    who, base, scope = _parts(evidence, c)
    tested = f"({names.tested(labels.axis(c.workload), c.sizes)})"
    best = at_best(evidence, c, "; at best")
    claim = " ".join(p for p in (who, "is faster than", base, "at every size", tested, scope) if p)
    return f"{claim}{best}."


def _never(evidence: Evidence, c: Crossover) -> str:
    who, base, scope = _parts(evidence, c)
    tested = f"({names.tested(labels.axis(c.workload), c.sizes)})"
    best = at_best(evidence, c, "; at best")
    claim = " ".join(p for p in (who, "overtakes", base, "at no size", tested, scope) if p)
    return f"{claim}{best}."


def _several(evidence: Evidence, c: Crossover) -> str:
    who, base, scope = _parts(evidence, c)
    axis = labels.axis(c.workload)
    near = names.joined([names.size(v) for v in c.changes]) or "sizes not told"
    tested = f"({names.tested(axis, c.sizes)})"
    claim = f"The lead between {who} and {base} changes several times, near {axis} = {near}"
    return " ".join(p for p in (claim, tested, scope) if p) + "."


def _undecided(evidence: Evidence, c: Crossover) -> str:
    who, base, scope = _parts(evidence, c)
    tested = f"({names.tested(labels.axis(c.workload), c.sizes)})"
    parts = ("Not settled: whether", who, "overtakes", base, scope, tested)
    return " ".join(p for p in parts if p) + "."


def _parts(evidence: Evidence, c: Crossover) -> tuple[str, str, str]:
    scope = names.scope(c.scope, on_gpu=evidence.on_gpu(c.entry))
    return evidence.label(c.entry), names.base(c.base_kind, c.base), scope


def _reason(c: Crossover) -> str:
    return f"{c.why[0].upper()}{c.why[1:].rstrip('.')}." if c.why else ""


def _rounds(n: int) -> str:
    return f"{n} round" if n == 1 else f"{n} rounds"


def _count(e: Estimate) -> str:
    value = units.whole(e.value)
    return f"{value} [{units.whole(e.low)}, {units.whole(e.high)}]"


def _band_ratios(b: Band, base: str) -> str:
    if b.ratio_low is None or b.ratio_high is None:
        return ""
    low, high = units.ratio(b.ratio_low), units.ratio(b.ratio_high)
    span = low if low == high else f"{low} to {high}"
    return f"; speed-ups measured over {base}: {span} (intervals in the table)"
