"""The answer sentence of a workload: does a GPU pay, from where on, with which library."""

from __future__ import annotations

from collections import Counter

from breakeven import units
from breakeven.model import labels
from breakeven.model.verdict import BEST_CPU, Crossover, Verdict
from breakeven.report import names, reasons, sentences
from breakeven.report.evidence import Evidence
from breakeven.report.rows import column, ratio_text

_SCOPES = ("transfer", "resident")
_PAYS = {"bracket", "always", "several"}
_CPU_WORDS = {
    "faster": "is faster than",
    "slower": "is slower than",
    "equivalent": "is as fast as",
}


def answers(evidence: Evidence, found: dict[str, str]) -> tuple[str, ...]:
    """Return the first thing a page says: what holds for all workloads once, then one by one.

    Parameters
    ----------
    found : dict
        Answer of each workload.
    """
    if not found:
        return ("Nothing was asked to be measured.",)
    bare = {text.removeprefix(f"{name}: ") for name, text in found.items()}
    if len(bare) == 1 and _withheld_alike(evidence, found):
        (text,) = bare
        return (text[0].upper() + text[1:],)
    alone = not any(evidence.taking_part(name, gpu=True) for name in found)
    opening = () if evidence.record.machine.gpus or not alone else ("No GPU on this machine.",)
    return (*opening, *found.values())


def _withheld_alike(evidence: Evidence, found: dict[str, str]) -> bool:
    return not evidence.quick and all(
        reasons.all_withheld(evidence.verdicts(name)) is not None for name in found
    )


def answer(evidence: Evidence, workload: str, kind: str, leads: dict[str, str]) -> str:
    """Return the first sentence of a workload's page."""
    if not any(c.status == "ok" for c in evidence.cases(workload)):
        return f"{workload}: nothing could be measured; the reasons stand below."
    if evidence.quick:
        return _quick(evidence, workload, kind, leads) + _reference(evidence, workload)
    code = reasons.all_withheld(evidence.verdicts(workload, base_kind=kind))
    if code is not None:
        said = reasons.nothing_named(evidence.record, code)
        return f"{workload}: {said}{_reference(evidence, workload)}"
    if kind == BEST_CPU:
        return _with_gpu(evidence, workload, leads)
    if kind == "same":
        return f"{workload}: the same backend entered twice. {_tally(evidence, workload, 'same')}"
    return _without_gpu(evidence, workload, leads) + _reference(evidence, workload)


def _with_gpu(evidence: Evidence, workload: str, leads: dict[str, str]) -> str:
    found = {s: c for s in _SCOPES if (c := _lead(evidence, workload, s, leads)) is not None}
    if not found:
        return f"{workload}: not settled. {_tally(evidence, workload, BEST_CPU)}"
    if {c.kind for c in found.values()} == {"never"}:
        best = max(found.values(), key=lambda c: c.best_ratio or 0.0)
        axis = labels.axis(workload)
        seen = sentences.at_best(evidence, best, f"; at best {evidence.label(best.entry)}")
        return (
            f"{workload}: no, the GPU does not overtake the best CPU setting at any size "
            f"({names.tested(axis, best.sizes)}){seen}{_scope_of(best) if seen else ''}."
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
        said = [_clause(c) for c in found]
        if len(said) > 1 and len(set(said)) == 1:
            return f"with {whos[0]} {said[0]}, whether the data must travel or not"
    else:
        said = [_clause(c) + (f" with {_winners(evidence, c)}" if _pays(c) else "") for c in found]
    parts = [
        f"{text} {names.scope(c.scope, on_gpu=True)}" for text, c in zip(said, found, strict=True)
    ]
    return (f"with {whos[0]} " if len(whos) == 1 else "") + "; ".join(parts)


def _open(evidence: Evidence, workload: str, found: list[Crossover]) -> str:
    """Return that nothing is settled, with the best that was seen."""
    best = max(found, key=lambda c: c.best_ratio or 0.0)
    seen = sentences.at_best(evidence, best, f": at best {evidence.label(best.entry)}")
    lost = [c for c in found if c.loses_to is not None]
    axis = labels.axis(workload)
    behind = ""
    if lost:
        parts = [f"{axis} = {c.loses_to} {names.scope(c.scope, on_gpu=True)}" for c in lost]
        behind = f"; it loses up to {names.joined(parts)}"
    return (
        f"{workload}: not settled whether the GPU pays ({_range(best)})"
        f"{seen}{_scope_of(best) if seen else ''}{behind}."
    )


def _scope_of(c: Crossover) -> str:
    return f" ({names.SCOPE_TITLES[c.scope]})"


def _clause(c: Crossover) -> str:
    axis = labels.axis(c.workload)
    match c.kind:
        case "bracket":
            return _bracket(c, axis)
        case "always":
            return _always(c, axis)
        case "never":
            return f"at no size tested ({_range(c)})"
        case "several":
            near = names.joined([names.size(v) for v in c.changes])
            return f"at some sizes (the lead changes near {axis} = {near})"
        case "undecided":
            return _undecided(c, axis)


def _always(c: Crossover, axis: str) -> str:
    if sentences.all_settled(c) or c.wins_from is None:
        return f"at every size tested ({_range(c)})"
    still = [s for s in c.sizes if s < c.wins_from]
    more = f" (ahead, not settled, at {names.sizes(still, c.sizes)})" if still else ""
    last = c.wins_from == max(c.sizes)
    return f"at {axis} = {c.wins_from}{more}" if last else f"from {axis} = {c.wins_from} on{more}"


def _undecided(c: Crossover, axis: str) -> str:
    if c.wins_from is None:
        return f"not settled ({_range(c)})"
    top = f" to {c.wins_to}" if c.wins_to != c.wins_from else ""
    return f"at {axis} = {c.wins_from}{top} (the other sizes are not settled)"


def _bracket(c: Crossover, axis: str) -> str:
    if sentences.falls_behind(c):
        return f"only at small sizes (the lead is lost {sentences.where(c)})"
    if c.low is not None and c.high is not None:
        low, high = names.size(c.low), names.size(c.high)
        return f"from somewhere between {axis} = {low} and {axis} = {high} on"
    if c.low is not None:
        return f"not up to {axis} = {names.size(c.low)} (beyond that nothing is settled)"
    return sentences.where(c)


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
    """Return the other CPU library against NumPy, word by word with sizes and figures."""
    found = [
        v
        for v in evidence.verdicts(workload, base_kind="numpy")
        if column(evidence, v.entry, "numpy") == leads.get("resident")
    ]
    if not found:
        return f"{workload}: there was nothing to compare NumPy with."
    axis, sizes = labels.axis(workload), [v.size for v in found]
    who = names.joined(list(dict.fromkeys(evidence.label(v.entry) for v in found)), "or")
    groups: dict[str, list[Verdict]] = {}
    for v in found:
        groups.setdefault(v.word if v.word in _CPU_WORDS else "open", []).append(v)
    said = []
    for word, group in sorted(groups.items(), key=lambda g: g[0] == "open"):
        at = names.sizes([v.size for v in group], sizes)
        words = f"{_CPU_WORDS[word]} NumPy" if word in _CPU_WORDS else "not settled"
        said.append(f"{words} at {axis} = {at}{_figures(group)}")
    opening = who if len(groups) > 1 or "open" not in groups else f"{who} against NumPy is"
    return f"{workload}: {opening} {'; '.join(said)}."


def _figures(group: list[Verdict]) -> str:
    """Return ratio, interval and rounds at the largest size of verdicts with the same word."""
    known = [v for v in group if v.ratio is not None and v.low is not None]
    if not known:
        return ""
    last = max(known, key=lambda v: v.size)
    where = f" at {last.size}" if len(group) > 1 else ""
    return f" ({ratio_text(last)}{where}, {names.rounds(last.rounds)})"


def _reference(evidence: Evidence, workload: str) -> str:
    """Return this CPU beside a stored run of another machine, at the largest shared size."""
    mine = [r for r in evidence.record.references if r.workload == workload]
    if not mine:
        return ""
    preferred = [r for r in mine if r.scope == "transfer"] or mine
    largest = max(r.size for r in preferred)
    r = max((r for r in preferred if r.size == largest), key=lambda r: r.ratio)
    travel = "data travelling" if r.scope == "transfer" else "data already there"
    return (
        f" At {labels.axis(workload)} = {r.size} {evidence.label(r.here_entry)} takes "
        f"{units.seconds(r.here_s)}, a stored {r.machine} run "
        f"({labels.elsewhere(r.there_entry)}, {travel}) {units.seconds(r.there_s)}: "
        f"{units.ratio(r.ratio)} (other machine, not paired, indicative)."
    )


def _tally(evidence: Evidence, workload: str, kind: str) -> str:
    """Return how often each word was given, when there is no crossover to speak of."""
    parts = []
    for entry in dict.fromkeys(v.entry for v in evidence.verdicts(workload, base_kind=kind)):
        mine = evidence.verdicts(workload, base_kind=kind, entry=entry)
        parts.append(f"{evidence.label(entry)} {_words(evidence, mine)}")
    return f"{'; '.join(parts)}." if parts else "No comparison could be judged."


def _words(evidence: Evidence, verdicts: list[Verdict]) -> str:
    base = names.base(verdicts[0].base_kind, evidence.label(verdicts[0].base))
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


def _quick(evidence: Evidence, workload: str, kind: str, leads: dict[str, str]) -> str:
    """Return where the lead was ahead in the one round of a quick run: figures, no verdict."""
    axis, sizes = labels.axis(workload), evidence.sizes(workload)
    base = names.base(kind, "the other entry")
    said: list[str] = []
    for scope in _SCOPES:
        found = [
            v
            for v in evidence.verdicts(workload, scope=scope, base_kind=kind)
            if v.ratio is not None and column(evidence, v.entry, kind) == leads.get(scope)
        ]
        if not found:
            continue
        ahead = [v.size for v in found if v.ratio is not None and v.ratio > 1]
        at = f"at {axis} = {names.sizes(ahead, sizes)}" if ahead else "at no size"
        last = max(found, key=lambda v: v.size)
        travel = names.scope(scope, on_gpu=evidence.on_gpu(last.entry))
        figures = f"{ratio_text(last, mark='~')} at {last.size}"
        # The second scope of the same entry need not name it again.
        repeats = bool(said) and leads[scope] == leads.get(_SCOPES[0])
        who = "" if repeats else f"{leads[scope]} was ahead of {base} "
        said.append(f"{who}{at} {travel}".rstrip() + f" ({figures})")
    mark = "indicative, one round, no verdict"
    if not said:
        return f"{workload} ({mark}): the times stand in the table."
    return f"{workload} ({mark}): {', '.join(said)}."
