"""Precision variants as they are shown: time beside error, against each of their bases."""

from __future__ import annotations

import math

from breakeven import units
from breakeven.model import labels
from breakeven.model.ratio import Ratio
from breakeven.model.run import Case, Entry
from breakeven.model.verdict import BEST_CPU, Verdict
from breakeven.report import cells, names
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.rows import ratio_text
from breakeven.report.view import Note, PrecisionPoint, Table
from breakeven.stats.classes import UNIT_ROUNDOFF

_SCOPES = ("resident", "transfer")


def points(evidence: Evidence, workload: str) -> tuple[PrecisionPoint, ...]:
    """Return time and error of each variant and of what it is compared with, at one size.

    That is the largest size at which a variant has both. Data are on the device. An error under
    what the float64 reference itself is rounded by is drawn there: less cannot be told.
    """
    size = _shown_size(evidence, workload)
    if size is None:
        return ()
    found = []
    for entry in _compared(evidence, workload, size):
        case = evidence.case(workload, size, entry.id)
        figure = evidence.figure(workload, size, entry.id, "resident")
        if case is None or case.agreement is None or figure.seconds is None:
            continue
        if not math.isfinite(case.agreement.error):
            continue
        found.append(
            PrecisionPoint(
                family=_family(evidence, entry),
                precision=labels.precision(entry.precision),
                entry=entry.id,
                size=size,
                error=max(case.agreement.error, UNIT_ROUNDOFF["float64"]),
                class_=case.agreement.class_,
                seconds=figure.seconds,
                text=figure.text,
            )
        )
    return tuple(found)


def table(evidence: Evidence, workload: str) -> Table:
    """Return each variant at each size: times, error with its class, ratios over its bases."""
    columns = (
        evidence.axis(workload), "entry", "computes in", "data", "time", "error", "class",
        "over the best CPU [95 %]", "over itself in the run's precision [95 %]",
        "over the CPU in the same precision [95 %]",
    )  # fmt: skip
    body = []
    for case in evidence.cases(workload):
        entry = evidence.entries.get(case.entry)
        if entry is None or entry.variant != "precision":
            continue
        for scope in _SCOPES if entry.device != "cpu" else _SCOPES[:1]:
            ratios = (
                _judged(evidence, _verdict(evidence, case, scope, kind))
                for kind in (BEST_CPU, "own", "cpu-alike")
            )
            body.append((
                str(case.size), case.entry, labels.precision(entry.precision),
                names.SCOPE_SHORT[scope] if entry.device != "cpu" else "in memory",
                evidence.figure(workload, case.size, case.entry, scope).text,
                *_error(case), *ratios,
            ))  # fmt: skip
    run = labels.precision(evidence.record.spec.dtype)
    said = (
        f"GPU entries entered once more a precision; the run's own is {run}, in which the best "
        "CPU setting computes. Over 1 the variant is faster. The error is relative to float64; "
        "its class says what arithmetic errs so much."
    )
    caption = " ".join((said, *_rates(evidence, workload)))
    return cells.table("Precision variants", caption, columns, body, text=(1, 2, 3, 6))


def notes(evidence: Evidence, workload: str) -> tuple[Note, ...]:
    """Return what the screen says of variants at the largest size, then the card's own rate."""
    size = _shown_size(evidence, workload)
    if size is None:
        return ()
    found = []
    for case in evidence.cases(workload):
        entry = evidence.entries.get(case.entry)
        if entry is None or entry.variant != "precision" or entry.device == "cpu":
            continue
        if case.size == size and case.agreement is not None:
            found.append(Note(label="precision", text=_said(evidence, case)))
    found += [Note(label="precision", text=text) for text in _rates(evidence, workload)]
    return tuple(found)


def _said(evidence: Evidence, case: Case) -> str:
    parts = []
    for kind in (BEST_CPU, "own"):
        v = _verdict(evidence, case, "resident", kind)
        if v is None:
            continue
        base = f"{evidence.label(v.base)} in {labels.precision(v.base_precision or 'float32')}"
        parts.append(f"over {base} {_judged(evidence, v)}")
    error, class_ = _error(case)
    where = f"{evidence.axis(case.workload)} = {names.size(case.size)}, data on the device"
    ratios = "; ".join(parts) or "no ratio"
    return f"{evidence.label(case.entry)} at {where}: {ratios}; errs by {error} ({class_})."


def _rates(evidence: Evidence, workload: str) -> list[str]:
    """Return how float64 compares with float32 on the card, as measured at the largest size."""
    said = []
    by_entry: dict[str, Ratio] = {}
    for r in sorted(evidence.record.ratios, key=lambda each: each.size):
        if r.workload == workload and r.kind == "float64":
            by_entry[r.entry] = r
    for r in by_entry.values():
        mark = "~" if evidence.quick else ""
        at = f"{evidence.axis(workload)} = {names.size(r.size)}"
        sure = "" if r.low is None or r.high is None else f", 95 %: {names.interval(r.low, r.high)}"
        said.append(
            f"float64 took {mark}{units.significant(r.value, 2)} times as long as float32 on this "
            f"GPU at {at} ({evidence.label(r.other or r.entry)}, data on the device{sure}, "
            f"n = {r.n})."
        )
    return said


def _shown_size(evidence: Evidence, workload: str) -> int | None:
    found = [
        case.size
        for case in evidence.cases(workload)
        if case.status == "ok"
        and (entry := evidence.entries.get(case.entry)) is not None
        and entry.variant == "precision"
    ]
    return max(found, default=None)


def _compared(evidence: Evidence, workload: str, size: int) -> list[Entry]:
    """Return the entries of one picture: GPU entries and best CPU setting, then variants."""
    best = evidence.best_cpu_at(workload, size)
    plain = [e for e in evidence.taking_part(workload) if e.device != "cpu" or e.id == best]
    return [*plain, *evidence.variants(workload)]


def _family(evidence: Evidence, entry: Entry) -> str:
    """Return what an entry and its variants are called together."""
    return evidence.label(entry.precision_of or entry.id)


def _verdict(evidence: Evidence, case: Case, scope: str, kind: str) -> Verdict | None:
    found = evidence.variant_verdicts(
        case.workload, size=case.size, entry=case.entry, scope=scope, base_kind=kind
    )
    return found[0] if found else None


def _judged(evidence: Evidence, v: Verdict | None) -> str:
    if v is None:
        return NONE
    if v.ratio is None:
        return f"{names.word(v.word)} ({v.why})" if v.why else names.word(v.word)
    shown = ratio_text(v, mark="~" if evidence.quick else "")
    return shown if evidence.quick else f"{shown} ({names.word(v.word)})"


def _error(case: Case) -> tuple[str, str]:
    if case.agreement is None:
        return NONE, names.word(case.status)
    error = case.agreement.error
    return units.scientific(error) if error else "0", case.agreement.class_
