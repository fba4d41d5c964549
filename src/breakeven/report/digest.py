"""What the screen says of a workload beside its table: a few sentences, the report has the rest."""

from __future__ import annotations

from breakeven.model.verdict import BEST_CPU, Crossover, NaiveCost, Payback, Verdict
from breakeven.report import (
    clocks,
    kernel_caches,
    names,
    precisions,
    reach,
    reasons,
    sentences,
    startup,
)
from breakeven.report.evidence import Evidence
from breakeven.report.rows import column
from breakeven.report.view import AdviceText, Note, Row

_WARM = ("transfer", "resident")


def notes(
    evidence: Evidence,
    workload: str,
    kind: str,
    leads: dict[str, str],
    rows: tuple[Row, ...],
    advice: tuple[AdviceText, ...],
) -> tuple[Note, ...]:
    """Return the notes of one workload in reading order; a quick run has none to settle."""
    found: list[Note] = []
    judged = evidence.verdicts(workload, base_kind=kind)
    voided = reasons.all_voided(evidence, workload) is not None
    if not evidence.quick and not voided and reasons.all_withheld(judged) is None:
        found += _break_even(evidence, workload, kind, leads)
        repaid = _pay_back(evidence, workload, kind, leads)
        # Without a GPU one of the two says enough of what an import costs.
        if kind == BEST_CPU or not repaid:
            found += _cold(evidence, workload, kind)
        found += kernel_caches.notes(evidence, workload)
        found += repaid
        found += _not_settled(evidence, workload, kind, leads, rows)
        found += [Note(label="advice", text=a.headline) for a in advice if a.settled]
    if not evidence.quick:
        found += reach.note(evidence, workload, leads)
    found += clocks.notes(evidence, workload)
    found += precisions.notes(evidence, workload)
    found += [Note(label="one-shot timing", text=text) for text in one_shots(evidence, workload)]
    return tuple(found)


def one_shots(evidence: Evidence, workload: str) -> tuple[str, ...]:
    """Return what timing once reads, for each GPU entry where it strays furthest.

    Without a GPU the CPU entries stand in, each library as it comes.
    """
    gpu = bool(evidence.taking_part(workload, gpu=True))
    kept = {e.id for e in evidence.taking_part(workload, gpu=gpu) if gpu or e.default}
    worst: dict[str, tuple[float, NaiveCost]] = {}
    for n in evidence.record.naive:
        sound = n.sound_transfer_s if gpu else n.sound_resident_s
        if n.workload != workload or n.entry not in kept or sound is None:
            continue
        strays = n.one_shot_s / sound
        if n.entry not in worst or strays > worst[n.entry][0]:
            worst[n.entry] = (strays, n)
    return tuple(startup.naive(evidence, n) for _, n in worst.values())


def _of(
    evidence: Evidence, workload: str, scope: str, kind: str, leads: dict[str, str]
) -> tuple[Crossover | None, list[Crossover]]:
    """Return the crossover of the lead in a scope, then those of the others."""
    found = evidence.crossovers(workload, scope=scope, base_kind=kind)
    if kind == BEST_CPU:
        found = [c for c in found if evidence.on_gpu(c.entry)]
    lead = next((c for c in found if column(evidence, c.entry, kind) == leads.get(scope)), None)
    return lead, [c for c in found if c is not lead]


def _break_even(evidence: Evidence, workload: str, kind: str, leads: dict[str, str]) -> list[Note]:
    """Return the lead's brackets in both scopes, with the other library in a clause.

    Where nothing crosses, the answer has said so already.
    """
    said: list[str] = []
    rounds = 0
    for scope in _WARM:
        lead, others = _of(evidence, workload, scope, kind, leads)
        if lead is None or lead.kind not in {"bracket", "several"}:
            continue
        opening = f"{evidence.label(lead.entry)} {_verb(lead)} "
        repeats = bool(said) and said[0].startswith(opening)
        who = "" if repeats else opening + names.base(kind, evidence.label(lead.base)) + " "
        travel = names.scope(scope, on_gpu=evidence.on_gpu(lead.entry))
        beside = [
            f"{evidence.label(c.entry)} {_place(evidence, c)}"
            for c in others
            if c.kind != "undecided" and _verb(c) == _verb(lead)
        ]
        beside = [part for part in (sentences.measured(lead), *beside) if part]
        aside = f" ({'; '.join(beside)})" if beside else ""
        said.append(f"{who}{_place(evidence, lead)} {travel}".rstrip() + aside)
        found = evidence.verdicts(workload, scope=scope, base_kind=kind, entry=lead.entry)
        rounds = max([rounds, *(v.rounds for v in found)])
    if not said:
        return []
    return [Note(label="break-even", text=f"{', '.join(said)}; 95 %, {names.rounds(rounds)}.")]


def _verb(c: Crossover) -> str:
    if c.kind == "bracket" and c.high is None:
        return "does not overtake"
    if c.kind == "bracket" and c.low is None:
        return "is ahead of"
    if c.kind == "always":
        return "is faster than" if sentences.all_settled(c) else "is ahead of"
    return "falls behind" if sentences.falls_behind(c) else "overtakes"


def _place(evidence: Evidence, c: Crossover) -> str:
    axis = evidence.axis(c.workload)
    match c.kind:
        case "bracket" if c.low is not None and c.high is None:
            return f"up to {axis} = {names.size(c.low)}"
        case "bracket":
            return sentences.where(evidence, c)
        case "always" | "never":
            alone, always = names.alone(axis, c.sizes), c.kind == "always"
            if alone:
                return alone if always else f"not {alone}"
            at = "at every size" if always else "at no size"
            return f"{at} ({axis} = {names.sizes(c.sizes, c.sizes)})"
        case _:
            return f"near {axis} = {names.joined([names.size(v) for v in c.changes])}"


def _cold(evidence: Evidence, workload: str, kind: str) -> list[Note]:
    """Return where single calls pay; one sentence when they never do."""
    found = evidence.crossovers(workload, scope="cold", base_kind=kind)
    found = [c for c in found if c.kind != "undecided" and c.sizes]
    if kind == BEST_CPU:
        found = [c for c in found if evidence.on_gpu(c.entry)]
    if not found:
        return []
    if all(c.kind == "never" for c in found):
        return [Note(label="cold start (composed)", text=startup.never_cold(evidence, found))]
    said = []
    for c in found:
        base = names.base(kind, evidence.label(c.base))
        said.append(f"{evidence.label(c.entry)} {_verb(c)} {base} {_place(evidence, c)}")
    return [Note(label="cold start (composed)", text=f"{'; '.join(said)}.")]


def _pay_back(evidence: Evidence, workload: str, kind: str, leads: dict[str, str]) -> list[Note]:
    """Return when start-up is repaid, at the largest size that the lead surely wins."""
    scope = "transfer" if "transfer" in leads else "resident"
    won = [
        v
        for v in evidence.verdicts(workload, scope=scope, base_kind=kind, word="faster")
        if column(evidence, v.entry, kind) == leads.get(scope)
    ]
    if not won:
        return []
    last = max(won, key=lambda v: v.size)
    found: dict[str, Payback] = {}
    for p in evidence.record.paybacks:
        if (p.workload, p.size, p.entry) == (workload, last.size, last.entry):
            found.setdefault(p.base, p)
    text = startup.repaid(evidence, list(found.values())) if found else ""
    return [Note(label="pay-back", text=text)] if text else []


def _not_settled(
    evidence: Evidence, workload: str, kind: str, leads: dict[str, str], rows: tuple[Row, ...]
) -> list[Note]:
    """Return why verdicts of the table are not settled, each kind of reason once."""
    shown = [row.size for row in rows if row.in_plan]
    found: list[Verdict] = [
        v
        for v in evidence.verdicts(workload, base_kind=kind)
        if v.size in shown and column(evidence, v.entry, kind) == leads.get(v.scope)
    ]
    if reasons.all_withheld(found) is not None:
        # The answer has told it.
        return []
    lines = reasons.grouped(evidence, found, shown, named=False)
    return [Note(label="not settled", text=line[0].lower() + line[1:]) for line in lines]
