"""Cases beside the ceilings of their device, on rooflines made by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from breakeven.analysis.ceiling import achieved, bounded, copy_s
from breakeven.analysis.times import Times
from breakeven.model.machine import Ceilings, LinkRate
from breakeven.model.run import RunRecord, Work
from records import CUPY, NUMPY, record

CARD = Ceilings(
    device="cuda:0", backend="torch-cuda",
    flops_per_s={"float32": 5e13, "tf32": 4e14}, memory_bytes_per_s=4e12,
    link=(LinkRate(bytes=1 << 12, to_device=1e9, to_host=1e9),
          LinkRate(bytes=1 << 28, to_device=1e10, to_host=5e9)),
    launch_s=4e-6, synchronise_s=6e-6,
)  # fmt: skip
CPU = Ceilings(device="cpu", backend="torch-cpu", flops_per_s={"float32": 2e12},
               memory_bytes_per_s=2e11)  # fmt: skip
positive = st.floats(min_value=1e-3, max_value=1e15)


def work(flops: float, count: float, moved: float = 0.0) -> Work:
    """Return work of which two thirds of the journey lead to the device."""
    return Work(flops=flops, bytes=count, to_device_bytes=2 * moved / 3, to_host_bytes=moved / 3)


@pytest.mark.parametrize(
    ("flops", "count", "moved", "scope", "seconds", "by"),
    [
        (1e12, 1e8, 1e8, "resident", 0.022, "compute"),
        (1e6, 4e9, 4e9, "resident", 0.0011, "memory"),
        (1e9, 1e8, 1e9, "transfer", 0.2, "link"),
        (1e3, 1e3, 1e3, "resident", 12e-6, "launch"),
        (1e3, 1e3, 1e3, "resident", 90e-6, "residual"),
    ],
)
def test_the_largest_part_bounds_a_call(
    flops: float, count: float, moved: float, scope: str, seconds: float, by: str
) -> None:
    """Operations, bytes, journey, launch, or nothing known: whichever takes most."""
    found = bounded(work(flops, count, moved), CUPY, scope, seconds, CARD)  # type: ignore[arg-type]
    assert found.by == by
    assert found.fault is None


def test_the_bound_is_the_sum_of_what_a_call_must_pay() -> None:
    """One launch with its wait, one copy each way, then the longer of two rates."""
    found = bounded(work(5e11, 4e9, 3 << 28), CUPY, "transfer", 1.0, CARD)
    journey = (2 << 28) / 1e10 + (1 << 28) / 5e9
    assert found.bound_s == pytest.approx(10e-6 + journey + 1e-2)
    assert found.share == pytest.approx(found.bound_s)


@given(positive, positive, positive, st.floats(min_value=1e-7, max_value=1e3))
def test_shares_sum_to_the_measured_time(
    flops: float, count: float, moved: float, seconds: float
) -> None:
    """Launch, transfer, work and residual make the whole, however long the call took."""
    for scope in ("resident", "transfer"):
        found = bounded(work(flops, count, moved), CUPY, scope, seconds, CARD)  # type: ignore[arg-type]
        parts = (found.launch, found.transfer, found.work, found.residual)
        assert None not in parts
        most = max(1.0, *(abs(p) for p in parts if p is not None))
        assert sum(p for p in parts if p is not None) == pytest.approx(1.0, abs=1e-9 * most)


def test_a_call_of_many_launches_is_bound_by_them() -> None:
    """Where no ceiling explains the time and the host was issuing all along, launches do."""
    found = bounded(work(1e3, 1e3), CUPY, "resident", 1e-3, CARD, issue_s=9e-4)
    assert found.by == "launch"
    assert found.residual == pytest.approx(0.99)
    assert bounded(work(1e3, 1e3), NUMPY, "resident", 1e-3, CPU, issue_s=1e-3).by == "residual"


def test_a_missing_ceiling_leaves_no_bound() -> None:
    """A part that nobody measured makes no share, and is named."""
    for ceilings, said in (
        (replace(CARD, flops_per_s={"tf32": 4e14}), "the peak in float32"),
        (replace(CARD, memory_bytes_per_s=None), "the memory bandwidth"),
        (replace(CARD, synchronise_s=None), "the launch cost"),
        (replace(CARD, link=()), "the time of the journey"),
    ):
        found = bounded(work(1e9, 1e9, 1e9), CUPY, "transfer", 1.0, ceilings)
        assert (found.share, found.by, found.residual) == (None, None, None)
        assert said in (found.why or "")


def test_each_precision_has_its_own_peak() -> None:
    """A TF32 entry is set beside the peak in TF32."""
    entry = replace(CUPY, matmul_precision="tf32")
    found = bounded(work(4e13, 1e8), entry, "resident", 0.2, CARD)
    assert found.work == pytest.approx(0.5)


def test_copies_are_interpolated_between_sizes() -> None:
    """Below the smallest a copy takes as long as that; beyond the largest its rate holds."""
    rates = [(1000, 1e6), (100_000, 1e7)]
    assert copy_s(10, rates) == copy_s(1000, rates) == pytest.approx(1e-3)
    assert copy_s(10_000, rates) == pytest.approx((1e-3 * 1e-2) ** 0.5)
    assert copy_s(1e6, rates) == pytest.approx(0.1)
    assert copy_s(0, rates) == 0.0
    assert copy_s(1, [(1000, None)]) is None


def with_ceilings(run: RunRecord, *ceilings: Ceilings) -> RunRecord:
    """Return a record that holds ceilings, and what travels with each case."""
    cases = tuple(
        replace(c, work=replace(c.work, to_device_bytes=8.0 * c.size**2,
                                to_host_bytes=4.0 * c.size**2))
        for c in run.cases if c.work
    )  # fmt: skip
    return replace(run, cases=cases, limits=replace(run.limits, ceilings=ceilings))


def test_cases_are_set_beside_the_ceilings_of_their_device() -> None:
    """GPU entries in both scopes, CPU entries in one; without ceilings in none."""
    run = with_ceilings(record(spread=0.0, slot_noise=0.0), CARD, CPU)
    found = {(a.entry, a.size): a.bounds for a in achieved(Times(run))}
    assert [b.scope for b in found["cupy", 8192]] == ["resident", "transfer"]
    assert [b.scope for b in found["numpy-16", 8192]] == ["resident"]
    assert found["cupy", 8192][0].by == "compute"
    assert found["cupy", 8192][0].share == pytest.approx(2 / 3.9e-14 / 5e13, rel=0.01)
    assert found["cupy", 128][0].by in {"launch", "residual"}
    bare = achieved(Times(record()))
    assert {a.bounds for a in bare} == {()}
    only_cpu = {a.entry: a.bounds for a in achieved(Times(with_ceilings(record(), CPU)))}
    assert only_cpu["cupy"] == ()


def test_a_share_beyond_the_bound_is_a_fault_and_is_not_clipped() -> None:
    """A ceiling that is half of what cases reach is told at each of them."""
    low = replace(CARD, flops_per_s={"float32": 2.5e13})
    run = with_ceilings(record(spread=0.0, slot_noise=0.0), low)
    large = next(a for a in achieved(Times(run)) if (a.entry, a.size) == ("cupy", 8192))
    assert large.bounds[0].share == pytest.approx(2.05, rel=0.01)
    assert large.bounds[0].residual == pytest.approx(-1.05, rel=0.05)
    assert "205 % of the bound" in (large.bounds[0].fault or "")


def test_data_in_a_cache_explain_a_share_beyond_the_memory() -> None:
    """On a CPU whose cache holds the data the fault says so."""
    slow = replace(CPU, flops_per_s={"float32": 1e15}, memory_bytes_per_s=1e9)
    run = with_ceilings(record(), slow)
    cpu = replace(run.machine.cpu, caches_bytes={"L2": 2 << 20, "L3": 64 << 20})
    run = replace(run, machine=replace(run.machine, cpu=cpu))
    found = {a.size: a.bounds[0].fault for a in achieved(Times(run)) if a.entry == "numpy-16"}
    assert "stay in a cache of 64.0 MiB" in (found[128] or "")
