"""Fourier transform of a real signal."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.workloads.fft import Fft, fast_length
from workloads.faults import Array, Fault, judge
from workloads.opened import rounded

W = Fft()


def _direct(x: Array) -> Array:
    """Sum the definition, in float64."""
    n = len(x)
    k = np.arange(n // 2 + 1)
    return np.exp(-2j * np.pi * np.outer(k, np.arange(n)) / n) @ x.astype(np.float64)


def _one_bin(x: Array) -> Array:
    y = np.fft.rfft(x)
    y[100] *= np.complex64(1.001)
    return y


FAULTS: dict[str, tuple[Fault, set[str]]] = {
    "the inverse": (lambda x: np.conj(np.fft.rfft(x)), {"wrong"}),
    "scaled": (lambda x: np.fft.rfft(x, norm="ortho"), {"wrong"}),
    "both halves": (np.fft.fft, {"wrong"}),
    "TF32 inputs": (lambda x: np.fft.rfft(rounded(x, 10)), {"TF32/half"}),
    "factor of 1.0001": (lambda x: np.complex64(1.0001) * np.fft.rfft(x), {"TF32/half"}),
    "a window": (lambda x: np.fft.rfft(x * np.hanning(len(x)).astype(x.dtype)), {"wrong"}),
    "one value": (_one_bin, {"float32", "TF32/half"}),
    "a sample late": (lambda x: np.fft.rfft(np.roll(x, 1)), {"wrong"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails_and_is_classed(fault: str) -> None:
    """What is not the spectrum in float32 does not pass for it."""
    compute, classes = FAULTS[fault]
    found = judge(W, 4096, compute)
    assert not found.passed
    assert found.class_ in classes


def test_references_are_what_the_definition_says() -> None:
    """The spectrum of 400 samples, summed term by term."""
    inputs, reference = W.make(400, "float32", 42)
    np.testing.assert_allclose(reference["want"], _direct(inputs["x"]), rtol=0, atol=1e-9)


def test_float32_is_transformed_in_float32() -> None:
    """On NumPy as well, since its version 2: else its time would be that of other work."""
    inputs, _ = W.make(512, "float32", 42)
    (spectrum,) = W.run(np, tuple(inputs.values())).arrays
    assert spectrum.dtype == np.complex64


@given(st.integers(1, 1 << 22))
def test_lengths_have_small_factors_and_are_the_least(size: int) -> None:
    """No product of 2, 3 and 5 lies between a size and the length that it gets."""
    length = fast_length(size)
    rest = length
    for factor in (2, 3, 5):
        while rest % factor == 0:
            rest //= factor
    assert rest == 1
    assert size <= length < 2 * size
    assert fast_length(length) == length


def test_lengths_of_a_few_sizes() -> None:
    """By hand, up to the first that has no such factors."""
    assert [fast_length(n) for n in (1, 2, 7, 8, 11, 13, 31, 49, 97, 121)] == [
        1, 2, 8, 8, 12, 15, 32, 50, 100, 125,
    ]  # fmt: skip
    assert all(fast_length(n) == n for n in W.sizes)


def test_work_is_counted_by_hand() -> None:
    """8 samples: half of 5 x 8 x 3; eight read, five complex values written."""
    assert W.work(8, "float32").flops == 60
    assert W.work(7, "float32").flops == 60
    assert W.work(8, "float32").bytes == (8 + 2 * 5) * 4
    assert math.isclose(W.work(1000, "float64").flops, 2.5 * 1000 * math.log2(1000))


@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
def test_sixteen_bits_are_not_claimed(precision: str) -> None:
    """A library that widens the signal has not computed in what was asked for."""
    inputs, reference = W.make(64, "float32", 42)
    spectrum = np.fft.rfft(inputs["x"])
    with pytest.raises(NotImplementedError, match=precision):
        W.check((spectrum,), (), reference, precision)  # type: ignore[arg-type]
