"""First calls with kernel caches emptied, beside those that found them."""

from __future__ import annotations

from breakeven import units
from breakeven.model import labels
from breakeven.model.ratio import FirstAnswer
from breakeven.report import cells
from breakeven.report.evidence import Evidence
from breakeven.report.view import Note, Table

_CAPTION = (
    "Fresh processes, one at a time, data travelling: import, context, first and last call, "
    "medians; the first answer is the first three together, without an interval from one process. "
    "Emptied caches are folders without compiled kernels, as on a new machine; files of "
    "the libraries were in memory all the same."
)


def _of(evidence: Evidence, workload: str) -> dict[str, list[FirstAnswer]]:
    """Return the stored first answers of a workload by backend, caches as found first."""
    found: dict[str, dict[str, FirstAnswer]] = {}
    for answer in evidence.record.first_answers:
        if answer.workload == workload:
            found.setdefault(answer.backend, {})[answer.caches] = answer
    return {
        backend: [kinds["as found"], kinds["emptied"]]
        for backend, kinds in found.items()
        if {"as found", "emptied"} <= kinds.keys()
    }


def notes(evidence: Evidence, workload: str) -> list[Note]:
    """Return what a first answer costs where no kernel was ever compiled, as one note."""
    said = []
    for backend, (warm, cold) in _of(evidence, workload).items():
        said.append(
            f"{labels.backend(backend)} {_whole(warm)}, with kernel caches emptied: {_whole(cold)}"
        )
    if not said:
        return []
    return [Note(label="first answer of a fresh process", text=f"{'; '.join(said)}.")]


def table(evidence: Evidence, workload: str) -> Table:
    """Return the parts of both, a row for each backend and state of its caches."""
    columns = ("backend", "kernel caches", "import", "context", "first call", "last call",
               "first answer [95 %]", "processes")  # fmt: skip
    body = [
        (
            labels.backend(backend),
            one.caches,
            cells.seconds(one.import_s),
            cells.seconds(one.context_s),
            cells.seconds(one.first_call_s),
            cells.seconds(one.last_call_s),
            _timed(one),
            str(one.processes),
        )
        for backend, answers in _of(evidence, workload).items()
        for one in answers
    ]
    return cells.table("First calls and kernel caches", _CAPTION, columns, body, text=(0, 1))


def _timed(answer: FirstAnswer) -> str:
    said = units.seconds(answer.seconds)
    if answer.low is None or answer.high is None:
        return said
    return f"{said} [{units.seconds(answer.low)}, {units.seconds(answer.high)}]"


def _whole(answer: FirstAnswer) -> str:
    n = answer.processes
    return f"{_timed(answer)} ({'1 process' if n == 1 else f'{n} processes'})"
