"""The answer sentence of a workload: does a GPU pay, from where on, with which library."""

from __future__ import annotations

from collections import Counter

from breakeven import units
from breakeven.model import labels
from breakeven.model.verdict import BEST_CPU, Advice, Crossover, Verdict
from breakeven.report import names, sentences
from breakeven.report.evidence import Evidence
from breakeven.report.rows import column

_SCOPES = ("transfer", "resident")
_PAYS = {"bracket", "always", "several"}


def answer(evidence: Evidence, workload: str, kind: str, leads: dict[str, str]) -> str:
    """Return the first sentence of a workload's page."""
    if not any(c.status == "ok" for c in evidence.cases(workload)):
        return f"{workload}: nothing could be measured; the reasons stand below."
    if not evidence.quick and (why := _all_withheld(evidence, workload, kind)):
        said = f"no answer, every comparison is withheld: {why.rstrip('.')}"
        return f"{workload}: {said}{_reference(evidence, workload)}."
    if evidence.quick:
        return _quick(evidence, workload)
    if kind == BEST_CPU:
        return _with_gpu(evidence, workload, leads)
    if kind == "same":
        return _same(evidence, workload)
    return _without_gpu(evidence, workload, leads)


def _all_withheld(evidence: Evidence, workload: str, kind: str) -> str | None:
    """Return the most frequent reason if no verdict stands."""
    found = evidence.verdicts(workload, base_kind=kind)
    reasons = Counter(v.why or "no reason was recorded" for v in found if v.word == "withheld")
    return reasons.most_common(1)[0][0] if found and reasons.total() == len(found) else None


def advice(evidence: Evidence, a: Advice) -> str:
    """Return which entry to use under which condition."""
    on_gpu = any(e.device != "cpu" for e in evidence.record.entries)
    scope = names.scope(a.scope, on_gpu=on_gpu)
    if a.choice is None:
        return f"No choice is settled {scope}".rstrip() + "."
    return f"Use {evidence.label(a.choice)} {scope}".rstrip() + "."


def _with_gpu(evidence: Evidence, workload: str, leads: dict[str, str]) -> str:
    found = {s: c for s in _SCOPES if (c := _lead(evidence, workload, s, leads)) is not None}
    if not found:
        return f"{workload}: not settled. {_tally(evidence, workload, BEST_CPU)}"
    clauses = [f"{_clause(evidence, c)} {names.scope(s, on_gpu=True)}" for s, c in found.items()]
    kinds = {c.kind for c in found.values()}
    if kinds == {"never"}:
        best = max(found.values(), key=lambda c: c.best_ratio or 0.0)
        axis = labels.axis(workload)
        seen = sentences.at_best(evidence, best, f"; at best {evidence.label(best.entry)}")
        return (
            f"{workload}: no, the GPU does not overtake the best CPU setting at any size "
            f"({names.tested(axis, best.sizes)}){seen}{_scope_of(best) if seen else ''}."
        )
    opening = "yes, the GPU pays " if kinds & _PAYS else ""
    return f"{workload}: {opening}{'; '.join(clauses)}."


def _scope_of(c: Crossover) -> str:
    return f" ({names.SCOPE_TITLES[c.scope]})"


def _clause(evidence: Evidence, c: Crossover) -> str:
    axis = labels.axis(c.workload)
    who = _winners(evidence, c)
    match c.kind:
        case "bracket":
            return f"{_bracket(c, axis)} with {who}"
        case "always":
            return f"at every size tested ({_range(c)}) with {who}"
        case "never":
            return f"at no size tested ({_range(c)})"
        case "several":
            near = names.joined([names.size(v) for v in c.changes])
            return f"at some sizes with {who} (the lead changes near {axis} = {near})"
        case "undecided":
            return f"not settled for {who} ({_range(c)})"


def _bracket(c: Crossover, axis: str) -> str:
    if sentences.falls_behind(c):
        return f"only at small sizes (the lead is lost {sentences.where(c)})"
    if c.low is not None and c.high is not None:
        return f"from between {axis} = {names.size(c.low)} and {names.size(c.high)} on"
    if c.high is not None:
        return f"from {axis} = {names.size(c.high)} on at the latest"
    if c.low is not None:
        return f"not up to {axis} = {names.size(c.low)}, perhaps above,"
    return f"from an unknown {axis} on"


def _winners(evidence: Evidence, c: Crossover) -> str:
    """Return the crossover's entry, with those that verdicts did not tell apart from it."""
    entries = [c.entry]
    for b in evidence.record.bands:
        same = (b.workload, b.scope, b.base_kind) == (c.workload, c.scope, c.base_kind)
        if same and b.kind == "entry" and b.name in {"large", "all"} and c.entry in b.entries:
            entries = list(b.entries)
    return names.joined([evidence.label(e) for e in entries], "or")


def _range(c: Crossover) -> str:
    if not c.sizes:
        return "no size could be judged"
    axis = labels.axis(c.workload)
    low, high = min(c.sizes), max(c.sizes)
    return f"{axis} = {low}" if low == high else f"{axis} = {low} to {high}"


def _lead(
    evidence: Evidence, workload: str, scope: str, leads: dict[str, str], kind: str = BEST_CPU
) -> Crossover | None:
    """Return the crossover to answer with: the lead's own, else the first that pays."""
    found = evidence.crossovers(workload, scope=scope, base_kind=kind)
    if kind == BEST_CPU:
        found = [c for c in found if evidence.on_gpu(c.entry)]
    ranked = sorted(
        found,
        key=lambda c: (column(evidence, c.entry, kind) != leads.get(scope), c.kind not in _PAYS),
    )
    return ranked[0] if ranked else None


def _without_gpu(evidence: Evidence, workload: str, leads: dict[str, str]) -> str:
    reason = evidence.record.machine.no_gpu_reason
    if evidence.record.machine.gpus:
        opening = "no GPU backend took part"
    else:
        opening = "no GPU here" + (f" ({reason.rstrip('.')})" if reason else "")
    c = _lead(evidence, workload, "resident", leads, "numpy")
    if c is not None:
        said = f"on the CPU, {_cpu_clause(evidence, c)}"
    elif evidence.verdicts(workload):
        said = _tally(evidence, workload, "numpy").rstrip(".")
    else:
        said = "there was nothing to compare NumPy with"
    return f"{workload}: {opening}; {said}{_reference(evidence, workload)}."


def _cpu_clause(evidence: Evidence, c: Crossover) -> str:
    who = evidence.label(c.entry)
    match c.kind:
        case "bracket":
            verb = "falls behind" if sentences.falls_behind(c) else "overtakes"
            return f"{who} {verb} NumPy {sentences.where(c)}"
        case "always":
            return f"{who} is faster than NumPy at every size tested ({_range(c)})"
        case "never":
            return f"{who} overtakes NumPy at no size tested ({_range(c)})"
        case "several":
            near = names.joined([names.size(v) for v in c.changes])
            axis = labels.axis(c.workload)
            return f"the lead between {who} and NumPy changes near {axis} = {near}"
        case "undecided":
            return f"it is not settled whether {who} overtakes NumPy ({_range(c)})"


def _reference(evidence: Evidence, workload: str) -> str:
    """Return this CPU beside a stored run of another machine, at the largest shared size."""
    mine = [r for r in evidence.record.references if r.workload == workload]
    if not mine:
        return ""
    preferred = [r for r in mine if r.scope == "transfer"] or mine
    largest = max(r.size for r in preferred)
    r = max((r for r in preferred if r.size == largest), key=lambda r: r.ratio)
    travel = ", data travelling" if r.scope == "transfer" else ", data already there"
    return (
        f"; at {labels.axis(workload)} = {r.size} {r.here_entry} takes {units.seconds(r.here_s)} "
        f"and a stored {r.machine} run ({r.there_entry}{travel}) {units.seconds(r.there_s)}: "
        f"{units.ratio(r.ratio)} (other machine, not paired, indicative)"
    )


def _same(evidence: Evidence, workload: str) -> str:
    return f"{workload}: the same backend entered twice. {_tally(evidence, workload, 'same')}"


def _tally(evidence: Evidence, workload: str, kind: str) -> str:
    """Return how often each word was given, when there is no crossover to speak of."""
    parts = []
    for entry in dict.fromkeys(v.entry for v in evidence.verdicts(workload, base_kind=kind)):
        mine = evidence.verdicts(workload, base_kind=kind, entry=entry)
        parts.append(f"{evidence.label(entry)} {_words(evidence, mine)}")
    return f"{'; '.join(parts)}." if parts else "No comparison could be judged."


def _words(evidence: Evidence, verdicts: list[Verdict]) -> str:
    base = names.base(verdicts[0].base_kind, verdicts[0].base)
    counts = Counter(
        (names.word(v.word), names.scope(v.scope, on_gpu=evidence.on_gpu(v.entry)))
        for v in verdicts
    )
    total = Counter(names.scope(v.scope, on_gpu=evidence.on_gpu(v.entry)) for v in verdicts)
    said = [
        f"{word} at {n} of {total[scope]} sizes {scope}".rstrip()
        for (word, scope), n in counts.items()
    ]
    return f"against {base}: {names.joined(said)}"


def _quick(evidence: Evidence, workload: str) -> str:
    """Return the times at the largest size: a quick run gives figures, and no verdict."""
    said: list[str] = []
    largest = 0
    for size in evidence.sizes(workload):
        shown = []
        for scope in ("resident", "transfer"):
            for e in evidence.taking_part(workload):
                figure = evidence.figure(workload, size, e.id, scope)
                if figure.seconds is None or (scope == "transfer" and e.device == "cpu"):
                    continue
                travel = f" {names.SCOPE_TITLES[scope]}" if e.device != "cpu" else ""
                shown.append(f"{evidence.label(e.id)}{travel} {units.seconds(figure.seconds)}")
        if shown:
            said, largest = shown, size
    figures = f": at {labels.axis(workload)} = {largest} {', '.join(said)}" if said else ""
    return f"{workload}: indicative figures only (quick run: one round, no verdict){figures}."
