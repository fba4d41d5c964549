"""A training on the screen: one line an entry and batch, then each question in a note."""

from __future__ import annotations

from collections.abc import Callable

from breakeven.report.evidence import NONE
from breakeven.report.grid import Column
from breakeven.report.training.view import Line, TrainingPage
from breakeven.report.view import Note, WorkloadPage

# On screen a question goes by what it is about; its number stands in the report.
WORDS = {
    "RQ1": "use",
    "RQ2": "batch size",
    "RQ3": "power and heat",
    "RQ4": "time",
    "RQ5": "inference",
    "GPUs": "several",
}


def title(w: WorkloadPage) -> str:
    """Return the title of the table."""
    said = f"{w.name} ({w.dtype}): a step with its loader and copies"
    compared = w.training is not None and any(x.ratio for x in w.training.lines)
    return f"{said}, ratio over the best CPU" if compared else said


def columns(page: TrainingPage) -> list[Column]:
    """Return the columns; those with the highest `spare` are left out first when space is short."""
    lines = page.lines
    first = [i == 0 or lines[i - 1].size != x.size for i, x in enumerate(lines)]

    def of(title_: str, text: Callable[[Line], str], spare: int, *, left: bool = False) -> Column:
        return Column(title_, [text(x) for x in lines], spare=spare, left=left)

    sizes = [str(x.size) if new else "" for x, new in zip(lines, first, strict=True)]
    found = [
        Column("batch", sizes),
        of("entry", lambda x: x.entry, 0, left=True),
        of("step", lambda x: x.step, 0),
        of("a second", lambda x: x.rate, 5),
        of(page.whole or "p99", lambda x: x.whole, 2),
        of("GPU kernel", lambda x: x.kernel, 4),
        of("CPU cores", lambda x: x.cores, 7),
        of("memory", lambda x: x.memory, 6),
        of("J for 1000", lambda x: x.energy, 8),
        of("ratio", lambda x: x.ratio, 0),
        of("95 %", lambda x: x.interval, 3),
        of("verdict", lambda x: x.word, 0, left=True),
    ]
    return [c for c in found if any(cell not in {"", NONE} for cell in c.cells)]


def notes(page: TrainingPage) -> tuple[Note, ...]:
    """Return each question as a note, then where the time of a step goes."""
    asked = tuple(Note(label=WORDS.get(r.label, r.label), text=r.brief or r.text)
                  for r in page.replies)  # fmt: skip
    return (*asked, *(Note(label="step", text=text) for text in page.facts[:1]))
