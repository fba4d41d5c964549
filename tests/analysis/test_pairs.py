"""Which entries are compared."""

from __future__ import annotations

from collections.abc import Callable

from breakeven.analysis.judge import judge
from breakeven.analysis.pairs import Line, Plan
from breakeven.analysis.times import Times
from breakeven.model.run import RunRecord
from records import CUPY, CURVES, NUMPY, TORCH_CPU, TORCH_CUDA, TWIN, entry, record


def _lines(run: RunRecord) -> set[tuple[str, str, str]]:
    return {(line.scope, line.base_kind, line.entry) for line in Plan(Times(run)).lines("matmul")}


def test_gpu_entries_stand_against_the_best_cpu_then_numpy() -> None:
    """Each GPU entry has two bases in two scopes; torch on the CPU has one base in one scope."""
    assert _lines(record()) == {
        (scope, kind, e)
        for scope in ("resident", "transfer")
        for kind in ("best-cpu", "numpy")
        for e in ("cupy", "torch-cuda")
    } | {("resident", "numpy", "torch-cpu-16")}


def test_a_backend_entered_twice_stands_against_itself() -> None:
    """The same backend twice makes one comparison, of the second with the first."""
    second = entry("numpy", 16, id="numpy-16#2")
    run = record((NUMPY, second), CURVES | {"numpy-16#2": CURVES["numpy-16"]})
    assert _lines(run) == {("resident", "same", "numpy-16#2")}


def test_the_main_line_is_the_quickest_gpu_entry() -> None:
    """Rounds are spent on the GPU entry that is quickest at most sizes of the scope."""
    slow = CURVES | {"torch-cuda": lambda n: 3 * CURVES["cupy"](n)}
    plan = Plan(Times(record(curves=slow)))
    assert plan.main("matmul", "transfer") == Line("matmul", "transfer", "best-cpu", "cupy")


def test_without_a_gpu_the_main_line_is_torch_against_numpy() -> None:
    """On a machine without a GPU the other CPU library stands against NumPy, data resident."""
    plan = Plan(Times(record((NUMPY, TORCH_CPU, TWIN))))
    assert plan.main("matmul", "resident") == Line("matmul", "resident", "numpy", "torch-cpu-16")
    assert plan.main("matmul", "transfer") is None


def test_a_size_where_a_side_was_only_scouted_makes_no_pair(
    edit_case: Callable[..., RunRecord],
) -> None:
    """An entry that later rounds dropped would stay unsettled for ever."""
    run = record((NUMPY, TORCH_CPU, TWIN))
    case = next(c for c in run.cases if c.entry == "torch-cpu-16" and c.size == 512)
    run = edit_case(run, "torch-cpu-16", 512, rounds=case.rounds[:1])
    plan = Plan(Times(run))
    sizes = [p.size for line in plan.lines("matmul") for p in plan.pairs(line)]
    assert sizes == [128, 2048, 8192]


def test_an_entry_that_was_only_scouted_is_in_no_line(edit_case: Callable[..., RunRecord]) -> None:
    """A thread count that no round measured has nothing that could be judged."""
    one = entry("torch-cpu", 1)
    run = record((NUMPY, TORCH_CPU, one), CURVES | {"torch-cpu-1": CURVES["torch-cpu-16"]})
    assert ("resident", "numpy", "torch-cpu-1") in _lines(run)
    scouted = run
    for case in (c for c in run.cases if c.entry == "torch-cpu-1"):
        scouted = edit_case(scouted, "torch-cpu-1", case.size, rounds=case.rounds[:1])
    assert _lines(scouted) == {("resident", "numpy", "torch-cpu-16")}
    judged = judge(scouted)
    for concluded in (judged.verdicts, judged.crossovers, judged.paybacks):
        assert "torch-cpu-1" not in {c.entry for c in concluded}


def test_an_entry_that_failed_when_scouted_is_told(edit_case: Callable[..., RunRecord]) -> None:
    """A wrong answer found when scouting keeps its line: its verdicts say why."""
    run = record((NUMPY, TORCH_CPU))
    for case in (c for c in run.cases if c.entry == "torch-cpu-16"):
        run = edit_case(run, "torch-cpu-16", case.size, rounds=(), status="disagrees")
    assert _lines(run) == {("resident", "numpy", "torch-cpu-16")}
    assert {v.reason for v in judge(run).verdicts} == {"disagrees"}


def test_before_the_first_round_everything_takes_part() -> None:
    """After scouting alone the plan knows its pairs already."""
    plan = Plan(Times(record((NUMPY, CUPY, TORCH_CUDA), rounds=0)))
    line = Line("matmul", "transfer", "best-cpu", "cupy")
    assert [p.size for p in plan.pairs(line)] == [128, 512, 2048, 8192]
