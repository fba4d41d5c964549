"""A page as Markdown, and a record's rounds as comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from statistics import median

from breakeven.model.run import Case, Round, RunRecord
from breakeven.report.view import Page, Table, WorkloadPage

_FIELDS = (
    "run", "workload", "size", "entry", "status", "why", "scope", "clock", "round", "slots",
    "voided", "median_s", "min_s", "steady",
)  # fmt: skip
_SPECIAL = str.maketrans(
    {c: f"\\{c}" for c in "\\`*_[]|#"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)


def page_markdown(page: Page) -> str:
    """Return a page as Markdown: the answer, the sentences, then every table."""
    parts = [f"# {_safe(page.title)}", *(f"**{_safe(a)}**" for a in page.answers)]
    parts.append(_items(page.environment))
    if page.caveats:
        parts += ["## Read beside it", _items(page.caveats)]
    for w in page.workloads:
        parts += _workload(w)
    parts += ["## How each number was made", *map(_safe, page.method)]
    for table in (*page.tables, page.details):
        parts += _table(table)
    return "\n\n".join(part for part in parts if part) + "\n"


def page_csv(record: RunRecord) -> str:
    """Return one line for each round, scope and clock of each case; times in seconds.

    A case without rounds has one line with its status. ``median_s`` is the median over the slots
    that count, and empty when none does; round 0 is the scouting round.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, _FIELDS, lineterminator="\n")
    writer.writeheader()
    for case in record.cases:
        known = {
            "run": record.id, "workload": case.workload, "size": case.size, "entry": case.entry,
            "status": case.status, "why": case.why,
        }  # fmt: skip
        for line in _rounds(case):
            writer.writerow(known | line)
    return out.getvalue()


def _rounds(case: Case) -> list[dict[str, object]]:
    return [_round(r) for r in case.rounds] or [{}]


def _round(r: Round) -> dict[str, object]:
    counted = [slot for slot in r.slots if slot.voided is None]
    return {
        "scope": r.scope, "clock": r.clock, "round": r.round, "slots": len(r.slots),
        "voided": len(r.slots) - len(counted),
        "median_s": repr(median(s.median_s for s in counted)) if counted else None,
        "min_s": repr(min(s.min_s for s in counted)) if counted else None,
        "steady": str(r.steady).lower(),
    }  # fmt: skip


def _workload(w: WorkloadPage) -> list[str]:
    parts = [f"## {_safe(w.name)} ({_safe(w.dtype)})", _safe(w.answer)]
    advice = [" ".join((a.headline, *a.reasons)) for a in w.advice]
    for title, lines in (
        ("Break-even", [f"{c.text} {c.more}".rstrip() for c in w.crossovers]),
        ("Against NumPy alone", [f"{c.text} {c.more}".rstrip() for c in w.second_line]),
        ("Pay-back", w.paybacks),
        ("Small, middle, large", w.bands),
        ("Advice", advice),
        ("One-shot timing", w.one_shots),
        ("Why a verdict is not settled", w.unsettled),
        ("Not measured, or not counted", w.statuses),
        ("Another machine", w.references),
    ):
        if lines:
            parts += [f"### {title}", _items(lines)]
    if w.best_cpu_names:
        parts.append(f"Best CPU setting: {_safe('; '.join(w.best_cpu_names))}.")
    for table in w.tables:
        parts += _table(table)
    return parts


def _table(table: Table) -> list[str]:
    rule = (" ---: " if numeric else " --- " for numeric in table.numeric)
    lines = [_line(table.columns), f"|{'|'.join(rule)}|", *map(_line, table.rows)]
    return [f"### {_safe(table.title)}", _safe(table.caption), "\n".join(lines)]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_safe(c) for c in cells)} |"


def _items(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_safe(line)}" for line in lines)


def _safe(text: str) -> str:
    """Return text with Markdown's and HTML's special characters taken literally, on one line."""
    return " ".join(text.translate(_SPECIAL).split())
