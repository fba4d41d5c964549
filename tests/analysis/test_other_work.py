"""Other work of a library is told wherever that library is compared."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.analysis.caveats import caveats
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.other_work import other_work_caveats
from breakeven.model.run import Entry, RunRecord
from breakeven.workloads import registry
from breakeven.workloads.base import unlike
from records import CUPY, NUMPY, TORCH_CPU, TORCH_CUDA, TWIN, record

WIDE = "solve on NumPy computes in float64 whatever it is given: its time is that of float64."


def run_of(workload: str, *entries: Entry) -> RunRecord:
    """Return a finished run of a built-in workload that tells what the workload declares."""
    run = record(entries, workload=workload)
    (planned,) = run.spec.workloads
    declared = replace(planned, unlike=unlike(registry.get(workload)))
    return replace(run, spec=replace(run.spec, workloads=(declared,)))


def test_numpy_beside_others_is_told_to_solve_in_float64() -> None:
    """The caveat stands among those of the run, for linear systems and singular values alike."""
    assert WIDE in caveats(Comparisons(run_of("solve", NUMPY, CUPY)))
    assert WIDE.replace("solve", "svd") in caveats(Comparisons(run_of("svd", NUMPY, CUPY)))


def test_in_float64_nothing_is_widened() -> None:
    """Who asked for float64 gets float64 on both sides, and no caveat."""
    wide = (replace(NUMPY, dtype="float64"), replace(CUPY, dtype="float64"))
    assert other_work_caveats(Comparisons(run_of("solve", *wide))) == []


def test_where_numpy_is_not_compared_nothing_is_said_of_it() -> None:
    """PyTorch solves float32 in float32 on both sides."""
    run = run_of("solve", TORCH_CPU, TWIN, TORCH_CUDA)
    assert other_work_caveats(Comparisons(run)) == []


def test_sorting_with_pytorch_carries_places() -> None:
    """CPU and GPU share one sentence; alone each has its own; CuPy and NumPy have none."""
    also = "also returns the place where each value stood, 8 bytes each: its time is of that work"
    (both,) = other_work_caveats(Comparisons(run_of("sort", TORCH_CPU, TWIN, TORCH_CUDA)))
    assert both.startswith(f"sort on torch-CPU and torch-CUDA {also}")
    (one,) = other_work_caveats(Comparisons(run_of("sort", NUMPY, TORCH_CUDA)))
    assert one.startswith(f"sort on torch-CUDA {also}")
    assert other_work_caveats(Comparisons(run_of("sort", NUMPY, CUPY))) == []


def test_workloads_that_declare_nothing_have_no_such_caveat() -> None:
    """So have runs stored before a workload could declare it."""
    assert other_work_caveats(Comparisons(run_of("matmul", NUMPY, TORCH_CPU, CUPY))) == []
    assert other_work_caveats(Comparisons(record((NUMPY, CUPY), workload="solve"))) == []
