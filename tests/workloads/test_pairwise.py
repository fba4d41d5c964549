"""Distances between all pairs of two sets of points."""

from __future__ import annotations

import numpy as np
import pytest

from breakeven.workloads.pairwise import FEATURES, SAMPLED_ROWS, Pairwise
from workloads.faults import Array, Fault, judge, right
from workloads.opened import rounded

W = Pairwise()
N = 100


def _tf32_product(x: Array, y: Array) -> Array:
    """Multiply in TF32, all else in float32: what a switch of the library does."""
    squares = np.sum(x * x, axis=1, keepdims=True) + np.sum(y * y, axis=1)
    return np.sqrt(np.clip(squares - 2 * (rounded(x, 10) @ rounded(y, 10).T), 0, None))


FAULTS: dict[str, Fault] = {
    "squared": lambda x, y: right(W, x, y) ** 2,
    "transposed": lambda x, y: right(W, y, x),
    "along the axes": lambda x, y: np.abs(x[:, None] - y).sum(axis=2),
    "within one set": lambda x, y: right(W, x, x) + 0 * y[:, 0],
    "a feature missing": lambda x, y: right(W, x[:, 1:], y[:, 1:]),
    "TF32 product": _tf32_product,
    "bfloat16 inputs": lambda x, y: right(W, rounded(x, 7), rounded(y, 7)),
    "factor of 1.0001": lambda x, y: np.float32(1.0001) * right(W, x, y),
    "the product once": lambda x, y: np.sqrt(
        np.abs(np.sum(x * x, axis=1, keepdims=True) + np.sum(y * y, axis=1) - x @ y.T)
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails(fault: str) -> None:
    """What is not the distances in float32 does not pass for them."""
    assert not judge(W, N, FAULTS[fault]).passed


def test_differences_pass_as_well_as_products() -> None:
    """Distances without cancellation are as right."""
    assert judge(W, N, lambda x, y: np.sqrt(((x[:, None] - y) ** 2).sum(axis=2))).passed


def test_one_wrong_pair_fails() -> None:
    """A single distance off by a thousandth, in a sampled row, is enough."""
    inputs, reference = W.make(N, "float32", 42)
    made = right(W, *inputs.values())
    made[reference["rows"][2], 5] *= np.float32(1.001)
    assert not W.check((made,), (), reference, "float32").passed


def test_a_tf32_product_passes_where_tf32_was_asked_for() -> None:
    """Its errors are then those of what was computed in."""
    inputs, reference = W.make(N, "float32", 42)
    found = W.check((_tf32_product(*inputs.values()),), (), reference, "tf32")
    assert found.passed
    assert found.class_ == "TF32/half"


def test_work_is_counted_by_hand() -> None:
    """Two points each: every array operation of the formula, one by one."""
    f, n = FEATURES, 2
    product = 2 * f * n * n
    squares = 2 * n * (f + f - 1)
    pairs = n * n * (1 + 1 + 1 + 1 + 1)  # sum of squares, times 2, difference, clip, root
    assert W.work(n, "float32").flops == product + squares + pairs
    sets = 2 * (2 * n * f + n * f + n)  # squared: read, written; summed: read, written
    formed = (2 * n + n * n) + (2 * n * f + n * n)  # sum of squares; product
    rest = n * n * (2 + 3 + 2 + 2)
    assert W.work(n, "float32").bytes == (sets + formed + rest) * 4


def test_references_are_sampled_rows_of_differences() -> None:
    """Rows come ascending, each once; distances are those of the values that libraries get."""
    for size in (5, 70):
        inputs, reference = W.make(size, "float32", 42)
        rows = reference["rows"]
        assert len(rows) == min(SAMPLED_ROWS, size)
        assert np.all(np.diff(rows) > 0)
        x, y = (inputs[k].astype(np.float64) for k in ("x", "y"))
        want = np.sqrt(((x[rows][:, None] - y) ** 2).sum(axis=2))
        np.testing.assert_allclose(reference["distances"], want, rtol=1e-14)
