"""What a fresh process pays before its calls are steady."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from breakeven.analysis.starts import Start, start
from breakeven.analysis.times import Times
from breakeven.model.run import ColdStart, RunRecord
from records import record


def cold(workload: str, import_s: float, *calls: float, backend: str = "cupy") -> ColdStart:
    """Return a fresh process with half a second of context."""
    return ColdStart(backend=backend, workload=workload, size=128, order=0, import_s=import_s,
                     context_s=0.5, calls_s=calls)  # fmt: skip


def started(*starts: ColdStart) -> Start | None:
    """Return what CuPy pays on matmul."""
    run: RunRecord = replace(record(), cold_starts=starts)
    return start(Times(run), "matmul", "cupy")


def test_a_start_is_opening_and_first_call_excess() -> None:
    """Import, context and what the first call takes beyond the last are paid once."""
    found = started(cold("matmul", 1.0, 0.3, 0.02, 0.01), cold("matmul", 1.0, 0.005, 0.01))
    assert found is not None
    assert found.opening == (1.5, 1.5)
    assert found.excess == pytest.approx((0.29, 0.0))
    assert found.seconds() == pytest.approx(1.645)


def test_processes_of_every_workload_tell_import_and_context() -> None:
    """Import is the backend's own: mlp's process counts for matmul, its first call does not."""
    found = started(cold("matmul", 1.0, 0.3, 0.1), cold("mlp", 2.0, 4.5, 0.1),
                    cold("matmul", 9.0, 7.0, 0.1, backend="numpy"))  # fmt: skip
    assert found is not None
    assert found.opening == (1.5, 2.5)
    assert found.excess == pytest.approx((0.2,))
    assert found.processes == 2
    assert found.replicated == 2


def test_a_process_with_one_call_counts_for_the_opening_alone() -> None:
    """One call cannot be told from its own excess."""
    found = started(cold("matmul", 1.0, 0.3), cold("matmul", 3.0, 0.3, 0.1))
    assert found is not None
    assert found.opening == (1.5, 3.5)
    assert found.excess == pytest.approx((0.2,))
    assert started(cold("matmul", 1.0, 0.3)) is None
    assert started(cold("mlp", 1.0, 0.3, 0.1)) is None


def test_one_first_call_varies_as_its_process_does() -> None:
    """A single excess is as uncertain, in proportion, as import and context are."""
    down, up = Start((1.0, 1.2), (0.0,)).spread()
    wider = Start((1.0, 1.2), (1.1,)).spread()
    assert wider == pytest.approx((2 * down, 2 * up))


def test_several_first_calls_have_a_spread_of_their_own() -> None:
    """With several processes of the workload the spread of both parts adds in quadrature."""
    steady = Start((1.0, 1.1, 1.2), (0.1, 0.1, 0.1)).spread()
    wild = Start((1.0, 1.1, 1.2), (0.1, 0.5, 0.9)).spread()
    assert wild[0] > 2 * steady[0]
    assert wild[1] > 2 * steady[1]
