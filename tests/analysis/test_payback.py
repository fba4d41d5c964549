"""After how many calls or reuses an entry has repaid its costs."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.pairs import Line
from breakeven.analysis.payback import payback
from breakeven.model.run import ColdStart, RunRecord
from breakeven.model.verdict import Estimate, Payback
from records import CURVES, journey, record

EXCESS = 3.4 + (0.2 - 1e-4) - 0.2 - (0.2 - 1e-4)  # cold cost of CuPy beyond torch on the CPU


def paid(run: RunRecord, size: int, entry: str = "cupy", kind: str = "best-cpu") -> Payback:
    """Return the pay-back of an entry at a size."""
    found = Comparisons(run)
    line = Line("matmul", "resident", kind, entry)
    resident = found.at(line, "resident", size)
    assert resident is not None
    return payback(found.times, resident, found.at(line, "transfer", size))


def holds(estimate: Estimate | None, truth: float) -> bool:
    """Return whether an estimate's interval holds a break-even."""
    assert estimate is not None
    assert estimate.low <= estimate.value <= estimate.high
    return estimate.low <= truth + 1 and truth <= estimate.high


def saving(size: int, *, moving: bool) -> float:
    """Return the seconds that a call of CuPy truly saves."""
    gpu = CURVES["cupy"](size) + (journey(size) if moving else 0.0)
    return CURVES["torch-cpu-16"](size) - gpu


def test_start_up_is_repaid_after_known_calls() -> None:
    """Cold cost over saving a call, with the data travelling or resident, inside the intervals."""
    for seed in range(5):
        found = paid(record(seed=seed), 2048)
        assert holds(found.calls, EXCESS / saving(2048, moving=True))
        assert holds(found.calls_resident, EXCESS / saving(2048, moving=False))
        assert found.why is None


def test_one_journey_is_repaid_after_known_reuses() -> None:
    """At 512 a journey of 0.4 ms costs more than one product saves: the fourth repays it."""
    for seed in range(5):
        found = paid(record(seed=seed), 512)
        assert holds(found.reuses, journey(512) / saving(512, moving=False))
        assert found.reuses is not None
        assert found.reuses.value >= 3


def test_the_count_is_the_first_call_that_is_ahead() -> None:
    """The total is less only after the break-even: the count is whole, and at least 1."""
    found = paid(record(spread=0.0, slot_noise=0.0), 8192)
    assert found.calls is not None
    assert found.calls.value == int(EXCESS / saving(8192, moving=True)) + 1
    assert found.reuses is not None
    assert found.reuses.value == 1.0


def test_what_never_pays_says_so() -> None:
    """Where a call is slower no number of them repays anything."""
    found = paid(record(), 128)
    assert (found.calls, found.calls_resident, found.reuses) == (None, None, None)
    assert found.why is not None
    assert "never, a call is slower than on torch-cpu-16" in found.why


def test_one_scope_may_pay_without_the_other() -> None:
    """At 512 resident calls repay start-up, travelling ones never do."""
    found = paid(record(), 512)
    assert found.calls is None
    assert found.calls_resident is not None
    assert found.why is not None
    assert "travelling" in found.why


def test_an_open_comparison_repays_nothing_yet() -> None:
    """Where the interval includes equality the saving may be none."""
    curves = CURVES | {"cupy": lambda n: 0.97 * CURVES["torch-cpu-16"](n)}
    found = paid(record(curves=curves, spread=0.1), 2048)
    assert found.calls_resident is None
    assert found.why is not None
    assert "not settled that a call is faster" in found.why


def test_one_cold_process_gives_no_count() -> None:
    """A number cannot be had without its interval: what would give it is told."""
    run = record()
    run = replace(run, cold_starts=tuple(c for c in run.cold_starts if c.order == 0))
    found = paid(run, 2048)
    assert found.calls is None
    assert found.reuses is not None
    assert found.why is not None
    assert "two or more" in found.why


def test_one_process_a_workload_pools_to_an_interval() -> None:
    """Two workloads with one fresh process of each backend give two openings, so an interval."""
    run = record()
    first = tuple(c for c in run.cold_starts if c.order == 0)
    second = tuple(replace(c, workload="mlp", import_s=c.import_s * 1.05) for c in first)
    found = paid(replace(run, cold_starts=first + second), 2048)
    assert holds(found.calls, EXCESS / saving(2048, moving=True))
    assert found.calls is not None
    assert found.calls.n == 2
    assert (found.processes, found.base_processes) == (2, 2)
    assert found.start_s is not None
    assert found.base_start_s is not None
    assert found.start_s > found.base_start_s


def test_a_start_that_costs_no_more_is_ahead_at_once() -> None:
    """An entry whose start-up equals its base's pays from the first call."""
    found = paid(record(), 2048, "torch-cpu-16", "numpy")
    assert found.calls == found.calls_resident
    assert found.calls is not None
    assert found.calls.value == 1.0
    assert found.reuses is None


def test_differing_cold_processes_widen_the_count() -> None:
    """Fresh processes that differ by a factor make the count as uncertain."""

    def cold(order: int, import_s: float) -> ColdStart:
        return ColdStart(backend="cupy", workload="matmul", size=128, order=order,
                         import_s=import_s, context_s=0.4, calls_s=(0.2, 1e-3, 1e-4))  # fmt: skip

    run = record()
    others = tuple(c for c in run.cold_starts if c.backend != "cupy")
    wild = replace(run, cold_starts=others + tuple(cold(i, s) for i, s in enumerate((1, 3, 9))))
    narrow, wide = paid(run, 2048).calls, paid(wild, 2048).calls
    assert narrow is not None
    assert wide is not None
    assert wide.high / wide.low > 3 * narrow.high / narrow.low


def test_wrong_answers_repay_nothing(edit_case: Callable[..., RunRecord]) -> None:
    """A case that is not sound has no pay-back, and the reason is kept."""
    found = paid(edit_case(record(), "cupy", 2048, status="disagrees"), 2048)
    assert (found.calls, found.reuses) == (None, None)
    assert found.why is not None
    assert "disagrees" in found.why
