"""First calls with kernel caches emptied, beside those that found them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from breakeven import units
from breakeven.model import labels
from breakeven.model.run import ColdStart
from breakeven.report import cells
from breakeven.report.evidence import Evidence
from breakeven.report.view import Note, Table

_CAPTION = (
    "Fresh processes, one at a time, data travelling: import, context, first and last call, "
    "medians. Emptied caches are folders without compiled kernels, as on a new machine; files of "
    "the libraries were in memory all the same."
)


def _by_backend(evidence: Evidence, workload: str) -> dict[str, dict[str, list[ColdStart]]]:
    """Return the cold starts of backends that were started without kernels, by caches."""
    found: dict[str, dict[str, list[ColdStart]]] = {}
    for start in evidence.record.cold_starts:
        if start.workload == workload:
            found.setdefault(start.backend, {}).setdefault(start.caches, []).append(start)
    return {b: kinds for b, kinds in found.items() if "emptied" in kinds and "as found" in kinds}


def _whole_s(starts: Sequence[ColdStart]) -> float:
    return median(s.import_s + s.context_s + s.calls_s[0] for s in starts)


def notes(evidence: Evidence, workload: str) -> list[Note]:
    """Return what a first answer costs where no kernel was ever compiled, as one note."""
    said = []
    for backend, kinds in _by_backend(evidence, workload).items():
        warm, cold = kinds["as found"], kinds["emptied"]
        said.append(
            f"{labels.backend(backend)} {units.seconds(_whole_s(warm))} "
            f"({_processes(warm)}), with kernel caches emptied: {units.seconds(_whole_s(cold))} "
            f"({_processes(cold)})"
        )
    if not said:
        return []
    return [Note(label="first answer of a fresh process", text=f"{'; '.join(said)}.")]


def table(evidence: Evidence, workload: str) -> Table:
    """Return the parts of both, a row for each backend and state of its caches."""
    columns = ("backend", "kernel caches", "import", "context", "first call", "last call",
               "processes")  # fmt: skip
    body = [
        (
            labels.backend(backend),
            caches,
            cells.seconds(median(s.import_s for s in starts)),
            cells.seconds(median(s.context_s for s in starts)),
            cells.seconds(median(s.calls_s[0] for s in starts)),
            cells.seconds(median(s.calls_s[-1] for s in starts)),
            str(len(starts)),
        )
        for backend, kinds in _by_backend(evidence, workload).items()
        for caches, starts in sorted(kinds.items())
    ]
    return cells.table("First calls and kernel caches", _CAPTION, columns, body, text=(0, 1))


def _processes(starts: Sequence[ColdStart]) -> str:
    return "1 process" if len(starts) == 1 else f"{len(starts)} processes"
