"""Lengths of vectors, element by element."""

from __future__ import annotations

import numpy as np
import pytest

from breakeven.workloads.elementwise import Elementwise
from workloads.faults import Array, Fault, judge, right
from workloads.opened import rounded

W = Elementwise()


def _changed(at: int, factor: float) -> Fault:
    def made(x: Array, y: Array) -> Array:
        z = right(W, x, y)
        z[at] *= factor
        return z

    return made


def _unfinished(x: Array, y: Array) -> Array:
    z = right(W, x, y)
    z[int(0.99 * len(z)) :] = 0
    return z


FAULTS: dict[str, tuple[Fault, set[str]]] = {
    "no root": (lambda x, y: x * x + y * y, {"wrong"}),
    "one vector alone": (lambda x, y: np.abs(x) + 0 * y, {"wrong"}),
    "factor of 1.00001": (lambda x, y: np.float32(1.00001) * right(W, x, y), {"float32"}),
    "TF32 inputs": (lambda x, y: right(W, rounded(x, 10), rounded(y, 10)), {"TF32/half"}),
    "bfloat16 inputs": (lambda x, y: right(W, rounded(x, 7), rounded(y, 7)), {"bfloat16"}),
    "shifted by one": (lambda x, y: right(W, np.roll(x, 1), y), {"wrong"}),
    "the last hundredth left out": (_unfinished, {"wrong", "bfloat16"}),
    "the first element": (_changed(0, 1.0001), {"float32", "float64"}),
    "the last element": (_changed(-1, 1.0001), {"float32", "float64"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails_and_is_classed(fault: str) -> None:
    """What is not a length in float32 does not pass for one, in an array that is sampled."""
    compute, classes = FAULTS[fault]
    found = judge(W, 100_000, compute)
    assert not found.passed
    assert found.class_ in classes


def test_another_order_of_rounding_passes() -> None:
    """A library may fuse the products with the sum: that is no fault."""
    assert judge(W, 1000, np.hypot).passed


def test_work_is_counted_by_hand() -> None:
    """Three elements: twelve operations; x x, y y, their sum and its root touch nine each."""
    assert W.work(3, "float32").flops == 12
    assert W.work(3, "float32").bytes == 3 * (2 + 2 + 3 + 2) * 4
    assert W.need(10, "float64").host == 6 * 80


def test_references_are_lengths_in_float64() -> None:
    """At each sampled place, of the values that the library gets."""
    inputs, reference = W.make(1000, "float32", 42)
    wide = [inputs[k].astype(np.float64) for k in ("x", "y")]
    assert np.array_equal(reference["places"], np.arange(1000))
    np.testing.assert_allclose(reference["want"], np.hypot(*wide), rtol=1e-15)
    # NumPy's own float32 errs by about one roundoff of the value: its slack is a few of them.
    assert 0.5 < reference["slack"][0] / reference["scale"][0] < 10
