"""A page on the screen: the answer first, nothing wider than 80 columns, the rest in the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from breakeven.report import names
from breakeven.report.grid import Column, fitted
from breakeven.report.lines import wrapped
from breakeven.report.rows import judged
from breakeven.report.training import screen as training_screen
from breakeven.report.view import FindingText, Page, Row, Speedup, Timed, TimelinePage, WorkloadPage

_WIDEST = 100
# A screen may be said to have no columns at all.
_NARROWEST, _UNKNOWN = 20, 80
_STYLES = {"faster": "green", "slower": "red", "withheld": "yellow", "inconclusive": "yellow"}
_SCOPES = {"transfer": "travels", "resident": "on device"}
_WEIGHT = {"error": "red", "warning": "yellow"}
_IN_THE_WAY = "What stands in the way"
_REST_OVER_TIME = "The report has the pictures and every sensor ({report})."
_REST = "The report has every size, entry, interval and reason ({report})."


def show(page: Page, console: Console, report: str = "--html FILE") -> None:
    """Print a page: answers, environment, one table a workload with its notes, caveats.

    Parameters
    ----------
    page : Page
        What is shown.
    console : rich.console.Console
        Where to; colour is left out where it has none, and markup in names stays text.
    report : str
        The option by which whoever reads it gets the report.
    """
    paper = _Paper(console)
    for answer in page.answers:
        paper.text(answer, style="bold")
    paper.blank()
    for line in page.environment:
        paper.text(line, style="dim", hang="  ")
    for w in page.workloads:
        _workload(w, paper)
    _findings([f for f in page.findings if f.told], paper)
    if page.timeline is not None and not page.workloads:
        _timeline(page.timeline, paper)
    paper.blank()
    if any(t.figure.indicative for w in page.workloads for row in w.rows for t in _all_times(row)):
        paper.text("~ indicative: scouting or quick round, no verdict hangs on it.", style="dim")
    paper.bullets(page.weighty)
    rest = _REST if page.workloads else _REST_OVER_TIME
    paper.text(rest.format(report=report), style="dim")


class _Paper:
    """A console with the width that text may fill."""

    def __init__(self, console: Console) -> None:
        self._console = console
        console.width = max(_NARROWEST, console.width or _UNKNOWN)
        self.width = min(console.width, _WIDEST)

    def line(self, text: Text | str, style: str = "") -> None:
        """Print one line as it is: no markup, no highlighting, no wrapping."""
        shown = Text(text, style=style) if isinstance(text, str) else text
        self._console.print(shown, soft_wrap=True, highlight=False, markup=False, emoji=False)

    def blank(self) -> None:
        """Print an empty line."""
        self.line("")

    def text(self, text: str, *, style: str = "", hang: str = "") -> None:
        """Print a paragraph."""
        for line in wrapped(text, self.width, rest=hang):
            self.line(line, style)

    def code(self, sign: str, text: str, style: str = "") -> None:
        """Print a line of the user's, broken where it has no room."""
        for line in wrapped(text, self.width, first=f"    {sign} ", rest="          "):
            self.line(line, style)

    def bullets(self, items: Iterable[str]) -> None:
        """Print a list."""
        for item in items:
            for line in wrapped(item, self.width, first="- "):
                self.line(line)


def _workload(w: WorkloadPage, paper: _Paper) -> None:
    rows = [row for row in w.rows if row.in_plan]
    if rows and not (w.withheld and _blank(rows)):
        paper.blank()
        paper.text(_title(w) if w.training is None else training_screen.title(w), style="bold")
        columns = _columns(w, rows) if w.training is None else training_screen.columns(w.training)
        grid = fitted(columns, paper.width)
        for line in grid.header:
            paper.line(line, "dim")
        for cells in grid.body:
            for line in cells:
                paper.line(_coloured(line))
        if w.best_cpu_names and w.base_kind == "best-cpu":
            paper.text(f"best CPU: {'; '.join(w.best_cpu_names)}", style="dim", hang="  ")
    paper.bullets(f"{note.label}: {note.text}" for note in w.notes)
    paper.bullets(w.statuses)


def _findings(found: Sequence[FindingText], paper: _Paper) -> None:
    """Print what stands in the way, each with its place, its worth, and the line mended."""
    if not found:
        return
    paper.blank()
    paper.text(_IN_THE_WAY, style="bold")
    for f in found:
        head = f"{f.code} {f.severity}: {f.title}" if f.severity else f"{f.code}: {f.title}"
        paper.text(f"{head} ({f.place})" if f.place else head, style=_WEIGHT.get(f.severity, ""))
        for text in (f.message, f.worth, f.fix):
            for line in wrapped(text, paper.width, first="  ") if text else ():
                paper.line(line)
        if f.snippet is not None:
            if f.line is not None:
                paper.code("-", f.line, "dim")
            paper.code("+", f.snippet)


# Of what, mean, least and most, these are left out first where there is no room.
_SPARE = (0, 2, 3, 1)


def _timeline(t: TimelinePage, paper: _Paper) -> None:
    """Print what sensors read of a watched command: the table, energy, then what is absent."""
    readings = [table for table in t.tables if table.columns[0] == "what"]
    for table in readings:
        paper.blank()
        titled = zip(table.columns, zip(*table.rows, strict=True), _SPARE, strict=True)
        columns = [Column(name, cells, spare, left=not spare) for name, cells, spare in titled]
        grid = fitted(columns, paper.width)
        for line in grid.header:
            paper.line(line, "dim")
        for cells in grid.body:
            for line in cells:
                paper.line(line)
    paper.blank()
    paper.bullets(t.lines)
    paper.bullets(f"Not read: {line}" for line in t.absent)


def _blank(rows: Sequence[Row]) -> bool:
    """Return whether a table would hold no time at all."""
    return all(t.figure.seconds is None for row in rows for t in _all_times(row))


def _title(w: WorkloadPage) -> str:
    said = f"{w.name} ({w.dtype}): time of one call"
    if not w.leads or w.withheld:
        return said
    base = names.base(w.base_kind, "the other entry of the same backend")
    return f"{said}, {names.joined(_leads(w), 'or')} over {base}"


def _leads(w: WorkloadPage) -> list[str]:
    return list(dict.fromkeys(w.leads[s] for s in w.scopes if s in w.leads))


def _columns(w: WorkloadPage, rows: Sequence[Row]) -> list[Column]:
    """Return the columns; those with the highest `spare` are left out first when space is short."""
    gpu = w.base_kind == "best-cpu"
    if w.withheld or not gpu:
        return _one_line_a_size(w, rows)
    shown = [(row, scope) for row in rows for scope in w.scopes if _worth(w, row, scope)]
    first = [i == 0 or shown[i - 1][0] is not row for i, (row, _) in enumerate(shown)]

    def once(texts: Iterable[str]) -> list[str]:
        """Return texts that hold for both scopes, on the first line of a size alone."""
        return [text if at_first else "" for text, at_first in zip(texts, first, strict=True)]

    columns = [
        Column(w.axis, once(str(row.size) for row, _ in shown)),
        Column("data", [_SCOPES[scope] for _, scope in shown], left=True),
    ]
    if any(row.numpy.figure.text != "-" for row in rows):
        columns.append(Column("NumPy", once(r.numpy.figure.text for r, _ in shown), spare=3))
    columns.append(Column("best CPU", once(r.best_cpu.figure.text for r, _ in shown), spare=2))
    leads = _leads(w)
    label = leads[0] if len(leads) == 1 else "GPU"
    if leads:
        texts = [_time_of(r, w.leads.get(s), s) for r, s in shown]
        columns.append(Column(label, texts, spare=1))
    if len(leads) > 1:
        columns.append(Column("with", [w.leads.get(s, "-") for _, s in shown], left=True))
    others = dict.fromkeys(t.column for row in rows for t in row.others)
    for rank, other in enumerate(c for c in others if c not in leads):
        columns.append(Column(other, [_time_of(r, other, s) for r, s in shown], spare=4 + rank))
    if leads:
        columns += _verdicts([judged(r, s, w.leads.get(s, ""), w.base_kind) for r, s in shown])
    return columns


def _worth(w: WorkloadPage, row: Row, scope: str) -> bool:
    """Return whether a line says something: a size that was only scouted needs one line."""
    if scope == w.scopes[0]:
        return True
    return any(judged(row, s, w.leads.get(s, ""), w.base_kind) for s in w.scopes)


def _one_line_a_size(w: WorkloadPage, rows: Sequence[Row]) -> list[Column]:
    """Return the columns of a table without scopes, or without verdicts."""
    columns = [Column(w.axis, [str(row.size) for row in rows])]
    if any(row.numpy.figure.text != "-" for row in rows):
        columns.append(Column("NumPy", [row.numpy.figure.text for row in rows], spare=1))
    if w.base_kind == "best-cpu":
        columns.append(Column("best CPU", [row.best_cpu.figure.text for row in rows]))
    for rank, scope in enumerate(w.scopes):
        present = dict.fromkeys(t.column for row in rows for t in row.others if t.scope == scope)
        for place, label in enumerate(present):
            title = f"{label}, {_SCOPES[scope]}" if w.base_kind == "best-cpu" else label
            spare = 0 if label == w.leads.get(scope) else 2 + rank + place
            texts = [_time_of(row, label, scope) for row in rows]
            columns.append(Column(title, texts, spare=spare))
    lead = w.leads.get(w.scopes[0])
    if lead is not None and not w.withheld:
        columns += _verdicts([judged(row, w.scopes[0], lead, w.base_kind) for row in rows])
    return columns


def _verdicts(found: Sequence[Speedup | None]) -> list[Column]:
    return [
        Column("ratio", [_ratio(s) for s in found]),
        Column("95 %", [_interval(s) for s in found]),
        Column("n", [str(s.rounds) if s else "" for s in found]),
        Column("verdict", [s.word if s else "-" for s in found], left=True),
    ]


def _time_of(row: Row, label: str | None, scope: str) -> str:
    for timed in row.others:
        if (timed.column, timed.scope) == (label, scope):
            return timed.figure.text
    return "-"


def _ratio(s: Speedup | None) -> str:
    return s.text.split(" ")[0] if s and s.ratio is not None else "-"


def _interval(s: Speedup | None) -> str:
    return s.text.split(" ", 1)[1] if s and s.ratio is not None else ""


def _coloured(line: str) -> Text:
    text = Text(line)
    for word, style in _STYLES.items():
        if line.endswith(word):
            text.stylize(style, len(line) - len(word))
    return text


def _all_times(row: Row) -> tuple[Timed, ...]:
    return (row.numpy, row.best_cpu, *row.others)
