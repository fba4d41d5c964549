"""Where the GPU pays in each scope, with which library, as one sentence."""

from __future__ import annotations

from breakeven.model.verdict import BEST_CPU, Crossover
from breakeven.report import names, sentences
from breakeven.report.evidence import Evidence
from breakeven.report.rows import column

_SCOPES = ("transfer", "resident")
_PAYS = {"bracket", "always", "several"}


def with_gpu(evidence: Evidence, workload: str, leads: dict[str, str]) -> str | None:
    """Return whether the GPU pays, and from where on; None without a crossover to speak of."""
    found = {s: c for s in _SCOPES if (c := _lead(evidence, workload, s, leads)) is not None}
    if not found:
        return None
    if {c.kind for c in found.values()} == {"never"}:
        best = max(found.values(), key=lambda c: c.best_ratio or 0.0)
        axis = evidence.axis(workload)
        seen = sentences.at_best(evidence, best, f"; at best {evidence.label(best.entry)}")
        anywhere = names.alone(axis, best.sizes) or (
            f"at any size ({names.tested(axis, best.sizes)})"
        )
        return (
            f"{workload}: no, the GPU does not overtake the best CPU setting {anywhere}"
            f"{seen}{_scope_of(best) if seen else ''}."
        )
    if not any(_pays(c) for c in found.values()):
        return _open(evidence, workload, list(found.values()))
    ordered = sorted(found.values(), key=lambda c: not _pays(c))
    return f"{workload}: yes, the GPU pays {_clauses(evidence, ordered)}."


def _pays(c: Crossover) -> bool:
    """Return whether an entry was seen ahead somewhere, surely."""
    if c.kind == "bracket":
        return c.high is not None or sentences.falls_behind(c)
    return c.kind in {"always", "several"} or c.wins_from is not None


def _clauses(evidence: Evidence, found: list[Crossover]) -> str:
    """Return where it pays in each scope; what both scopes share is said once."""
    whos = list(dict.fromkeys(_winners(evidence, c) for c in found if _pays(c)))
    if len(whos) == 1:
        said = [_clause(evidence, c) for c in found]
        if len(said) > 1 and len(set(said)) == 1:
            return f"with {whos[0]} {said[0]}, whether the data must travel or not"
    else:
        said = [
            _clause(evidence, c) + (f" with {_winners(evidence, c)}" if _pays(c) else "")
            for c in found
        ]
    parts = [
        f"{text} {names.scope(c.scope, on_gpu=True)}" for text, c in zip(said, found, strict=True)
    ]
    return (f"with {whos[0]} " if len(whos) == 1 else "") + "; ".join(parts)


def _open(evidence: Evidence, workload: str, found: list[Crossover]) -> str:
    """Return that nothing is settled, with the best that was seen."""
    best = max(found, key=lambda c: c.best_ratio or 0.0)
    seen = sentences.at_best(evidence, best, f": at best {evidence.label(best.entry)}")
    lost = [c for c in found if c.loses_to is not None]
    axis = evidence.axis(workload)
    behind = ""
    if lost:
        parts = [f"{axis} = {c.loses_to} {names.scope(c.scope, on_gpu=True)}" for c in lost]
        behind = f"; it loses up to {names.joined(parts)}"
    return (
        f"{workload}: not settled whether the GPU pays ({_range(evidence, best)})"
        f"{seen}{_scope_of(best) if seen else ''}{behind}."
    )


def _scope_of(c: Crossover) -> str:
    return f" ({names.SCOPE_TITLES[c.scope]})"


def _clause(evidence: Evidence, c: Crossover) -> str:
    axis = evidence.axis(c.workload)
    match c.kind:
        case "bracket":
            return _bracket(evidence, c, axis)
        case "always":
            return _always(evidence, c, axis)
        case "never":
            alone = names.alone(axis, c.sizes)
            return f"not {alone}" if alone else f"at no size {_judged(evidence, c)}"
        case "several":
            near = names.joined([names.size(v) for v in c.changes])
            return f"at some sizes (the lead changes near {axis} = {near})"
        case "undecided":
            return _undecided(evidence, c, axis)


def _always(evidence: Evidence, c: Crossover, axis: str) -> str:
    if sentences.all_settled(c) or c.wins_from is None:
        return names.alone(axis, c.sizes) or f"at every size {_judged(evidence, c)}"
    still = [s for s in c.sizes if s < c.wins_from]
    more = f" (ahead, not settled, at {names.sizes(still, c.sizes)})" if still else ""
    last = c.wins_from == max(c.sizes)
    return f"at {axis} = {c.wins_from}{more}" if last else f"from {axis} = {c.wins_from} on{more}"


def _judged(evidence: Evidence, c: Crossover) -> str:
    """Return the sizes that a claim rests on: not all that were tested could be judged."""
    planned = {s for w in evidence.record.spec.workloads if w.name == c.workload for s in w.sizes}
    return f"{'tested' if planned <= set(c.sizes) else 'judged'} ({_range(evidence, c)})"


def _undecided(evidence: Evidence, c: Crossover, axis: str) -> str:
    if c.wins_from is None:
        return f"not settled ({_range(evidence, c)})"
    top = f" to {c.wins_to}" if c.wins_to != c.wins_from else ""
    return f"at {axis} = {c.wins_from}{top} (the other sizes are not settled)"


def _bracket(evidence: Evidence, c: Crossover, axis: str) -> str:
    if sentences.falls_behind(c):
        return f"only at small sizes (the lead is lost {sentences.where(evidence, c)})"
    if c.low is not None and c.high is not None:
        low, high = names.size(c.low), names.size(c.high)
        return f"from somewhere between {axis} = {low} and {axis} = {high} on"
    if c.low is not None:
        return f"not up to {axis} = {names.size(c.low)} (beyond that nothing is settled)"
    return sentences.where(evidence, c)


def _winners(evidence: Evidence, c: Crossover) -> str:
    """Return the crossover's entry, with those that verdicts did not tell apart from it."""
    entries = [c.entry]
    for b in evidence.record.bands:
        same = (b.workload, b.scope, b.base_kind) == (c.workload, c.scope, c.base_kind)
        if same and b.kind == "entry" and b.name in {"large", "all"} and c.entry in b.entries:
            entries = list(b.entries)
    return names.joined([evidence.label(e) for e in entries], "or")


def _range(evidence: Evidence, c: Crossover) -> str:
    if not c.sizes:
        return "no size could be judged"
    axis = evidence.axis(c.workload)
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
