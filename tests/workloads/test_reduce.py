"""Sums of the rows and of the columns of a matrix."""

from __future__ import annotations

import numpy as np
import pytest

from breakeven.workloads.reduce import Reduce
from workloads.faults import Array, Fault, judge
from workloads.opened import rounded

W = Reduce()


def _sums(x: Array) -> tuple[Array, Array]:
    return x.sum(axis=1), x.sum(axis=0)


def _in_half(x: Array) -> tuple[Array, Array]:
    """Add in 16 bits, as a reduction in its input's type does."""
    total = np.zeros(len(x), np.float16)
    for column in x.astype(np.float16).T:
        total += column
    return total.astype(np.float32), x.sum(axis=0)


def _one_term(x: Array) -> tuple[Array, Array]:
    kept = x.copy()
    kept[17, 3] = 0
    return kept.sum(axis=1), x.sum(axis=0)


FAULTS: dict[str, Fault] = {
    "rows for columns": lambda x: _sums(x.T),
    "a row missing": lambda x: (x.sum(axis=1), x[1:].sum(axis=0)),
    "one term missing": _one_term,
    "means": lambda x: (x.mean(axis=1), x.mean(axis=0)),
    "TF32 inputs": lambda x: _sums(rounded(x, 10)),
    "added in half": _in_half,
    "factor of 1.001": lambda x: tuple(np.float32(1.001) * s for s in _sums(x)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails(fault: str) -> None:
    """What is not a sum in float32 does not pass for one."""
    assert not judge(W, 256, FAULTS[fault]).passed


@pytest.mark.parametrize("size", [64, 1024])
def test_any_order_of_addition_passes(size: int) -> None:
    """One by one, in pairs, or backwards: libraries differ, and all of them are right."""

    def one_by_one(x: Array) -> tuple[Array, Array]:
        total = np.zeros(len(x), np.float32)
        for column in x.T[::-1]:
            total += column
        return total, x[::-1].sum(axis=0)

    found = judge(W, size, one_by_one)
    assert found.passed
    assert found.class_ == "float32"


def test_work_is_counted_by_hand() -> None:
    """3 x 3: two additions a row and a column; nine elements read twice, six sums written."""
    assert W.work(3, "float32").flops == 3 * 2 + 3 * 2
    assert W.work(3, "float32").bytes == (2 * 9 + 6) * 4
    assert W.need(10, "float64").host == (100 + 40) * 8


def test_references_are_sums_in_float64() -> None:
    """Of more rows than one block has, with the sums of absolute values beside them."""
    inputs, reference = W.make(1100, "float32", 42)
    wide = inputs["x"].astype(np.float64)
    np.testing.assert_allclose(reference["sums"], _sums(wide), rtol=0, atol=1e-10)
    np.testing.assert_allclose(reference["terms"], _sums(np.abs(wide)), rtol=1e-13)
