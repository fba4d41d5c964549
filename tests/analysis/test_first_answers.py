"""First answers of fresh processes, with kernel caches as found and emptied."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from breakeven.analysis.first_answers import first_answers
from breakeven.model.run import ColdStart
from records import record


def _start(first_s: float, caches: str, backend: str = "cupy") -> ColdStart:
    return ColdStart(
        backend=backend, workload="matmul", size=128, order=0, import_s=1.0, context_s=0.5,
        calls_s=(first_s, 0.2, 0.1), caches=caches,
    )  # fmt: skip


def test_the_whole_is_the_median_of_wholes_with_its_interval() -> None:
    """Import, context and first call of one process belong together; three processes spread."""
    starts = [_start(s, "as found") for s in (0.3, 0.5, 0.9)] + [_start(4.0, "emptied")]
    warm, cold = first_answers(replace(record(), cold_starts=tuple(starts)))
    assert (warm.caches, warm.processes, warm.seconds) == ("as found", 3, pytest.approx(2.0))
    assert warm.low is not None
    assert warm.high is not None
    assert warm.low < 2.0 < warm.high
    assert (cold.seconds, cold.low, cold.high) == (pytest.approx(5.5), None, None)
    assert (cold.first_call_s, cold.last_call_s) == (4.0, 0.1)


def test_a_backend_started_in_one_way_alone_has_nothing_beside_it() -> None:
    """Only what was started with and without kernels is told."""
    starts = (_start(0.3, "as found"), _start(4.0, "emptied", "torch-cuda"))
    assert first_answers(replace(record(), cold_starts=starts)) == ()
