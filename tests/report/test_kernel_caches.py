"""First answers with kernel caches emptied, on the page: what is stored, and nothing else."""

from __future__ import annotations

import msgspec

from breakeven.analysis.judge import apply, judge
from breakeven.model.run import ColdStart, RunRecord
from breakeven.report import kernel_caches
from breakeven.report.evidence import Evidence
from records import record


def _run() -> RunRecord:
    """Return a run that started CuPy once more, without kernels."""
    run = record(sizes=(128,))
    emptied = ColdStart(backend="cupy", workload="matmul", size=128, order=99, import_s=3.0,
                        context_s=0.4, calls_s=(2.6, 1e-3, 1e-4), caches="emptied")  # fmt: skip
    return msgspec.structs.replace(run, cold_starts=(*run.cold_starts, emptied))


def test_both_states_stand_side_by_side_with_what_they_rest_on() -> None:
    """Three processes have an interval, one has none."""
    run = _run()
    evidence = Evidence(apply(run, judge(run)))
    (note,) = kernel_caches.notes(evidence, "matmul")
    assert note.text == (
        "CuPy 3.60 s [3.60 s, 3.60 s] (3 processes), with kernel caches emptied: 6.00 s "
        "(1 process)."
    )
    rows = kernel_caches.table(evidence, "matmul").rows
    assert [r[1] for r in rows] == ["as found", "emptied"]
    assert rows[1][2:] == ("3.00 s", "400 ms", "2.60 s", "100 us", "6.00 s", "1")


def test_a_document_without_first_answers_shows_none() -> None:
    """The report adds up no phases itself."""
    evidence = Evidence(_run())
    assert kernel_caches.notes(evidence, "matmul") == []
    assert kernel_caches.table(evidence, "matmul").rows == ()
