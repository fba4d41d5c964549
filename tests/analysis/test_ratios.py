"""Ratios that are no verdicts: both sides named, of one kind of time, with interval or n."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.ratios import ratios
from breakeven.engine.plan import in_precision
from breakeven.model.ratio import Ratio
from breakeven.model.run import CacheTimes, Case, DeviceTimes, Round, RunRecord, Slot
from records import CUPY, CURVES, NUMPY, record

# Issued in 20 us, done in 8 us, replayed in 3 us.
SMALL = DeviceTimes(queued_s=8e-6, graph_s=3e-6, issue_s=2e-5)


def _issue(number: int, seconds: float) -> Round:
    slot = Slot(turn=0, order=0, median_s=seconds, min_s=seconds, repeats=1)
    return Round(round=number, scope="resident", clock="issue", slots=(slot,))


def _run(device: DeviceTimes | None = SMALL, issued: tuple[Round, ...] = ()) -> RunRecord:
    """Return a run whose CuPy case has these times."""
    run = record((NUMPY, CUPY), sizes=(128,))

    def changed(case: Case) -> Case:
        if case.entry != "cupy":
            return case
        return replace(case, device=device, rounds=(*case.rounds, *issued))

    return replace(run, cases=tuple(changed(c) for c in run.cases))


def _found(run: RunRecord) -> dict[str, Ratio]:
    found = ratios(Comparisons(run))
    assert len({r.kind for r in found}) == len(found)
    return {r.kind: r for r in found}


def test_no_ratio_mixes_the_wait_with_the_devices_own_time() -> None:
    """Waiting is host time over host time; batching and graphs are over what issuing takes."""
    found = _found(_run())
    sides = {kind: (r.numerator, r.denominator) for kind, r in found.items()}
    assert sides == {
        "waiting": ("awaited", "issued"),
        "batching": ("issued", "queued"),
        "graph": ("issued", "graph"),
    }
    assert found["batching"].value == pytest.approx(2.5)
    assert found["graph"].value == pytest.approx(20 / 3)
    assert found["graph"].n == 1
    assert found["graph"].low is None


def test_rounds_that_have_both_times_give_an_interval() -> None:
    """Three rounds of issue times pair with the awaited ones of the same rounds."""
    found = _found(_run(issued=tuple(_issue(n, 2e-5) for n in (1, 2, 3))))["waiting"]
    assert found.n == 3
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert found.numerator_s is not None
    assert found.value == pytest.approx(found.numerator_s / 2e-5, rel=0.05)


def test_one_round_has_no_interval() -> None:
    """What was read in one process alone says so."""
    found = _found(_run(issued=(_issue(1, 2e-5),)))["waiting"]
    assert (found.n, found.low, found.high) == (1, None, None)


def test_nothing_is_gained_where_launches_do_not_rule() -> None:
    """Work that is longer than its launch has no such ratio, nor has work of unknown length."""
    assert _found(_run(DeviceTimes(queued_s=1e-2, issue_s=2e-5))) == {}
    assert _found(_run(DeviceTimes(issue_s=2e-5))) == {}
    assert _found(_run(None)) == {}


def test_a_floor_bounds_a_gain_from_below() -> None:
    """Ten times an empty kernel is all that a figure below it says."""
    run = _run()
    floors = {
        e: replace(f, empty_kernel_s=1e-6 if e == "cupy" else None)
        for e, f in run.limits.floors.items()
    }
    found = _found(replace(run, limits=replace(run.limits, floors=floors)))
    assert found["batching"].at_least
    assert found["batching"].value == pytest.approx(2.0)


def test_a_call_at_the_floor_of_the_hosts_clock_has_no_ratio_of_waiting() -> None:
    """Under ten empty calls the time of issuing is the loop's."""
    run = _run()
    floors = {e: replace(f, empty_call_s=3e-6) for e, f in run.limits.floors.items()}
    found = _found(replace(run, limits=replace(run.limits, floors=floors)))
    assert "waiting" not in found


@pytest.mark.parametrize(
    ("base_cold", "kinds"), [(3e-4, {"hot_caches", "cold_caches"}), (None, set())]
)
def test_caches_are_compared_on_both_sides_or_not_at_all(
    base_cold: float | None, kinds: set[str]
) -> None:
    """The best CPU entry stands above, hot over hot and cold over cold."""
    times = {"numpy-16": CacheTimes(hot_s=1e-4, cold_s=base_cold),
             "cupy": CacheTimes(hot_s=2.5e-5, cold_s=5e-5)}  # fmt: skip
    run = _run(None)
    found = _found(replace(run, cases=tuple(replace(c, caches=times[c.entry]) for c in run.cases)))
    assert set(found) == kinds
    if kinds:
        assert found["cold_caches"].value == pytest.approx(6.0)
        assert found["hot_caches"].value == pytest.approx(4.0)
        assert (found["hot_caches"].other, found["hot_caches"].n) == ("numpy-16", 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_float64_stands_over_float32_whichever_is_the_variant(dtype: str) -> None:
    """The ratio is the time of float64 over that of float32, with the verdict's interval."""
    own = replace(CUPY, dtype=dtype)
    other = "float64" if dtype == "float32" else "float32"
    variant = in_precision(own, other)  # type: ignore[arg-type]
    times = 2.0 if other == "float64" else 0.5
    curves = CURVES | {variant.id: lambda n: times * CURVES["cupy"](n)}
    run = record((replace(NUMPY, dtype=dtype), own, variant), curves, sizes=(2048,))
    run = replace(run, spec=replace(run.spec, dtype=dtype, precisions=(other,)))
    found = _found(run)["float64"]
    assert found.value == pytest.approx(2.0, rel=0.1)
    assert found.n == 3
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert math.isclose(found.value, math.sqrt(found.low * found.high), rel_tol=1e-6)
    assert {found.entry, found.other} == {"cupy", variant.id}
