"""Agreement of answers with their reference."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from breakeven.stats.agreement import classify, product_bound, relative_error, same_nonfinite


def _matrices(n: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, n)), rng.standard_normal((n, n))


def _rounded(a: NDArray[np.float64], bits: int) -> NDArray[np.float32]:
    """Round to `bits` bits after the leading one, as tensor cores do with their inputs."""
    mantissa, exponent = np.frexp(a)
    scale = 2.0 ** (bits + 1)
    return np.ldexp(np.round(mantissa * scale) / scale, exponent).astype(np.float32)


@pytest.mark.parametrize(
    ("bits", "expected"), [(None, "float32"), (10, "TF32/half"), (7, "bfloat16")]
)
@pytest.mark.parametrize("n", [64, 256])
def test_products_land_in_the_class_of_their_arithmetic(
    n: int, bits: int | None, expected: str
) -> None:
    """A float32 product, with inputs rounded to 10 or 7 bits, is told from the others."""
    a, b = _matrices(n)
    inputs = [m.astype(np.float32) if bits is None else _rounded(m, bits) for m in (a, b)]
    exact = a.astype(np.float32).astype(np.float64) @ b.astype(np.float32).astype(np.float64)
    assert classify(relative_error(inputs[0] @ inputs[1], exact)) == expected


def test_a_float64_product_is_in_its_class() -> None:
    """A product in another order of summation stays in the float64 class."""
    a, b = _matrices(128)
    assert classify(relative_error(a @ b, (b.T @ a.T).T)) == "float64"


@pytest.mark.parametrize("error", [0.3, math.inf, math.nan])
def test_large_or_undefined_errors_are_wrong(error: float) -> None:
    """An error beyond every arithmetic's, or none that can be computed, is wrong."""
    assert classify(error) == "wrong"


@given(st.floats(1e-17, 1e3), st.floats(1.0, 10.0))
def test_classes_get_rougher_with_the_error(error: float, factor: float) -> None:
    """A larger error never lands in a finer class."""
    order = ["float64", "float32", "TF32/half", "bfloat16", "wrong"]
    assert order.index(classify(error)) <= order.index(classify(error * factor))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_error_does_not_depend_on_the_scale(scale: float) -> None:
    """Values whose squares overflow or vanish have the same relative error as others."""
    a, _ = _matrices(16)
    assert relative_error(a * (1 + 1e-3) * scale, a * scale) == pytest.approx(1e-3, rel=1e-6)


def test_nonfinite_values_must_match() -> None:
    """NaN and infinities at the same places agree; elsewhere, or of the other sign, they do not."""
    reference = np.array([1.0, np.nan, np.inf, -np.inf])
    assert relative_error(reference.copy(), reference) == 0.0
    assert same_nonfinite(reference, reference)
    for other in ([1.0, 2.0, np.inf, -np.inf], [1.0, np.nan, -np.inf, -np.inf]):
        assert not same_nonfinite(other, reference)
        assert relative_error(other, reference) == math.inf


def test_another_shape_is_not_the_same_answer() -> None:
    """A result that would only match by broadcasting is wrong."""
    assert not same_nonfinite(np.ones(3), np.ones((1, 3)))
    assert relative_error(np.ones(3), np.ones((1, 3))) == math.inf


def test_a_zero_reference_is_met_only_by_zero() -> None:
    """Relative to nothing, any difference is infinite."""
    assert relative_error(np.zeros(4), np.zeros(4)) == 0.0
    assert relative_error(np.full(4, 1e-30), np.zeros(4)) == math.inf
    assert relative_error(np.zeros(0), np.zeros(0)) == 0.0


def test_complex_values_are_compared_as_such() -> None:
    """An error in the imaginary part counts."""
    reference = np.array([1 + 1j, 2 - 1j])
    assert relative_error(reference.real, reference) > 0.1
    assert relative_error(reference.copy(), reference) == 0.0


def test_the_product_bound_holds_for_float32() -> None:
    """A right float32 product stays within the bound, one with TF32 inputs does not."""
    a, b = _matrices(256)
    a32, b32 = a.astype(np.float32), b.astype(np.float32)
    exact = a32.astype(np.float64) @ b32.astype(np.float64)
    bound = product_bound(np.abs(a32) @ np.abs(b32), 256, 2.0**-24)
    assert bound.dtype == np.float64
    assert bool((np.abs(a32 @ b32 - exact) <= bound).all())
    assert not bool((np.abs(_rounded(a, 10) @ _rounded(b, 10) - exact) <= bound).all())
