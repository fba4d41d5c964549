"""The cold scope, composed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from breakeven.analysis.cold import cold_costs, cold_crossover
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.pairs import Line
from breakeven.analysis.times import Times
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


def test_a_cold_cost_is_start_up_and_first_call_excess() -> None:
    """Import, context and what the first call takes beyond the last are paid once."""
    run = with_starts(record(), "cupy", start(0, 0.3, 0.02, 0.01), start(1, 0.005, 0.01, 0.01))
    assert list(cold_costs(Times(run), "matmul", "cupy")) == pytest.approx([1.79, 1.5])


def test_a_process_with_one_call_says_nothing_about_its_excess() -> None:
    """One call cannot be told from its own excess."""
    run = with_starts(record(), "cupy", start(0, 0.3))
    assert cold_costs(Times(run), "matmul", "cupy") == ()


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
    """A CPU library that is quicker but takes 9 s to import is not the best CPU entry when cold."""
    heavy = [replace(start(i, 0.01, 0.01, backend="torch-cpu"), import_s=9.0) for i in range(3)]
    slow = located(with_starts(record(FIVE, sizes=SIZES), "torch-cpu", *heavy))
    against_numpy = located(record(FIVE, sizes=SIZES), "numpy")
    assert slow.changes == pytest.approx(against_numpy.changes)


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
    assert "no fresh process of cupy was measured" in found.why


def test_small_work_never_repays_a_cold_start() -> None:
    """A script that multiplies once stays on the CPU at every size tested."""
    found = located(record())
    assert found.kind == "never"
    assert found.best_size == 8192
    assert found.best_ratio is not None
    assert found.best_ratio < 1
