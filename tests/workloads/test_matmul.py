"""The product of two matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from breakeven.model.spec import DType
from breakeven.workloads.matmul import SAMPLED_ROWS, Matmul
from workloads.opened import Opened, rounded

Array = np.ndarray[Any, Any]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1, 2, 100, 300])
def test_every_backend_agrees_with_the_reference(backend: Opened, size: int, dtype: DType) -> None:
    """A product is within the bound of its arithmetic, and in its class."""
    found = backend.agreement(Matmul(), size, dtype)
    assert found.passed
    assert found.error <= found.bound
    assert found.class_ in ({"float64"} if dtype == "float64" else {"float32", "float64"})


def test_inputs_are_left_as_they_are(backend: Opened) -> None:
    """A repeat computes from what the first call had."""
    inputs, _ = Matmul().make(64, "float32", 42)
    before = {name: array.copy() for name, array in inputs.items()}
    backend.run(Matmul(), tuple(inputs.values()))
    assert all(np.array_equal(inputs[name], before[name]) for name in inputs)


def _nan(a: Array, b: Array) -> Array:
    made = a @ b
    made[:, 0] = np.nan
    return made


FAULTS: dict[str, tuple[Callable[[Array, Array], Array], set[str]]] = {
    "transposed input": (lambda a, b: a.T @ b, {"wrong"}),
    # 1e-3 is where TF32 ends and bfloat16 begins.
    "factor of 1.001": (lambda a, b: (a @ b) * np.float32(1.001), {"TF32/half", "bfloat16"}),
    "TF32 inputs": (lambda a, b: rounded(a, 10) @ rounded(b, 10), {"TF32/half"}),
    "bfloat16 inputs": (lambda a, b: rounded(a, 7) @ rounded(b, 7), {"bfloat16"}),
    "NaN in a column": (_nan, {"wrong"}),
    "a term missing": (lambda a, b: a[:, 1:] @ b[1:], {"bfloat16", "wrong"}),
    "zeros": (lambda a, b: np.zeros_like(a @ b), {"wrong"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails_and_is_classed(fault: str) -> None:
    """What is not a float32 product does not pass for one."""
    compute, expected = FAULTS[fault]
    inputs, reference = Matmul().make(256, "float32", 42)
    found = Matmul().check((compute(inputs["a"], inputs["b"]),), (), reference, "float32")
    assert not found.passed
    assert found.class_ in expected


@pytest.mark.parametrize(("bits", "passes"), [(None, True), (10, False)])
def test_reduced_inputs_do_not_hide_in_a_long_sum(bits: int | None, passes: bool) -> None:
    """The bound of a sum of 65,536 terms is wider than TF32's error: its class tells them apart."""
    size, rng = 65_536, np.random.default_rng(42)
    left = rng.standard_normal((16, size), dtype=np.float32)
    right = rng.standard_normal((size, 4), dtype=np.float32)
    exact = left.astype(np.float64), right.astype(np.float64)
    reference = {
        "rows": np.arange(16),
        "product": exact[0] @ exact[1],
        "terms": np.abs(exact[0]) @ np.abs(exact[1]),
    }
    result = np.zeros((size, 4), np.float32)
    result[:16] = left @ right if bits is None else rounded(left, bits) @ rounded(right, bits)
    found = Matmul().check((result,), (), reference, "float32")
    assert found.passed is passes
    assert found.class_ == ("float32" if passes else "TF32/half")


def test_one_wrong_element_fails() -> None:
    """A single NaN, or one element off by ten bounds, in a sampled row is enough."""
    inputs, reference = Matmul().make(64, "float32", 42)
    row = int(reference["rows"][3])
    for spoil in (np.nan, np.inf):
        made = inputs["a"] @ inputs["b"]
        made[row, 5] = spoil
        found = Matmul().check((made,), (), reference, "float32")
        assert (found.passed, found.class_) == (False, "wrong")
    made = inputs["a"] @ inputs["b"]
    made[row, 5] += 10 * 4 * np.sqrt(64) * 2.0**-24 * reference["terms"][3, 5]
    assert not Matmul().check((made,), (), reference, "float32").passed


def test_a_float32_answer_is_no_float64_answer() -> None:
    """Arithmetic in half the digits fails where all were asked for."""
    inputs, reference = Matmul().make(128, "float64", 42)
    low = (inputs["a"].astype(np.float32) @ inputs["b"].astype(np.float32)).astype(np.float64)
    found = Matmul().check((low,), (), reference, "float64")
    assert (found.passed, found.class_) == (False, "float32")


def test_the_same_seed_makes_the_same_case() -> None:
    """Inputs and references follow from seed and size; either makes other values."""
    one, two = (Matmul().make(32, "float32", 42) for _ in range(2))
    for left, right in zip(one, two, strict=True):
        assert all(np.array_equal(left[name], right[name]) for name in left)
    other = Matmul().make(32, "float32", 43)[0]
    assert not np.array_equal(one[0]["a"], other["a"])
    assert not np.array_equal(one[0]["a"], one[0]["b"])


def test_references_are_sampled_rows_in_float64() -> None:
    """Rows come ascending, each once; a case with fewer has them all."""
    for size in (5, 1500):
        inputs, reference = Matmul().make(size, "float32", 42)
        rows = reference["rows"]
        assert len(rows) == min(SAMPLED_ROWS, size)
        assert np.all(np.diff(rows) > 0)
        exact = inputs["a"][rows].astype(np.float64) @ inputs["b"].astype(np.float64)
        assert reference["product"].dtype == np.float64
        np.testing.assert_allclose(reference["product"], exact, rtol=0, atol=1e-11)


def test_work_is_counted_by_hand() -> None:
    """2 x 2: eight products and eight sums; twelve elements of four or eight bytes."""
    assert Matmul().work(2, "float32").flops == 16
    assert Matmul().work(2, "float32").bytes == 48
    assert Matmul().work(2, "float64").bytes == 96
    assert Matmul().need(10, "float64").host == 4 * 800


def test_every_type_has_the_same_values() -> None:
    """Inputs in float32 are those in float64, rounded: blocks of rows leave no seam."""
    wide, _ = Matmul().make(40, "float64", 7)
    narrow, _ = Matmul().make(40, "float32", 7)
    for name, values in wide.items():
        assert np.array_equal(values.astype(np.float32), narrow[name])
        assert not np.array_equal(values, narrow[name])
