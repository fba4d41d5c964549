"""Which entry the others are compared with."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from breakeven.analysis.bases import numpy_base, repeats
from breakeven.analysis.pairs import Plan
from breakeven.analysis.times import Times
from breakeven.model.run import Case, RunRecord, Slot
from records import CUPY, CURVES, NUMPY, TORCH_CPU, TWIN, entry, record

ONE = entry("numpy", 1)
SLOW_START = CURVES | {"numpy-1": lambda n: 2e-6 + n**3 * 2e-11}


def best_cpu(run: RunRecord, workload: str, size: int) -> str | None:
    """Return the best CPU entry of a run."""
    return Plan(Times(run)).best_cpu(workload, size)


def _set_round(
    edit_slots: Callable[..., RunRecord], run: RunRecord, identity: str, round_: int, factor: float
) -> RunRecord:
    def change(_case: Case, number: int, slot: Slot) -> Slot:
        return replace(slot, median_s=slot.median_s * factor) if number == round_ else slot

    return edit_slots(run, change, entry=identity)


def test_the_best_cpu_entry_depends_on_the_size() -> None:
    """One thread is best at small sizes, all of them at large ones."""
    run = record((ONE, NUMPY, TWIN, CUPY), SLOW_START, sizes=(32, 2048), spread=0.0)
    assert best_cpu(run, "matmul", 32) == "numpy-1"
    assert best_cpu(run, "matmul", 2048) == "numpy-16"


def test_only_scouting_chooses(edit_slots: Callable[..., RunRecord]) -> None:
    """Rounds that verdicts rest on do not choose the base, however quick an entry is in them."""
    run = record((NUMPY, TORCH_CPU, CUPY), spread=0.0)
    for r in range(1, 6):
        run = _set_round(edit_slots, run, "numpy-16", r, 0.01)
    assert best_cpu(run, "matmul", 2048) == "torch-cpu-16"
    assert best_cpu(_set_round(edit_slots, run, "numpy-16", 0, 0.01), "matmul", 2048) == "numpy-16"


def test_a_quick_run_is_chosen_by_its_own_round(edit_slots: Callable[..., RunRecord]) -> None:
    """A quick run scouts nothing: the fastest CPU entry of its round is the best one."""
    run = record((NUMPY, TORCH_CPU, CUPY), rounds=1, spread=0.0)
    cases = tuple(replace(c, rounds=tuple(r for r in c.rounds if r.round)) for c in run.cases)
    quick = replace(run, cases=cases, spec=replace(run.spec, effort="quick"))
    assert best_cpu(quick, "matmul", 2048) == "torch-cpu-16"
    slowed = _set_round(edit_slots, quick, "torch-cpu-16", 1, 9.0)
    assert best_cpu(slowed, "matmul", 2048) == "numpy-16"


def test_a_size_that_was_not_scouted_takes_the_nearest() -> None:
    """A size of the crossover's grid takes its base from the nearest scouted size, in log."""
    run = record((ONE, NUMPY, CUPY), SLOW_START, sizes=(32, 2048), spread=0.0)
    assert best_cpu(run, "matmul", 200) == "numpy-1"
    assert best_cpu(run, "matmul", 300) == "numpy-16"


def test_twins_and_naive_entries_are_no_base() -> None:
    """The base is what a user would run."""
    fast_twin = CURVES | {"torch-cpu-16-twin": lambda n: 1e-9 * n}
    run = record((NUMPY, TORCH_CPU, TWIN), fast_twin, spread=0.0)
    assert best_cpu(run, "matmul", 2048) == "torch-cpu-16"


def test_an_entry_that_failed_is_no_base(edit_case: Callable[..., RunRecord]) -> None:
    """A case that is out of memory leaves the base to the others."""
    run = edit_case(record(spread=0.0), "torch-cpu-16", 8192, status="out_of_memory")
    assert best_cpu(run, "matmul", 8192) == "numpy-16"


def test_an_entry_that_was_only_scouted_is_no_base(edit_case: Callable[..., RunRecord]) -> None:
    """Where later rounds measured another entry, the one that they dropped cannot be compared."""
    run = record((ONE, NUMPY, CUPY), SLOW_START, sizes=(32,), spread=0.0)
    case = next(c for c in run.cases if c.entry == "numpy-1")
    scouted = tuple(r for r in case.rounds if r.round == 0)
    assert best_cpu(edit_case(run, "numpy-1", 32, rounds=scouted), "matmul", 32) == "numpy-16"


def test_voided_scouting_still_chooses_when_there_is_no_other() -> None:
    """On a machine busy throughout there is a base, so that what is withheld can be named."""
    assert best_cpu(record(voided="busy", spread=0.0), "matmul", 2048) == "torch-cpu-16"


def test_without_a_cpu_entry_there_is_no_base() -> None:
    """A run of GPU entries alone has no best CPU entry."""
    assert best_cpu(record((CUPY,)), "matmul", 512) is None


def test_numpy_stands_with_its_own_threads() -> None:
    """The second line compares with what NumPy takes by itself, not with its best setting."""
    run = record((ONE, NUMPY, CUPY), SLOW_START, sizes=(32,), spread=0.0)
    assert numpy_base(Times(run), "matmul") == "numpy-16"
    other = replace(NUMPY, default=False)
    run = record((ONE, other, CUPY), SLOW_START, sizes=(32,), spread=0.0)
    assert numpy_base(Times(run), "matmul") == "numpy-1"
    assert numpy_base(Times(record((TORCH_CPU, CUPY))), "matmul") is None


def test_a_backend_entered_twice_is_seen() -> None:
    """The second of two equal entries repeats the first; a twin does not count as one."""
    second = entry("numpy", 16, default=True, id="numpy-16#2")
    curves = CURVES | {"numpy-16#2": CURVES["numpy-16"]}
    run = record((NUMPY, second, TORCH_CPU, TWIN), curves)
    assert repeats(run) == {"numpy-16#2": "numpy-16"}
