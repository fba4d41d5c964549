"""The cold scope, composed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from breakeven.analysis.cold import cold_crossover
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.pairs import Line
from breakeven.model.run import ColdStart, RunRecord
from breakeven.model.verdict import Crossover
from records import CUPY, CURVES, NUMPY, TORCH_CPU, TORCH_CUDA, TWIN, record

SIZES = (128, 2048, 8192, 16384, 32768)
FIVE = (NUMPY, TORCH_CPU, TWIN, CUPY, TORCH_CUDA)


def located(run: RunRecord, kind: str = "best-cpu") -> Crossover:
    """Return the cold crossover of CuPy."""
    found = Comparisons(run)
    line = Line("matmul", "transfer", kind, "cupy")
    return cold_crossover(found.times, found.plan, line, found.by_line[line])


def with_starts(run: RunRecord, backend: str, *starts: ColdStart) -> RunRecord:
    """Return the record with other cold starts of one backend."""
    others = tuple(c for c in run.cold_starts if c.backend != backend)
    return replace(run, cold_starts=others + starts)


def start(order: int, *calls: float, backend: str = "cupy") -> ColdStart:
    """Return a cold start that took 1.5 s before its first call."""
    return ColdStart(backend=backend, workload="matmul", size=128, order=order, import_s=1.0,
                     context_s=0.5, calls_s=calls)  # fmt: skip


def test_the_cold_crossing_lies_between_measured_sizes() -> None:
    """It is bracketed by the neighbouring sizes, marked composed, with an interval."""
    found = located(record(FIVE, CURVES, sizes=SIZES))
    assert (found.kind, found.composed, found.scope) == ("bracket", True, "cold")
    assert (found.low, found.high) == (8192.0, 16384.0)
    assert found.estimate is not None
    assert found.estimate.low <= found.estimate.value <= found.estimate.high
    assert found.estimate.n == 3
    # 0.4 s + n^3 x 1.15e-12 on the CPU, 3.6 s + the journey + n^3 x 3.9e-14 on the GPU: near 14,500.
    assert found.estimate.low <= 14_500 <= found.estimate.high


def test_cold_is_later_than_transfer() -> None:
    """Start-up moves the crossing to larger sizes."""
    found = Comparisons(record(FIVE, CURVES, sizes=SIZES))
    line = Line("matmul", "transfer", "best-cpu", "cupy")
    cold = cold_crossover(found.times, found.plan, line, found.by_line[line])
    assert cold.changes[0] > 8192


def test_the_cold_base_is_the_cheapest_from_a_fresh_start() -> None:
    """A CPU library that is quicker but takes 99 s to import is not the best CPU entry when cold."""
    heavy = [replace(start(i, 0.01, 0.01, backend="torch-cpu"), import_s=99.0) for i in range(3)]
    slow = located(with_starts(record(FIVE, sizes=SIZES), "torch-cpu", *heavy))
    against_numpy = located(record(FIVE, sizes=SIZES), "numpy")
    assert slow.changes == pytest.approx(against_numpy.changes)
    assert (slow.base, set(slow.bases)) == ("numpy-16", {"numpy-16"})
    assert slow.start_s == pytest.approx(3.6, rel=0.01)
    assert slow.base_start_s == pytest.approx(0.4, rel=0.01)
    assert (slow.processes, slow.base_processes) == (3, 3)


def test_sizes_where_a_library_was_not_measured_choose_no_base(
    edit_case: Callable[..., RunRecord],
) -> None:
    """A base that changes with what was measured makes crossings that are not there."""
    heavy = [replace(start(i, 0.01, 0.01, backend="torch-cpu"), import_s=9.0) for i in range(3)]
    run = with_starts(record(FIVE, sizes=(128, 300, 512, 2048)), "torch-cpu", *heavy)
    whole = located(run)
    grid = edit_case(run, "numpy-16", 300, rounds=())
    found = located(grid)
    assert whole.sizes == (128, 300, 512, 2048)
    assert found.sizes == (128, 512, 2048)
    assert (found.kind, found.base, found.changes) == ("never", "numpy-16", ())


def test_a_base_that_differs_by_size_is_told_by_size() -> None:
    """Slow to import and quick to call, or the reverse: each size has its own base."""
    heavy = [replace(start(i, 0.01, 0.01, backend="torch-cpu"), import_s=1.5) for i in range(3)]
    found = located(with_starts(record(FIVE, sizes=SIZES), "torch-cpu", *heavy))
    assert found.base == "best-cpu"
    assert found.bases[0] == "numpy-16"
    assert found.bases[-1] == "torch-cpu-16"
    assert len(found.bases) == len(found.sizes)


def test_one_cold_process_gives_no_interval() -> None:
    """With a single fresh process the place is bracketed, but without an estimate."""
    run = record(FIVE, sizes=SIZES)
    run = replace(run, cold_starts=tuple(c for c in run.cold_starts if c.order == 0))
    found = located(run)
    assert (found.kind, found.estimate) == ("bracket", None)
    assert found.why is not None
    assert "fresh process" in found.why


def test_without_cold_processes_it_is_undecided() -> None:
    """Nothing is composed from what was not measured."""
    found = located(replace(record(FIVE, sizes=SIZES), cold_starts=()))
    assert found.kind == "undecided"
    assert found.why is not None
    assert "no fresh process of CuPy was measured" in found.why


def test_small_work_never_repays_a_cold_start() -> None:
    """A script that multiplies once stays on the CPU at every size tested."""
    found = located(record())
    assert found.kind == "never"
    assert found.best_size == 8192
    assert found.best_ratio is not None
    assert found.best_ratio < 1
