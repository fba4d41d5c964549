"""Values put in ascending order."""

from __future__ import annotations

import numpy as np
import pytest

from breakeven.workloads.sort import Sort
from workloads.faults import Array, Fault, judge
from workloads.opened import rounded

W = Sort()


def _swapped(x: Array) -> Array:
    y = np.sort(x)
    y[[500, 501]] = y[[501, 500]]
    return y


def _twice(x: Array) -> Array:
    y = np.sort(x)
    y[500] = y[501]
    return y


def _one_ulp(x: Array) -> Array:
    y = np.sort(x)
    y[3] = np.nextafter(y[3], np.float32(np.inf))
    return y


FAULTS: dict[str, Fault] = {
    "as it came": lambda x: x,
    "descending": lambda x: np.sort(x)[::-1].copy(),
    "neighbours swapped": _swapped,
    "a value twice, another lost": _twice,
    "one value by one ulp": _one_ulp,
    "by size alone": lambda x: x[np.argsort(np.abs(x))],
    "TF32 values": lambda x: np.sort(rounded(x, 10)),
    "sorted in pieces": lambda x: np.sort(x.reshape(10, -1), axis=1).ravel(),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails(fault: str) -> None:
    """Anything but all values, in order, unchanged, does not pass."""
    assert not judge(W, 1000, FAULTS[fault]).passed


def test_an_exact_answer_has_no_error() -> None:
    """Nothing is rounded: error and bound are 0."""
    found = judge(W, 1000, np.sort)
    assert (found.passed, found.error, found.bound) == (True, 0, 0)


def test_places_beside_the_values_are_left_behind() -> None:
    """A library that returns both is served; the answer is the values."""

    class Both:
        @staticmethod
        def sort(x: Array) -> tuple[Array, Array]:
            return np.sort(x), np.argsort(x)

    inputs, reference = W.make(100, "float32", 42)
    answer = W.run(Both, tuple(inputs.values()))
    assert len(answer.arrays) == 1
    assert W.check(answer.arrays, (), reference, "float32").passed


def test_sixteen_bits_are_the_rounded_values_in_order() -> None:
    """Rounding keeps the order; what was not rounded did not come from 16 bits."""
    inputs, reference = W.make(1000, "float32", 42)
    half = np.sort(inputs["x"].astype(np.float16)).astype(np.float32)
    found = W.check((half,), (), reference, "float16")
    assert found.passed
    assert found.class_ == "TF32/half"
    assert found.error == found.bound > 0
    assert not W.check((np.sort(inputs["x"]),), (), reference, "float16").passed
    assert not W.check((half,), (), reference, "bfloat16").passed


def test_work_is_counted_by_hand() -> None:
    """Eight values: 8 x 3 comparisons; each read and written once."""
    assert W.work(8, "float32").flops == 24
    assert W.work(8, "float64").bytes == 128
