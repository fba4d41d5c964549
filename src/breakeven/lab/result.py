"""A run in hand, with ways to look at it."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from breakeven.errors import InputError
from breakeven.lab.showing import drawing, report_html, show, write_bytes
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Crossover, Scope, Verdict
from breakeven.report import page as pages
from breakeven.report.view import Page
from breakeven.store.upgrade import encode


@dataclass(frozen=True)
class Result:
    """A run, with ways to look at it.

    Attributes
    ----------
    record : RunRecord
        Everything measured and concluded.
    path : Path or None
        The stored document; None when it could not be stored.
    problem : str or None
        Why it could not be stored, or not completely.
    """

    record: RunRecord
    path: Path | None = None
    problem: str | None = None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts of the run."""
        return self.record.verdicts

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        return " ".join(self.page.answers)

    @property
    def page(self) -> Page:
        """What a report shows."""
        return pages.build(self.record)

    def crossover(
        self, entry: str, scope: Scope = "transfer", workload: str | None = None
    ) -> Crossover:
        """Return where an entry overtakes the best CPU entry.

        Parameters
        ----------
        entry : str
            Entry id or backend, such as ``"cupy"``.
        workload : str, optional
            Needed when the run has several.

        Raises
        ------
        InputError
            If the run has no such crossover, or several.
        """
        backends = {e.id: e.backend for e in self.record.entries}
        found = [
            c
            for c in self.record.crossovers
            if entry in {c.entry, backends.get(c.entry)}
            and c.scope == scope
            and workload in {None, c.workload}
        ]
        main = [c for c in found if c.base_kind == "best-cpu"] or found
        if len(main) != 1:
            names = sorted({f"{c.entry} ({c.workload}, {c.scope})" for c in self.record.crossovers})
            what = "no" if not main else "more than one"
            raise InputError(
                f"there is {what} crossover of {entry!r} in scope {scope!r}",
                f"choose from: {', '.join(names) or 'none were judged'}",
            )
        return main[0]

    def table(self) -> str:
        """Return the result as text of 80 columns: what the command line prints."""
        written = io.StringIO()
        show(self.record, Console(file=written, width=80, color_system=None))
        return written.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Return the run document as plain Python values."""
        made: dict[str, Any] = json.loads(encode(self.record))
        return made

    def plot(self, path: Path | str | None = None, workload: str | None = None) -> Path | str:
        """Draw time against size; return SVG text, or the path written (.png or .svg)."""
        text_or_png = drawing(self.record, Path(path).suffix if path else ".svg", workload)
        if path is None:
            return text_or_png.decode()
        write_bytes(Path(path), text_or_png)
        return Path(path)

    def report(self, path: Path | str) -> Path:
        """Write the report, one self-contained HTML file, and return its path."""
        write_bytes(Path(path), report_html(self.record).encode())
        return Path(path)
