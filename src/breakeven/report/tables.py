"""The comparison as tables of text: one function a table, without rows when nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from breakeven import units
from breakeven.report import (
    cells,
    clocks,
    gpu_state,
    kernel_caches,
    measured,
    names,
    precisions,
    ratios,
    reach,
)
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.rows import judged, ratio_text
from breakeven.report.view import Figure, Row, Table

_TRAVEL = {"resident": "on device", "transfer": "travels", "cold": "cold (composed)"}
_CPU_WORDS = "CPU entries have one time for both scopes: their data need not travel."


def of_workload(
    evidence: Evidence, workload: str, rows: Sequence[Row], kind: str, leads: Mapping[str, str]
) -> tuple[Table, ...]:
    """Return the tables of one workload that have rows, in reading order."""
    tables = (
        times(evidence, workload, rows, kind, leads),
        verdicts(evidence, workload),
        precisions.table(evidence, workload),
        every_entry(evidence, workload),
        paybacks(evidence, workload),
        measured.agreement(evidence, workload),
        measured.phases(evidence, workload),
        kernel_caches.table(evidence, workload),
        clocks.clocks(evidence, workload),
        ratios.gains(evidence, workload),
        clocks.copies(evidence, workload),
        clocks.caches(evidence, workload),
        measured.achieved(evidence, workload),
        reach.shares(evidence, workload),
        reach.predictions(evidence, workload),
        measured.memory(evidence, workload),
        gpu_state.table(evidence, workload),
        measured.naive(evidence, workload),
        measured.aa(evidence, workload),
        measured.references(evidence, workload),
        measured.losses(evidence, workload),
        measured.slots(evidence, workload),
    )
    return tuple(t for t in tables if t.rows)


def times(
    evidence: Evidence, workload: str, rows: Sequence[Row], kind: str, leads: Mapping[str, str]
) -> Table:
    """Return one row a size: NumPy, the best CPU entry by name, the others, the lead's verdicts."""
    gpu = bool(evidence.taking_part(workload, gpu=True))
    columns = [evidence.axis(workload), "NumPy", "best CPU", "which"]
    columns += [
        f"{timed.column}, {_TRAVEL[timed.scope]}" if gpu else timed.column
        for timed in (rows[0].others if rows else ())
    ]
    base = names.base(kind, "the same entry").removeprefix("the ")
    for scope, lead in leads.items():
        travel = f", {_TRAVEL[scope]}" if gpu else ""
        columns.append(f"{lead} over {base}{travel} [95 %]")
    body = [
        (
            str(row.size),
            row.numpy.figure.text,
            row.best_cpu.figure.text,
            row.best_cpu.entry or NONE,
            *(t.figure.text for t in row.others),
            *(_judged(row, scope, lead, kind) for scope, lead in leads.items()),
        )
        for row in rows
    ]
    caption = (
        "Time of one call on the wall clock, median over rounds of the median over slots, then "
        f"base time / entry time with its 95 % interval. {_CPU_WORDS} ~ marks an indicative figure."
    )
    return cells.table("Times and speed-up", caption, columns, body, text=(3,))


def verdicts(evidence: Evidence, workload: str) -> Table:
    """Return every stored verdict with both intervals, margin, rounds and reason."""
    columns = (
        evidence.axis(workload), "scope", "entry", "base", "taken as", "speed-up [95 %]",
        "verdict interval", "margin", "rounds", "word", "why",
    )  # fmt: skip
    body = []
    for v in evidence.verdicts(workload):
        wide = NONE
        if v.verdict_low is not None and v.verdict_high is not None:
            wide = names.interval(v.verdict_low, v.verdict_high)
        taken_as = names.base(v.base_kind, "same backend").removeprefix("the ")
        body.append((
            str(v.size), v.scope, v.entry, v.base, taken_as, ratio_text(v), wide,
            NONE if v.margin is None else units.ratio(v.margin), str(v.rounds),
            "no verdict (quick)" if evidence.quick else names.word(v.word), v.why or "",
        ))  # fmt: skip
    caption = (
        "Speed-up = time of the base / time of the entry: over 1 the entry is faster. The first "
        "interval is at 95 %, for reading; the word hangs on the wider verdict interval."
    )
    return cells.table("Verdicts", caption, columns, body, text=(1, 2, 3, 4, 9, 10))


def every_entry(evidence: Evidence, workload: str) -> Table:
    """Return the time of each case by scope, with range over rounds and status."""
    columns = (
        evidence.axis(workload), "entry", "threads", "status", "on device", "range over rounds",
        "travels", "range over rounds", "rounds", "remark",
    )  # fmt: skip
    body = []
    for c in evidence.cases(workload):
        entry = evidence.entries.get(c.entry)
        stay = evidence.figure(workload, c.size, c.entry, "resident")
        go = evidence.figure(workload, c.size, c.entry, "transfer")
        threads = NONE if entry is None or entry.threads is None else str(entry.threads)
        notes = dict.fromkeys(n for n in (c.why, stay.note, go.note) if n)
        body.append((
            str(c.size), c.entry, threads, names.word(c.status), stay.text, _span(stay),
            go.text, _span(go), str(max(stay.rounds, go.rounds)), "; ".join(notes),
        ))  # fmt: skip
    caption = f"All entries, twins included; wall clock. {_CPU_WORDS}"
    return cells.table("Every entry", caption, columns, body, text=(1, 3, 9))


def paybacks(evidence: Evidence, workload: str) -> Table:
    """Return after how many calls and reuses each entry has repaid its costs."""
    columns = (evidence.axis(workload), "entry", "base", "calls, data travels",
               "calls, on device", "reuses of the data", "why not")  # fmt: skip
    body = [
        (str(p.size), p.entry, p.base, *(
            NONE if e is None else
            f"{units.whole(e.value)} [{units.whole(e.low)}, {units.whole(e.high)}]"
            for e in (p.calls, p.calls_resident, p.reuses)
        ), p.why or "")
        for p in evidence.record.paybacks if p.workload == workload
    ]  # fmt: skip
    caption = (
        "Calls after which start-up (import, context, first call) is repaid, and operations on "
        "the same data after which one journey of it is repaid; 95 % intervals."
    )
    return cells.table("Pay-back", caption, columns, body, text=(1, 2, 6))


def _judged(row: Row, scope: str, lead: str, kind: str) -> str:
    s = judged(row, scope, lead, kind)
    if s is None:
        return NONE
    return s.word if s.ratio is None else f"{s.text}, {s.rounds} rounds: {s.word}"


def _span(figure: Figure) -> str:
    if figure.low is None or figure.high is None or figure.rounds < 2:
        return ""
    return f"{units.seconds(figure.low)} to {units.seconds(figure.high)}"
