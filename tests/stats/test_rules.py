"""Rules by which an answer passes for its reference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from breakeven.model.spec import Precision
from breakeven.stats.agreement import UNIT_ROUNDOFF
from breakeven.stats.rules import (
    as_stored,
    cpu_slack,
    default_bound,
    distance_bound,
    judged,
    probe_slack,
    whole,
    without_products,
)

Array = np.ndarray[Any, Any]
U = 2.0**-24
FINITE = st.floats(-1e4, 1e4, width=32)


@given(st.floats(0, 1e3), st.floats(0, 1e3), st.sampled_from([2.0**-8, U, 2.0**-53]))
def test_the_default_bound_is_three_cpu_errors_and_eight_roundoffs(
    error: float, scale: float, u: float
) -> None:
    """3 e_cpu + 8 u scale, with the CPU's error measured in roundoffs of its own type."""
    slack = cpu_slack([error], [0.0], u)
    assert default_bound(slack, scale, u) == pytest.approx(3 * error + 8 * u * scale)
    assert probe_slack([error], [0.0], u) == pytest.approx(10 / 3 * slack)


def test_the_cpu_counts_with_its_largest_error() -> None:
    """One element that errs most sets the slack, whatever its sign; nothing compared has none."""
    assert cpu_slack([1.0, 2.0 - 4 * U, 3.0], [1.0, 2.0, 3.0], U) == pytest.approx(12)
    assert cpu_slack([], [], U) == 0


def test_tf32_touches_products_alone() -> None:
    """Work without matrix products is held to float32 where TF32 is on."""
    assert without_products("tf32") == "float32"
    assert without_products("bfloat16") == "bfloat16"


@given(arrays(np.float32, 20, elements=FINITE))
def test_what_is_stored_is_the_nearest_value(values: Array) -> None:
    """Rounding errs by one unit roundoff at most, twice changes nothing, and order is kept."""
    for precision in ("float16", "bfloat16", "float32", "float64"):
        stored = as_stored(values, precision)
        normal = np.abs(values) >= 2.0**-14
        error = np.abs(stored - values)[normal]
        assert np.all(error <= UNIT_ROUNDOFF[precision] * np.abs(values.astype(float))[normal])
        assert np.array_equal(as_stored(stored, precision), stored)
        assert np.all(np.diff(as_stored(np.sort(values), precision)) >= 0)


def test_bfloat16_is_rounded_as_pytorch_does() -> None:
    """Ties go to the even neighbour; every value equals what PyTorch stores."""
    torch = pytest.importorskip("torch")
    values = np.random.default_rng(1).standard_normal(10_000).astype(np.float32)
    ties = np.array([1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-8, 0.0], np.float32)
    for each in (values, ties):
        for precision in ("bfloat16", "float16"):
            theirs = torch.from_numpy(each).to(getattr(torch, precision)).double().numpy()
            assert np.array_equal(as_stored(each, precision), theirs)


def _distances(x: Array, y: Array, kind: type) -> Array:
    x, y = x.astype(kind), y.astype(kind)
    squares = np.sum(x * x, axis=1, keepdims=True) + np.sum(y * y, axis=1, keepdims=True).T
    made: Array = np.sqrt(np.clip(squares - 2 * (x @ y.T), 0, None)).astype(np.float64)
    return made


@pytest.mark.parametrize("apart", [0.0, 1e-4, 1e-2, 1.0, 10.0])
def test_the_distance_bound_holds_where_terms_cancel(apart: float) -> None:
    """Points that nearly coincide err most: float32 stays within the bound, half does not."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((40, 32)).astype(np.float32)
    y = (x[::-1] + apart * rng.standard_normal((40, 32))).astype(np.float32)
    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
    want = np.sqrt(((wide_x[:, None] - wide_y) ** 2).sum(axis=2))
    squares = (wide_x**2).sum(axis=1)[:, None] + (wide_y**2).sum(axis=1)
    bound = distance_bound(want, squares + 2 * np.abs(wide_x) @ np.abs(wide_y).T, 32, U)
    assert np.all(np.abs(_distances(x, y, np.float32) - want) <= bound)
    assert not np.all(np.abs(_distances(x, y, np.float16) - want) <= bound)


def test_an_answer_passes_within_its_bound_and_not_beyond() -> None:
    """One element on the bound passes, one beyond it fails; the bound shown is relative."""
    want = np.array([3.0, 4.0])
    found = judged(want + np.array([1e-7, 0]), want, [1.1e-7, 0.0], "float32", "a rule")
    assert found.passed
    assert found.bound == pytest.approx(1.1e-7 / 5)
    assert found.error == pytest.approx(1e-7 / 5)
    assert found.rule == "a rule"
    assert not judged(want + np.array([1.2e-7, 0]), want, [1.1e-7, 0.0], "float32", "").passed
    assert not judged(want + np.array([0, 1e-9]), want, [1.0, 0.0], "float32", "").passed


def test_a_wide_bound_does_not_hide_coarse_arithmetic() -> None:
    """An error of TF32's class is none of float32, however far apart elements may lie."""
    want = np.ones(100)
    coarse = want * (1 + 3e-4)
    assert not judged(coarse, want, 1.0, "float32", "").passed
    assert judged(coarse, want, 1.0, "tf32", "").passed


@pytest.mark.parametrize("spoilt", [math.nan, math.inf])
def test_values_that_are_no_numbers_must_stand_where_the_reference_has_them(spoilt: float) -> None:
    """NaN and infinity pass at the reference's own places alone."""
    reference = np.array([1.0, spoilt, 2.0])
    assert judged(reference.copy(), reference, 1e-9, "float32", "").passed
    for other in ([1.0, 2.0, 2.0], [spoilt, spoilt, 2.0], [1.0, 2.0, spoilt]):
        found = judged(other, reference, 1e9, "float32", "")
        assert (found.passed, found.class_) == (False, "wrong")


def test_a_sample_does_not_excuse_the_rest() -> None:
    """An answer whose sample is right fails where the whole is not."""
    want = np.ones(3)
    assert judged(want, want, 0.0, "float32", "").passed
    assert not judged(want, want, 0.0, "float32", "", complete=False).passed


def test_a_reference_of_zeros_is_met_by_zeros_alone() -> None:
    """There is nothing to be relative to: no bound is shown."""
    zero = np.zeros(3)
    assert judged(zero, zero, 0.0, "float32", "").passed
    assert judged(zero, zero, 0.0, "float32", "").bound == 0
    assert not judged(zero + 1e-30, zero, 0.0, "float32", "").passed


def test_complex_answers_are_judged_by_both_parts() -> None:
    """An error in the imaginary part counts as one in the real part."""
    want = np.array([1 + 1j, 2 - 3j])
    assert judged(want + 1e-7j, want, 2e-7, "float32", "").passed
    assert not judged(want + 3e-7j, want, 2e-7, "float32", "").passed


def test_a_whole_answer_has_its_shape_and_finite_values() -> None:
    """Another shape, or a single NaN, is not the whole answer."""
    assert whole(np.ones((2, 3)), (2, 3))
    assert not whole(np.ones((3, 2)), (2, 3))
    assert not whole(np.array([1.0, np.nan]), (2,))


@pytest.mark.parametrize("precision", ["float16", "bfloat16", "tf32", "float32", "float64"])
def test_the_bound_grows_with_the_roundoff(precision: Precision) -> None:
    """Coarser arithmetic is allowed more, in proportion."""
    u = UNIT_ROUNDOFF[precision]
    assert default_bound(2.0, 3.0, u) == pytest.approx(26 * u)
