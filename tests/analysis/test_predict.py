"""Times foretold for sizes that were not measured."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.analysis.judge import apply, judge
from breakeven.analysis.predict import Known, Law, predict, sizes_between, within, work_at
from breakeven.model.run import Work
from breakeven.model.verdict import Prediction
from records import record

SIZES = (64, 128, 256, 512, 1024, 2048)
LAW = Law(launch=2e-5, link=1 / 9e9, compute=1 / 5e13, memory=1 / 3e12)


def work(size: int) -> Work:
    """Return the work of a product of two square matrices, with what travels."""
    return Work(flops=2.0 * size**3, bytes=12.0 * size**2, to_device_bytes=8.0 * size**2,
                to_host_bytes=4.0 * size**2)  # fmt: skip


def known(law: Law = LAW, sizes: tuple[int, ...] = SIZES, noise: float = 0.0) -> list[Known]:
    """Return sizes whose times follow a law, off by `noise` one way and the other in turn."""
    made = []
    for place, size in enumerate(sizes):
        off = 1 + noise * (-1) ** place
        w = work(size)
        made.append(
            Known(size, w, law.seconds(w) * off, law.seconds(w, 12.0 * size**2) * off)
        )  # fmt: skip
    return made


@given(
    st.floats(min_value=1e-7, max_value=1e-3),
    st.floats(min_value=1e9, max_value=1e14),
    st.floats(min_value=1e9, max_value=1e12),
)
def test_a_planted_law_is_recovered(launch: float, flops_per_s: float, link: float) -> None:
    """Times that follow the law exactly are foretold exactly, held out or never measured."""
    law = Law(launch, 1 / link, 1 / flops_per_s, 0.0)
    for scope in ("resident", "transfer"):
        found = predict("matmul", "cupy", scope, known(law))
        assert found.worst_error is not None
        assert found.worst_error < 1e-5
        for point in found.points:
            w = Work(flops=2.0 * point.size**3, bytes=12.0 * point.size**2)
            moved = 12.0 * point.size**2 if scope == "transfer" else 0.0
            assert point.seconds == pytest.approx(law.seconds(w, moved), rel=1e-5)


def test_a_rate_of_the_memory_is_told_from_a_peak() -> None:
    """Where small sizes follow the bytes and large ones the operations, both rates come back."""
    law = Law(0.0, 0.0, 1 / 5e13, 1 / 1e12)
    found = predict("matmul", "cupy", "resident", known(law))
    assert found.flops_per_s == pytest.approx(5e13, rel=1e-6)
    assert found.bytes_per_s == pytest.approx(1e12, rel=1e-6)


def test_the_error_is_that_of_sizes_left_out() -> None:
    """Times that are off by 10 % in turn are foretold with an error of that kind, never less."""
    found = predict("matmul", "cupy", "resident", known(noise=0.1))
    assert found.median_error is not None
    assert found.worst_error is not None
    assert 0.05 < found.median_error <= found.worst_error < 0.6
    assert {h.size for h in found.held_out} == set(SIZES)
    errors = [abs(h.predicted_s / h.measured_s - 1) for h in found.held_out]
    assert max(errors) == pytest.approx(found.worst_error)


def test_a_law_that_does_not_hold_shows_in_the_error() -> None:
    """A step that no launch and no rate explains cannot hide: the held-out error is large."""
    stepped = [
        Known(k.size, k.work, k.resident_s * (5 if k.size == 512 else 1)) for k in known()
    ]  # fmt: skip
    found = predict("matmul", "cupy", "resident", stepped)
    assert found.worst_error is not None
    assert found.worst_error > 0.5


def test_nothing_is_foretold_beyond_twice_the_largest_size() -> None:
    """Points end at twice the largest size, and a size beyond has no work to count."""
    sizes = sizes_between(known())
    assert max(sizes) == 4096
    assert not set(sizes) & set(SIZES)
    assert work_at(4097, known()) is None
    assert not within(31, known())
    assert work_at(32, known()) is not None


def test_counts_between_sizes_are_exact_for_powers() -> None:
    """The work of a size between two is that of its formula."""
    at = work_at(300, known())
    assert at is not None
    assert at[0].flops == pytest.approx(2.0 * 300**3)
    assert at[1] == pytest.approx(12.0 * 300**2)


def test_sizes_four_apart_leave_the_ends_untested() -> None:
    """An end is too far from the rest to be foretold, so only sizes inside are held out."""
    found = predict("matmul", "cupy", "resident", known(sizes=(128, 512, 2048, 8192)))
    assert [h.size for h in found.held_out] == [512, 2048]
    few = predict("matmul", "cupy", "resident", known(sizes=(64, 1024, 16384)))
    assert [h.size for h in few.held_out] == [1024]


def _of(found: tuple[Prediction, ...], entry: str, scope: str) -> Prediction:
    return next(p for p in found if (p.entry, p.scope) == (entry, scope))


def test_the_judge_foretells_each_entry_and_scope() -> None:
    """GPU entries in both scopes, a CPU entry in one; twins and single sizes in none."""
    run = record(spread=0.0, slot_noise=0.0)
    run = apply(run, judge(run))
    pairs = {(p.entry, p.scope) for p in run.predictions}
    assert pairs == {
        ("numpy-16", "resident"), ("torch-cpu-16", "resident"),
        ("cupy", "resident"), ("cupy", "transfer"),
        ("torch-cuda", "resident"), ("torch-cuda", "transfer"),
    }  # fmt: skip
    cupy = _of(run.predictions, "cupy", "resident")
    assert cupy.launch_s == pytest.approx(28e-6, rel=0.02)
    assert cupy.flops_per_s == pytest.approx(2 / 3.9e-14, rel=0.02)
    travels = _of(run.predictions, "cupy", "transfer")
    assert travels.link_bytes_per_s == pytest.approx(9e9, rel=0.02)
    assert judge(record(sizes=(128, 512))).predictions == ()


def test_the_law_takes_the_longer_of_two_rates() -> None:
    """Operations and bytes overlap: the time is the longer, beside launch and journey."""
    law = Law(1.0, 0.5, 0.25, 2.0)
    assert law.seconds(Work(flops=40.0, bytes=1.0), moved=4.0) == 1 + 2 + 10
    assert math.isclose(law.seconds(Work(flops=4.0, bytes=10.0)), 21.0)
