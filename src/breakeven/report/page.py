"""From a stored run to its page: everything that is shown, formatted, and nothing computed."""

from __future__ import annotations

from itertools import groupby

from breakeven.model.run import Case, RunRecord
from breakeven.model.verdict import Crossover, Payback
from breakeven.report import (
    answers,
    digest,
    environment,
    findings,
    measured,
    names,
    points,
    ported,
    precisions,
    reach,
    reasons,
    references,
    sentences,
    startup,
    tables,
    timeline_page,
)
from breakeven.report import rows as main_table
from breakeven.report.evidence import Evidence
from breakeven.report.recommendation import recommendations
from breakeven.report.training import page as training_page
from breakeven.report.training import screen
from breakeven.report.training.view import TrainingPage
from breakeven.report.view import (
    AdviceText,
    Claim,
    Note,
    Page,
    Row,
    WorkloadPage,
)

__all__ = ["Page", "build"]

_KEPT = frozenset({"not settled", "pay-back", "one-shot timing"})
"""Notes that a training's page keeps beside its questions."""


def build(record: RunRecord) -> Page:
    """Return the page of a run.

    The same record gives the same page everywhere: no clock is read and no machine is asked.

    Parameters
    ----------
    record : RunRecord
        A stored run with what was concluded from it.
    """
    if timeline_page.stands_alone(record):
        return timeline_page.page(record)
    evidence = Evidence(record)
    workloads = tuple(_workload(evidence, name) for name in evidence.workloads())
    judged = not workloads or not all(w.withheld for w in workloads)
    shared = (measured.floors(evidence), reach.ceilings(evidence), measured.backends(evidence))
    return Page(
        run=record.id,
        title=_title(record, evidence),
        answers=answers.answers(evidence, {w.name: w.answer for w in workloads}),
        indicative=evidence.quick,
        environment=environment.header(record),
        caveats=environment.caveats(record),
        weighty=environment.weighty(record, judged=judged),
        workloads=workloads,
        method=environment.method(record),
        tables=tuple(t for t in shared if t.rows),
        details=environment.details(record),
        version=record.machine.breakeven,
        timeline=timeline_page.build(record),
        findings=findings.texts(record),
    )


def _title(record: RunRecord, evidence: Evidence) -> str:
    gpus = list(dict.fromkeys(g.name for g in record.machine.gpus))
    where = names.joined(gpus) or record.machine.cpu.model or "a CPU without a model name"
    return f"Breakeven: {names.joined(evidence.workloads())} on {where}"


def _workload(evidence: Evidence, name: str) -> WorkloadPage:
    record = evidence.record
    kind = main_table.base_kind(evidence, name)
    leads = main_table.leads(evidence, name, kind)
    rows = main_table.rows(evidence, name)
    mine = sorted(evidence.crossovers(name), key=lambda c: names.SCOPE_ORDER.index(c.scope))
    phase_size, bars = points.phase_bars(evidence, name)
    advice = recommendations(evidence, name)
    training, studied = training_page.build(evidence, name) or (None, ())
    return WorkloadPage(
        name=name,
        axis=evidence.axis(name),
        dtype=evidence.dtype(name),
        answer=answers.answer(evidence, name, kind, leads),
        base_kind=kind,
        scopes=_scopes(evidence, name),
        leads=leads,
        rows=rows,
        best_cpu_names=main_table.best_cpu_names(evidence, name),
        crossovers=_claims(evidence, [c for c in mine if c.base_kind == kind], leads),
        second_line=_claims(evidence, [c for c in mine if c.base_kind != kind], leads),
        paybacks=_paybacks(evidence, name, kind),
        bands=tuple(
            _band_scope(evidence, name, scope) + sentences.band(evidence, b)
            for scope in names.SCOPE_ORDER
            for b in record.bands
            if (b.workload, b.base_kind, b.scope) == (name, kind, scope)
            and not (evidence.quick and b.kind == "open")
        ),
        advice=advice,
        references=references.lines(evidence, name),
        notes=_notes(evidence, name, kind, leads, rows, advice, training),
        withheld=reasons.nothing_judged(evidence, name, kind) is not None,
        one_shots=digest.one_shots(evidence, name),
        unsettled=_unsettled(evidence, name, kind),
        statuses=_statuses(evidence, evidence.cases(name)),
        tables=(
            *studied,
            *ported.tables(evidence, name),
            *tables.of_workload(evidence, name, rows, kind, leads),
        ),
        brackets=points.brackets(evidence, name, rows, leads),
        phases=bars,
        phase_size=phase_size,
        losses=points.losses(evidence, name),
        reference_points=points.reference_points(evidence, name),
        shares=reach.sentences(evidence, name),
        roofs=reach.roofs(evidence, name),
        reached=reach.reached(evidence, name),
        predicted=reach.predicted(evidence, name),
        precisions=precisions.points(evidence, name),
        training=training,
    )


def _notes(
    evidence: Evidence,
    name: str,
    kind: str,
    leads: dict[str, str],
    rows: tuple[Row, ...],
    advice: tuple[AdviceText, ...],
    training: TrainingPage | None,
) -> tuple[Note, ...]:
    """Return the notes of the screen; a training's questions stand in place of its break-even."""
    found = digest.notes(evidence, name, kind, leads, rows, advice)
    if training is None:
        return (*ported.notes(evidence, name), *found)
    return (*screen.notes(training), *(n for n in found if n.label in _KEPT))


def _scopes(evidence: Evidence, name: str) -> tuple[str, ...]:
    if evidence.taking_part(name, gpu=True):
        return ("transfer", "resident")
    return ("resident",)


def _claims(evidence: Evidence, found: list[Crossover], leads: dict[str, str]) -> tuple[Claim, ...]:
    """Return break-even sentences; a quick run has nothing to say where nothing is settled.

    Cold starts that are never repaid make one sentence where they share base and sizes.
    """
    alike: dict[tuple[bool, tuple[int, ...]], list[Crossover]] = {}
    for c in found:
        if c.scope == "cold" and c.kind == "never" and not evidence.quick:
            alike.setdefault((evidence.on_gpu(c.entry), c.sizes), []).append(c)
    merged = [c for group in alike.values() for c in group]
    return tuple(
        sentences.crossover(
            evidence,
            c,
            lead=leads.get(c.scope, next(iter(leads.values()), None))
            == main_table.column(evidence, c.entry, c.base_kind),
        )
        for c in found
        if c not in merged and not (evidence.quick and c.kind == "undecided")
    ) + tuple(sentences.never_cold_claim(evidence, group) for group in alike.values())


def _band_scope(evidence: Evidence, name: str, scope: str) -> str:
    if not evidence.taking_part(name, gpu=True):
        return ""
    return f"{names.SCOPE_TITLES[scope].capitalize()}: "


def _paybacks(evidence: Evidence, name: str, kind: str) -> tuple[str, ...]:
    """Return pay-back in words at the largest size of each entry; the table has every size."""
    largest: dict[str, Payback] = {}
    for p in evidence.record.paybacks:
        if (p.workload, p.base_kind) == (name, kind):
            known = largest.get(p.entry)
            if known is None or p.size > known.size:
                largest[p.entry] = p
    return tuple(
        startup.payback(evidence, p)
        for p in largest.values()
        if not (p.calls is p.calls_resident is p.reuses is None and _withheld(evidence, p))
    )


def _withheld(evidence: Evidence, p: Payback) -> bool:
    """Return whether every verdict behind a pay-back is withheld: that is told once already."""
    wanted = {"size": p.size, "entry": p.entry, "base_kind": p.base_kind}
    return all(v.word == "withheld" for v in evidence.verdicts(p.workload, **wanted))


def _unsettled(evidence: Evidence, name: str, kind: str) -> tuple[str, ...]:
    """Return the reasons behind verdicts withheld or open, each kind of reason once."""
    if evidence.quick:
        return ()
    found = evidence.verdicts(name, base_kind=kind)
    return reasons.grouped(evidence, found, evidence.sizes(name), named=True)


def _statuses(evidence: Evidence, cases: list[Case]) -> tuple[str, ...]:
    """Return each status other than ok with its reason, neighbouring sizes told together."""
    told = {name: ported.told(evidence, name) for name in {c.workload for c in cases}}
    wrong = (c for c in cases if c.status != "ok" and (c.entry, c.size) not in told[c.workload])
    failed = sorted(wrong, key=lambda c: (c.entry, c.status, c.why or ""))
    lines = []
    for (entry, status, why), group in groupby(failed, key=lambda c: (c.entry, c.status, c.why)):
        found = list(group)
        sizes = names.sizes([c.size for c in found])
        axis = evidence.axis(found[0].workload)
        reason = why or "no reason was recorded"
        lines.append(
            f"{evidence.label(entry)}: {names.word(status)} at {axis} = {sizes} ({reason})"
        )
    return tuple(lines)
