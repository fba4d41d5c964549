"""A page on the screen: the answer first, and nothing wider than 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from breakeven.report import names
from breakeven.report.grid import Column, fitted
from breakeven.report.lines import wrapped
from breakeven.report.rows import judged
from breakeven.report.view import Claim, Page, Row, Speedup, Timed, WorkloadPage

_WIDEST = 100
_STYLES = {"faster": "green", "slower": "red", "withheld": "yellow", "inconclusive": "yellow"}


def show(page: Page, console: Console) -> None:
    """Print a page: answers, environment, one table a workload, sentences, advice, caveats.

    Parameters
    ----------
    page : Page
        What is shown.
    console : rich.console.Console
        Where to; colour is left out where it has none, and markup in names stays text.
    """
    paper = _Paper(console)
    for answer in page.answers:
        paper.text(answer, style="bold")
    paper.blank()
    for line in page.environment:
        paper.text(line, style="dim", hang="  ")
    for w in page.workloads:
        _workload(w, paper)
    if page.caveats:
        paper.heading("Read beside it")
        paper.bullets(page.caveats)


class _Paper:
    """A console with the width that text may fill."""

    def __init__(self, console: Console) -> None:
        self._console = console
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

    def heading(self, text: str) -> None:
        """Print a heading after an empty line."""
        self.blank()
        self.text(text, style="bold")

    def bullets(self, items: Iterable[str]) -> None:
        """Print a list."""
        for item in items:
            for line in wrapped(item, self.width, first="- "):
                self.line(line)


def _workload(w: WorkloadPage, paper: _Paper) -> None:
    for scope in w.scopes:
        _table(w, scope, paper)
    if w.best_cpu_names:
        paper.text(f"best CPU: {'; '.join(w.best_cpu_names)}", style="dim", hang="  ")
    hidden = sum(not row.in_plan for row in w.rows)
    if hidden:
        said = "1 more size" if hidden == 1 else f"{hidden} more sizes"
        paper.text(f"{said} near the crossover stand in the report.", style="dim")
    if any(t.figure.indicative for row in w.rows for t in _all_times(row)):
        paper.text("~ indicative: scouting or quick round, no verdict hangs on it.", style="dim")
    for title, lines in (
        ("break-even", _short(w.crossovers)),
        ("over NumPy alone", [c.text for c in w.second_line if c.lead and c.kind != "undecided"]),
        ("pay-back", w.paybacks),
        ("small, middle, large", w.bands),
        ("why a verdict is not settled", w.unsettled),
        ("not measured, or not counted", w.statuses),
        ("another machine", w.references),
    ):
        if lines:
            paper.heading(f"{w.name}: {title}")
            paper.bullets(lines)
    if w.advice:
        paper.heading(f"{w.name}: advice")
        for i, advice in enumerate(w.advice):
            # The first scope gets all of its evidence, the others the figure they hang on.
            paper.bullets([" ".join((advice.headline, *advice.reasons[: None if i == 0 else 1]))])


def _short(claims: Sequence[Claim]) -> list[str]:
    """Return what the screen says: the lead's sentences with more, the settled ones of others."""
    return [
        f"{c.text} {c.more}".rstrip() if c.lead and c.kind != "undecided" else c.text
        for c in claims
        if c.lead or c.kind != "undecided"
    ]


def _table(w: WorkloadPage, scope: str, paper: _Paper) -> None:
    rows = [row for row in w.rows if row.in_plan]
    if not rows:
        return
    gpu = w.base_kind == "best-cpu"
    lead = w.leads.get(scope)
    travel = f", {names.SCOPE_TITLES[scope]}" if gpu else ""
    base = names.base(w.base_kind, "the other entry of the same backend")
    title = f"{w.name} ({w.dtype}), time of one call{travel}"
    if lead is not None:
        title += f"; {lead} over {base} with 95 % interval, n rounds"
    paper.heading(title)
    columns = _columns(w, rows, scope, lead)
    grid = fitted(columns, paper.width)
    for line in grid.header:
        paper.line(line, "bold")
    for cells in grid.body:
        for line in cells:
            paper.line(_coloured(line))
    if grid.left_out:
        left = names.joined(list(dict.fromkeys(grid.left_out)))
        paper.text(f"Left out for width, in the report: {left}.", style="dim")


def _columns(w: WorkloadPage, rows: Sequence[Row], scope: str, lead: str | None) -> list[Column]:
    """Return the columns; those with the highest `spare` are left out first when space is short."""
    columns = [Column(w.axis, [str(row.size) for row in rows])]
    shown_base = any(row.numpy.figure.text != "-" for row in rows)
    if shown_base:
        columns.append(Column("NumPy", [row.numpy.figure.text for row in rows], spare=1))
    if w.base_kind == "best-cpu":
        columns.append(Column("best CPU", [row.best_cpu.figure.text for row in rows]))
    present = dict.fromkeys(t.column for row in rows for t in row.others if t.scope == scope)
    for rank, label in enumerate(present):
        texts = [_time_of(row, label, scope) for row in rows]
        columns.append(Column(label, texts, spare=0 if label == lead else 2 + rank))
    if lead is not None:
        found = [judged(row, scope, lead, w.base_kind) for row in rows]
        columns += [
            Column("ratio", [_ratio(s) for s in found]),
            Column("95 %", [_interval(s) for s in found]),
            Column("n", [str(s.rounds) if s else "" for s in found]),
            Column("verdict", [s.word if s else "-" for s in found], left=True),
        ]
    return columns


def _time_of(row: Row, label: str, scope: str) -> str:
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
