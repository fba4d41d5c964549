"""The answer sentence of a workload: does a GPU pay, from where on, with which library."""

from __future__ import annotations

from collections import Counter

from breakeven import units
from breakeven.model import labels
from breakeven.model.verdict import BEST_CPU, Verdict
from breakeven.report import gpu_answer, names, reasons
from breakeven.report.evidence import Evidence
from breakeven.report.rows import column, ratio_text
from breakeven.report.training import answer as training_answer

_SCOPES = ("transfer", "resident")
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
    return all(
        reasons.all_voided(evidence, name) is not None
        or (not evidence.quick and reasons.all_withheld(evidence.verdicts(name)) is not None)
        for name in found
    )


def answer(evidence: Evidence, workload: str, kind: str, leads: dict[str, str]) -> str:
    """Return the first sentence of a workload's page."""
    if not any(c.status == "ok" for c in evidence.cases(workload)):
        return f"{workload}: nothing could be measured; the reasons stand below."
    code = reasons.nothing_judged(evidence, workload, kind)
    if code is not None:
        said = reasons.nothing_named(evidence.record, code)
        # Times of a busy machine are no measure of what it can do.
        beside = "" if code == "busy" else _reference(evidence, workload)
        return f"{workload}: {said}{beside}"
    return training_answer.answer(evidence, workload, leads) or _of_arrays(
        evidence, workload, kind, leads
    )


def _of_arrays(evidence: Evidence, workload: str, kind: str, leads: dict[str, str]) -> str:
    if evidence.quick:
        return _quick(evidence, workload, kind, leads) + _reference(evidence, workload)
    if kind == BEST_CPU:
        pays = gpu_answer.with_gpu(evidence, workload, leads)
        return pays or f"{workload}: not settled. {_tally(evidence, workload, BEST_CPU)}"
    if kind == "same":
        return f"{workload}: the same backend entered twice. {_tally(evidence, workload, 'same')}"
    return _without_gpu(evidence, workload, leads) + _reference(evidence, workload)


def _without_gpu(evidence: Evidence, workload: str, leads: dict[str, str]) -> str:
    """Return the other CPU library against NumPy, word by word with sizes and figures."""
    found = [
        v
        for v in evidence.verdicts(workload, base_kind="numpy")
        if column(evidence, v.entry, "numpy") == leads.get("resident")
    ]
    if not found and evidence.record.spec.function is not None:
        return f"{workload}: NumPy alone could be timed; how far other libraries got stands below."
    if not found:
        return f"{workload}: there was nothing to compare NumPy with."
    axis, sizes = evidence.axis(workload), [v.size for v in found]
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
    """Return ratio, interval and rounds at one size of verdicts with the same word.

    That is the largest of those with the most rounds: a size cut short says least.
    """
    known = [v for v in group if v.ratio is not None and v.low is not None]
    if not known:
        return ""
    last = max(known, key=lambda v: (v.rounds, v.size))
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
    travel = ", data travelling" if r.scope == "transfer" else ", data already there"
    said = travel if evidence.on_gpu_there(r) else ""
    return (
        f" At {evidence.axis(workload)} = {r.size} {evidence.label(r.here_entry)} takes "
        f"{units.seconds(r.here_s)}, a stored {r.machine} run "
        f"({labels.elsewhere(r.there_entry)}{said}) {units.seconds(r.there_s)}: "
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
    axis, sizes = evidence.axis(workload), evidence.sizes(workload)
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
