"""How far the factors of a matrix are from being its decomposition."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.stats.factors import (
    factor_bound,
    orthogonality_error,
    residual_error,
    values_error,
)

Array = np.ndarray[Any, Any]
N = 40


def _factors(n: int = N, seed: int = 0, kind: type = np.float64) -> tuple[Array, ...]:
    a = np.random.default_rng(seed).standard_normal((n, n)).astype(kind)
    return (a.astype(np.float64), *np.linalg.svd(a, full_matrices=False))


@settings(max_examples=25)
@given(st.integers(1, 60), st.integers(0, 5), st.sampled_from([np.float32, np.float64]))
def test_honest_factors_are_within_the_bound(n: int, seed: int, kind: type) -> None:
    """Of any size and seed, in both types: residual, orthogonality and values."""
    a, u, s, vt = _factors(n, seed, kind)
    rows = np.arange(0, n, 3)
    bound = 2 * factor_bound(n, 2.0**-24 if kind is np.float32 else 2.0**-53)
    assert residual_error(u, s, vt, rows, a[rows]) <= bound
    assert orthogonality_error(u, rows) <= bound
    assert orthogonality_error(vt.T, rows) <= bound
    assert values_error(s, np.linalg.svd(a, compute_uv=False)) <= bound


def test_signs_are_free() -> None:
    """A vector turned round with its partner is as good a factor."""
    a, u, s, vt = _factors()
    turned = np.where(np.arange(N) % 3 == 0, -1.0, 1.0)
    rows = np.arange(N)
    assert residual_error(u * turned, s, (vt.T * turned).T, rows, a) < 1e-13
    assert residual_error(u * turned, s, vt, rows, a) > 0.1


FAULTS: dict[str, Callable[[Array], Array]] = {
    "a column twice as long": lambda q: q * np.where(np.arange(N) == N - 1, 2.0, 1.0),
    "a column taken twice": lambda q: q[:, [0, *range(N - 1)]],
    "a column mixed in": lambda q: q + 1e-3 * q[:, [0]],
    "zeros": np.zeros_like,
    "one element": lambda q: q + 1e-3 * (np.arange(N * N).reshape(N, N) == 77),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_columns_that_are_not_orthonormal_are_seen(fault: str) -> None:
    """Lengths are taken of all columns, products of the sampled ones with all others."""
    _, u, _, _ = _factors()
    assert orthogonality_error(FAULTS[fault](u), np.array([0, 5, 9])) > 1e-6


def test_values_must_descend_and_be_no_less_than_zero() -> None:
    """A value of the wrong order, sign or size is an error without bound; a small one is told."""
    _, _, s, _ = _factors()
    assert values_error(s, s) == 0
    assert values_error(s[::-1], s) == math.inf
    assert values_error(np.append(s[:-1], -s[-1]), s) == math.inf
    assert values_error(s[:-1], s) == math.inf
    assert values_error(s * (1 + 1e-5), s) == pytest.approx(1e-5)


def test_the_residual_is_relative_to_the_rows() -> None:
    """A factor of 1.001 is an error of one thousandth, whatever the scale; blocks do not matter."""
    a, u, s, vt = _factors()
    rows = np.array([1, 7])
    for scale in (1e-6, 1.0, 1e6):
        found = residual_error(u, 1.001 * scale * s, vt, rows, scale * a[rows])
        assert found == pytest.approx(1e-3)
    wide = np.tile(vt, (1, 60))
    assert residual_error(u, s, wide, rows, np.tile(a[rows], (1, 60))) < 1e-13
    assert residual_error(u, 0 * s, wide, rows, np.tile(a[rows], (1, 60))) == pytest.approx(1)


@given(st.integers(1, 10_000))
def test_the_bound_grows_with_the_root_of_the_side(n: int) -> None:
    """Four times the side doubles it."""
    assert factor_bound(4 * n, 2.0**-24) == pytest.approx(2 * factor_bound(n, 2.0**-24))
