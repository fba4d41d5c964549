"""Solution of a dense system of linear equations."""

from __future__ import annotations

import numpy as np
import pytest

from breakeven.workloads.solve import SAMPLED_ROWS, Solve
from workloads.faults import Array, Fault, judge
from workloads.opened import rounded

W = Solve()


def _one(a: Array, b: Array) -> Array:
    x = np.linalg.solve(a, b)
    x[5] *= np.float32(1.001)
    return x


def _diagonal(a: Array, b: Array) -> Array:
    """Solve as if the rows had not been shuffled: no search for pivots."""
    return (b / np.diag(a)[:, None]).astype(np.float32)


FAULTS: dict[str, Fault] = {
    "transposed": lambda a, b: np.linalg.solve(a.T, b),
    "TF32 inputs": lambda a, b: np.linalg.solve(rounded(a, 10), b),
    "a coarse answer": lambda a, b: rounded(np.linalg.solve(a, b), 10),
    "a coarse right side": lambda a, b: np.linalg.solve(a, rounded(b, 10)),
    "factor of 1.0001": lambda a, b: np.float32(1.0001) * np.linalg.solve(a, b),
    "one element": _one,
    "the diagonal alone": _diagonal,
    "the right side itself": lambda a, b: b + 0 * a[:, :1],
}


@pytest.mark.parametrize("size", [40, 300])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails(fault: str, size: int) -> None:
    """What does not solve the system in float32 does not pass, sampled rows or all."""
    assert not judge(W, size, FAULTS[fault]).passed


def test_elimination_in_float32_passes() -> None:
    """With pivots found row by row, as a textbook does it."""

    def eliminate(a: Array, b: Array) -> Array:
        m = np.hstack([a, b])
        n = len(a)
        for k in range(n):
            pivot = k + int(np.argmax(np.abs(m[k:, k])))
            m[[k, pivot]] = m[[pivot, k]]
            m[k + 1 :] -= m[k + 1 :, [k]] / m[k, k] * m[k]
        for k in range(n - 1, -1, -1):
            m[k, n] = (m[k, n] - m[k, k + 1 : n] @ m[k + 1 : n, n]) / m[k, k]
        return m[:, [n]]

    found = judge(W, 120, eliminate)
    assert found.passed
    assert found.class_ == "float32"


@pytest.mark.parametrize("size", [10, 100, 400])
def test_systems_are_well_conditioned_and_need_pivots(size: int) -> None:
    """The condition number stays small; the heavy element of most rows is off the diagonal."""
    a = W.make(size, "float64", 42)[0]["a"]
    assert np.linalg.cond(a) < 20
    heavy = np.argmax(np.abs(a), axis=1)
    assert len(set(heavy)) > 0.9 * size
    assert np.mean(heavy == np.arange(size)) < 0.5


def test_work_is_counted_by_hand() -> None:
    """2 x 2: one quotient, one product, one difference; then 2 x 4 - 2 for substitution."""
    assert W.work(2, "float32").flops == 3 + 6
    steps = sum((5 - k) + 2 * (5 - k) ** 2 for k in range(1, 5))
    assert W.work(5, "float32").flops == steps + 2 * 25 - 5
    assert W.work(5, "float32").bytes == (25 + 10) * 4
    assert W.work(1000, "float32").flops == pytest.approx(2 / 3 * 1e9, rel=3e-3)


def test_references_are_sampled_rows() -> None:
    """Each once, of A and of b alike, in float64; a small system has them all."""
    for size in (5, 200):
        inputs, reference = W.make(size, "float32", 42)
        rows = reference["rows_of_a"]
        assert rows.dtype == np.float64
        assert rows.shape == (min(SAMPLED_ROWS, size), size)
        for row, value in zip(rows, reference["rows_of_b"], strict=True):
            (at,) = np.flatnonzero((inputs["a"] == row).all(axis=1))
            assert inputs["b"][at] == value
