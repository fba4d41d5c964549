"""First calls that find no compiled kernels, in processes pointed to empty folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from breakeven.analysis.judge import apply, judge
from breakeven.analysis.starts import start
from breakeven.analysis.times import Times
from breakeven.backends import registry
from breakeven.engine.kernel_caches import VARIABLES, emptied
from breakeven.engine.plan import effort_of
from breakeven.model.run import RunRecord
from breakeven.report import kernel_caches
from breakeven.report.evidence import Evidence
from engine.casts import actor, began, gpu, measured, script

START = {"import_s": 0.5, "context_s": 0.25, "first_call_s": 1.0, "emptied_first_call_s": 8.0}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """Return a run with a GPU that compiles kernels and a CPU that does not."""
    name = script(tmp_path_factory.mktemp("emptied"), cpu=actor(), gpu=gpu(start=START))
    record = began(name, sizes=(8, 32), rounds=1)
    # However slowly processes start here: their share of the budget is not what is tested.
    patient = replace(effort_of(record.spec, gpu=False), cold_share=1e6)
    found = measured(record, effort=patient)
    return apply(found, judge(found))


def test_all_caches_point_to_empty_folders_that_go(tmp_path: Path) -> None:
    """Each library has a folder of its own, and the environment of this process is left alone."""
    before = dict(os.environ)
    with emptied(tmp_path) as variables:
        assert set(variables) == set(VARIABLES)
        assert len(set(variables.values())) == len(VARIABLES)
        for folder in map(Path, variables.values()):
            assert list(folder.iterdir()) == []
            (folder / "kernel.cubin").write_bytes(b"compiled")
        assert dict(os.environ) == before
    assert list(tmp_path.iterdir()) == []


def test_a_backend_that_compiles_is_started_once_without_kernels(run: RunRecord) -> None:
    """Its process found the empty folder, so its first call took what compiling takes."""
    cold = [s for s in run.cold_starts if s.caches == "emptied"]
    assert [s.backend.rpartition("#")[2] for s in cold] == ["gpu"]
    assert cold[0].calls_s[0] == pytest.approx(8.0, rel=0.05)
    assert cold[0].order == max(s.order for s in run.cold_starts)
    warm = [s for s in run.cold_starts if s.as_found and s.backend == cold[0].backend]
    assert len(warm) == 3
    for one in warm:
        assert one.calls_s[0] == pytest.approx(1.0, rel=0.05)


def test_the_cold_scope_holds_no_emptied_call(run: RunRecord) -> None:
    """Neither the phases of cases nor what a start costs know of it."""
    for case in run.cases:
        if case.entry == "gpu":
            assert case.phases.first_call_s == pytest.approx(1.0, rel=0.05)
    found = start(Times(run), "matmul", "gpu")
    assert found is not None
    assert found.processes == 3
    assert found.seconds() == pytest.approx(1.75, rel=0.05)


def test_a_second_line_says_what_it_costs(run: RunRecord) -> None:
    """Both figures stand in one note, and their parts in a table."""
    (note,) = kernel_caches.notes(Evidence(run), "matmul")
    assert "(3 processes), with kernel caches emptied: 8." in note.text
    assert note.text.endswith("(1 process).")
    rows = kernel_caches.table(Evidence(run), "matmul").rows
    assert [(row[1], row[-1]) for row in rows] == [("as found", "3"), ("emptied", "1")]


def test_without_such_a_start_nothing_is_said(tmp_path: Path) -> None:
    """A budget without room for it leaves it out, as a backend that keeps no kernels does."""
    name = script(tmp_path, cpu=actor(), gpu=gpu(start=START))
    short = measured(began(name, sizes=(8,), rounds=1, budget_s=0.1))
    assert {s.caches for s in short.cold_starts} == {"as found"}
    assert kernel_caches.notes(Evidence(short), "matmul") == []
    assert kernel_caches.table(Evidence(short), "matmul").rows == ()


def test_a_quick_run_starts_nothing_for_it(tmp_path: Path) -> None:
    """It measures no first calls at all."""
    name = script(tmp_path, cpu=actor(), gpu=gpu(start=START))
    assert not measured(began(name, sizes=(8,), rounds=None, effort="quick")).cold_starts


@pytest.mark.parametrize("name", sorted(registry.BUILT_IN))
def test_the_libraries_that_compile_are_those_of_the_gpu(name: str) -> None:
    """CPU backends keep no kernels."""
    assert registry.get(name).about.compiles == (name in {"cupy", "torch-cuda"})
