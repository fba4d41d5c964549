"""A page as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from breakeven.report.training.theirs import SOURCE
from breakeven.report.view import FindingText, Page, Table, WorkloadPage

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
    if page.findings:
        parts += ["## What stands in the way", *map(_finding, page.findings)]
    if page.timeline is not None:
        parts += ["## Over time", _items(page.timeline.lines)]
        for table in page.timeline.tables:
            parts += _table(table)
    parts += ["## How each number was made", *map(_safe, page.method)]
    for table in (*page.tables, page.details):
        parts += _table(table)
    return "\n\n".join(part for part in parts if part) + "\n"


def _workload(w: WorkloadPage) -> list[str]:
    parts = [f"## {_safe(w.name)} ({_safe(w.dtype)})", _safe(w.answer), *_training(w)]
    advice = [" ".join((a.headline, *a.reasons)) for a in w.advice]
    for title, lines in (
        ("Break-even", [f"{c.text} {c.more}".rstrip() for c in w.crossovers]),
        ("Against NumPy alone", [f"{c.text} {c.more}".rstrip() for c in w.second_line]),
        ("Pay-back", w.paybacks),
        ("Small, middle, large", w.bands),
        ("Advice", advice),
        ("Share of the bound", w.shares),
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


def _finding(f: FindingText) -> str:
    """Return a finding, with the line mended as code."""
    head = f"{f.code} {f.severity}: {f.title}" if f.severity else f"{f.code}: {f.title}"
    parts = [f"### {_safe(head)}"]
    told = (f.place, f.message, f.worth, f.fix, f.evidence and f"Seen by {f.evidence}.")
    parts += [_safe(text) for text in told if text]
    if f.snippet:
        lines = [f"- {f.line}"] if f.line else []
        parts.append("\n".join(f"    {line}" for line in (*lines, f"+ {f.snippet}")))
    return "\n\n".join(parts)


def _training(w: WorkloadPage) -> list[str]:
    """Return the five questions of a training, with what the paper found beside each."""
    if w.training is None:
        return []
    parts = []
    for reply in w.training.replies:
        parts += [f"### {reply.label}: {_safe(reply.title)}", _safe(reply.text)]
        parts += [f"The paper: {_safe(reply.theirs)}."] if reply.theirs else []
    parts += [_safe(SOURCE)] if w.training.replies else []
    if w.training.facts:
        parts += ["### Where the time of a step goes", _items(w.training.facts)]
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
