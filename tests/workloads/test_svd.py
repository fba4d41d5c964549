"""Singular value decomposition of a square matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from breakeven.workloads.svd import SAMPLED, Svd
from workloads.faults import Array, Fault, judge
from workloads.opened import rounded

W = Svd()
N = 120


def _svd(a: Array) -> tuple[Any, ...]:
    return tuple(np.linalg.svd(a, full_matrices=False))


def _with(place: int, change: Callable[[Array], Array]) -> Fault:
    def made(a: Array) -> tuple[Any, ...]:
        factors = list(_svd(a))
        factors[place] = change(factors[place])
        return tuple(factors)

    return made


def _scaled(a: Array) -> tuple[Any, ...]:
    """Return factors whose product is right, but U is twice as long."""
    u, s, vt = _svd(a)
    return 2 * u, s / 2, vt


def _ascending(a: Array) -> tuple[Any, ...]:
    u, s, vt = _svd(a)
    return np.ascontiguousarray(u[:, ::-1]), s[::-1].copy(), np.ascontiguousarray(vt[::-1])


def _no_work(a: Array) -> tuple[Any, ...]:
    """Return factors whose product is right, without a decomposition."""
    one = np.eye(len(a), dtype=np.float32)
    return a, np.ones(len(a), np.float32), one


FAULTS: dict[str, Fault] = {
    "a sign in U alone": _with(0, lambda u: u * np.where(np.arange(N) == 3, -1, 1).astype(u.dtype)),
    "V not transposed": _with(2, lambda vt: np.ascontiguousarray(vt.T)),
    "U twice as long": _scaled,
    "ascending values": _ascending,
    "squared values": _with(1, lambda s: s**2),
    "one value": _with(1, lambda s: s * np.where(np.arange(N) == N - 1, 1.01, 1).astype(s.dtype)),
    "nothing decomposed": _no_work,
    "TF32 inputs": lambda a: _svd(rounded(a, 10)),
    "coarse vectors": _with(0, lambda u: rounded(u, 10)),
    "of the transposed": lambda a: _svd(a.T),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails(fault: str) -> None:
    """What is no decomposition in float32 does not pass for one."""
    assert not judge(W, N, FAULTS[fault]).passed


def test_signs_of_pairs_are_free() -> None:
    """A vector turned round together with its partner is as good."""

    def turned(a: Array) -> tuple[Any, ...]:
        u, s, vt = _svd(a)
        sign = np.where(np.arange(N) % 2 == 0, -1, 1).astype(u.dtype)
        return u * sign, s, vt * sign[:, None]

    assert judge(W, N, turned).passed


def test_another_algorithm_in_float32_passes() -> None:
    """One-sided Jacobi rotations, columns of A turned until they are orthogonal."""

    def jacobi(a: Array) -> tuple[Any, ...]:
        u, v = a.copy(), np.eye(len(a), dtype=a.dtype)
        for _ in range(12):
            for p in range(len(a) - 1):
                for q in range(p + 1, len(a)):
                    x, y = u[:, p], u[:, q]
                    dot, gap = x @ y, y @ y - x @ x
                    angle = np.float32(0.5 * np.arctan2(2 * dot, gap))
                    c, s = np.cos(angle), np.sin(angle)
                    for m in (u, v):
                        m[:, p], m[:, q] = c * m[:, p] - s * m[:, q], s * m[:, p] + c * m[:, q]
        values = np.linalg.norm(u, axis=0)
        order = np.argsort(-values)
        return (u / values)[:, order], values[order], np.ascontiguousarray(v[:, order].T)

    found = judge(W, 24, jacobi)
    assert found.passed
    assert found.class_ == "float32"


def test_work_is_counted_by_hand() -> None:
    """3 x 3: 4 x 27 + 8 x 27 + 9 x 27; nine elements read, twenty-one written."""
    assert W.work(3, "float32").flops == (4 + 8 + 9) * 27
    assert W.work(3, "float32").bytes == (9 + 9 + 3 + 9) * 4


def test_references_are_sampled_rows_and_all_values() -> None:
    """Rows come ascending, each once; values are those of the matrix in float64."""
    for size in (5, 60):
        inputs, reference = W.make(size, "float32", 42)
        rows = reference["rows"]
        assert len(rows) == min(SAMPLED, size)
        assert np.all(np.diff(rows) > 0)
        assert np.array_equal(reference["rows_of_a"], inputs["a"][rows].astype(np.float64))
        squared = np.linalg.eigvalsh(inputs["a"].astype(np.float64).T @ inputs["a"])
        np.testing.assert_allclose(np.sort(reference["values"] ** 2), squared, atol=1e-4)
