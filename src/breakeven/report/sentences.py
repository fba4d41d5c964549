"""The break-even points in words: where the lead changes over the axis of size."""

from __future__ import annotations

from breakeven import units
from breakeven.model.verdict import Band, Crossover
from breakeven.report import names
from breakeven.report.evidence import Evidence
from breakeven.report.rows import ratio_text
from breakeven.report.startup import never_cold
from breakeven.report.view import Claim


def crossover(evidence: Evidence, c: Crossover, *, lead: bool) -> Claim:
    """Return one sentence on where an entry overtakes its base, then what stands behind it."""
    mark = "Indicative, no verdict: " if evidence.quick else ""
    # A bracket says in its own sentence what was settled.
    settled = "" if _between(c) else _settled(evidence, c)
    more = " ".join(part for part in (settled, _cold(evidence, c), _reason(evidence, c)) if part)
    return Claim(text=mark + _text(evidence, c), more=more, kind=c.kind, scope=c.scope, lead=lead)


def never_cold_claim(evidence: Evidence, found: list[Crossover]) -> Claim:
    """Return one sentence for cold starts that are never repaid, of one base."""
    said = never_cold(evidence, found)
    text = said[0].upper() + said[1:]
    return Claim(text=f"{text} Composed from its parts.", more="", kind="never", scope="cold",
                 lead=True)  # fmt: skip


def where(evidence: Evidence, c: Crossover) -> str:
    """Return a bracket in words: ``between N = 610 and 790``; one-sided when one end is open."""
    axis = evidence.axis(c.workload)
    if c.low is not None and c.high is not None:
        return f"between {axis} = {names.size(c.low)} and {names.size(c.high)}"
    if c.high is not None:
        return f"from {axis} = {names.size(c.high)} on at the latest"
    if c.low is not None:
        return f"not up to {axis} = {names.size(c.low)}, perhaps above"
    return f"at an unknown {axis}"


def falls_behind(c: Crossover) -> bool:
    """Return whether the entry loses its lead with growing size instead of taking it."""
    ends = [end for end in (c.low, c.high) if end is not None]
    if c.wins_to is None or not ends:
        return False
    return c.wins_to < (c.estimate.value if c.estimate else max(ends))


def measured(c: Crossover) -> str:
    """Return the sizes at which a bracket's entry is settled as slower or faster, in few words."""
    parts = _settled_parts(c, "") if _between(c) else []
    return f"measured {', '.join(parts)}" if parts else ""


def all_settled(c: Crossover) -> bool:
    """Return whether the smallest and the largest size tested are both settled as faster."""
    return bool(c.sizes) and (c.wins_from, c.wins_to) == (min(c.sizes), max(c.sizes))


def band(evidence: Evidence, b: Band) -> str:
    """Return what holds over a run of neighbouring sizes."""
    axis = evidence.axis(b.workload)
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
            at = f"{evidence.axis(c.workload)} = {c.best_size}"
            over = f"{ratio_text(v)} over {evidence.label(v.base)}"
            return f"{lead} {over} at {at}, {names.rounds(v.rounds)}"
    return ""


def _text(evidence: Evidence, c: Crossover) -> str:
    if c.scope == "cold" and c.kind == "never":
        return never_cold_claim(evidence, [c]).text
    tested = f"({names.tested(evidence.axis(c.workload), c.sizes)})"
    who, base = evidence.label(c.entry), names.base(c.base_kind, evidence.label(c.base))
    alone = names.alone(evidence.axis(c.workload), c.sizes)
    best, parts = "", list[str]()
    match c.kind:
        case "bracket":
            parts = _bracket(evidence, c, who, base)
        case "always":
            ahead = "is faster than" if all_settled(c) else "is ahead of"
            parts = [who, ahead, base, alone or f"at every size {tested}"]
            best = at_best(evidence, c, "; at best")
        case "never":
            verb = "does not overtake" if alone else "overtakes"
            parts = [who, verb, base, alone or f"at no size {tested}"]
            best = at_best(evidence, c, "; at best")
        case "several":
            parts = [*_several(evidence, c, who, base), tested]
        case "undecided":
            parts = ["Not settled: whether", who, "overtakes", base, tested]
    scope = names.scope(c.scope, on_gpu=evidence.on_gpu(c.entry))
    return " ".join(p for p in (*parts, scope) if p) + f"{best}."


def _bracket(evidence: Evidence, c: Crossover, who: str, base: str) -> list[str]:
    axis = evidence.axis(c.workload)
    if c.high is not None and c.low is None:
        if c.sizes and c.high <= min(c.sizes):
            at = f"{axis} = {names.size(c.high)}"
            return [f"{who} is ahead of {base} from the smallest size on: {at};",
                    "no crossing was seen"]  # fmt: skip
        return [f"{who} is ahead of {base} {where(evidence, c)}"]
    if c.low is not None and c.high is None:
        return [f"{who} does not overtake {base} up to {axis} = {names.size(c.low)};",
                "beyond that nothing is settled"]  # fmt: skip
    known = [measured(c)]
    if c.estimate is not None:
        interval = names.interval(c.estimate.low, c.estimate.high)
        rounds = f"{c.estimate.n} fresh processes" if c.composed else names.rounds(c.estimate.n)
        known.append(f"estimate {names.size(c.estimate.value)}, 95 % {interval}, {rounds}")
    aside = "; ".join(part for part in known if part)
    verb = "falls behind" if falls_behind(c) else "overtakes"
    return [who, verb, base, where(evidence, c), f"({aside})" if aside else ""]


def _several(evidence: Evidence, c: Crossover, who: str, base: str) -> list[str]:
    near = names.joined([names.size(v) for v in c.changes]) or "sizes not told"
    at = f"{evidence.axis(c.workload)} = {near}"
    if len(c.changes) == 1:
        return [f"{who} falls behind {base} near {at}"]
    return [f"The lead between {who} and {base} changes several times, near {at}"]


def _between(c: Crossover) -> bool:
    return c.kind == "bracket" and c.low is not None and c.high is not None


def _settled(evidence: Evidence, c: Crossover) -> str:
    parts = _settled_parts(c, f"{evidence.axis(c.workload)} = ")
    return f"Settled by measurement: {names.joined(parts)}." if parts else ""


def _settled_parts(c: Crossover, axis: str) -> list[str]:
    """Return where verdicts are settled; `axis` stands before each size."""
    parts = []
    if c.loses_to is not None:
        parts.append(f"slower up to {axis}{c.loses_to}")
    if c.wins_from is not None and c.wins_to is not None:
        if c.wins_to in (c.wins_from, max(c.sizes, default=0)):
            words = "at" if c.wins_to == c.wins_from else "from"
            parts.append(f"faster {words} {axis}{c.wins_from}" + ("" if words == "at" else " on"))
        else:
            parts.append(f"faster from {axis}{c.wins_from} to {c.wins_to}")
    return parts


def _cold(evidence: Evidence, c: Crossover) -> str:
    """Return which CPU entry is the base of a cold crossover, with the processes behind it."""
    if c.scope != "cold" or not c.bases or c.kind == "never":
        return ""
    by_base: dict[str, list[int]] = {}
    for size, base in zip(c.sizes, c.bases, strict=True):
        by_base.setdefault(base, []).append(size)
    axis = evidence.axis(c.workload)
    parts = [
        evidence.label(b) + (f" at {axis} = {names.sizes(at, c.sizes)}" if len(by_base) > 1 else "")
        for b, at in by_base.items()
    ]
    processes = f"{c.processes} and {c.base_processes} fresh processes"
    return f"The base with the quickest cold start is {names.joined(parts)} ({processes})."


def _reason(evidence: Evidence, c: Crossover) -> str:
    if not c.why:
        return ""
    why = c.why
    if evidence.record.interrupted:
        # A run that was cut short needs its own rounds first, not more of them.
        for remedy in ("more --budget", "--budget"):
            why = why.replace(remedy, f"breakeven run --resume {evidence.record.id}")
    return f"{why[0].upper()}{why[1:].rstrip('.')}."


def _band_ratios(b: Band, base: str) -> str:
    if b.ratio_low is None or b.ratio_high is None:
        return ""
    low, high = units.ratio(b.ratio_low), units.ratio(b.ratio_high)
    span = low if low == high else f"{low} to {high}"
    return f"; speed-ups measured over {base}: {span} (intervals in the table)"
