"""How far the factors of a matrix are from being its decomposition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

FACTOR_TIMES = 16.0
"""Two LAPACKs err by up to 6 sqrt(N) u, small matrices most."""


def factor_bound(size: int, unit_roundoff: float) -> float:
    """Return the largest relative residual of a decomposition, and departure from orthogonality.

    The guaranteed bound grows with N u (Higham, Accuracy and Stability of Numerical Algorithms,
    chapter 19, for the reflections that it is made of); errors of many signs grow with sqrt(N) u.
    """
    return FACTOR_TIMES * math.sqrt(size) * unit_roundoff


def residual_error(
    left: Array, values: Array, right: Array, rows: Array, matrix_rows: Array
) -> float:
    """Return the norm of ``U S Vt - A`` over that of A, both of some rows.

    Parameters
    ----------
    left, values, right : ndarray
        U (N, K), S (K,), Vt (K, M).
    rows : ndarray of int
        Which rows.
    matrix_rows : ndarray of float64
        These rows of A.
    """
    wide = left[rows].astype(np.float64) * values.astype(np.float64)
    # Vt in blocks of columns: a float64 copy of it never stands whole in memory.
    squared = 0.0
    for start in range(0, right.shape[1], 1024):
        block = wide @ right[:, start : start + 1024].astype(np.float64)
        squared += float(np.sum((block - matrix_rows[:, start : start + 1024]) ** 2))
    norm = float(np.linalg.norm(matrix_rows))
    return math.sqrt(squared) / norm if norm > 0 else math.sqrt(squared)


def orthogonality_error(columns: Array, sampled: Array) -> float:
    """Return the largest departure of inner products of columns from 0, of their squares from 1.

    Parameters
    ----------
    columns : ndarray
        Q (N, K), whose columns should be orthonormal.
    sampled : ndarray of int
        Columns whose products with all others are formed; the lengths of all are.
    """
    wide = columns.astype(np.float64)
    products = wide.T @ wide[:, sampled]
    products[sampled, np.arange(len(sampled))] -= 1.0
    lengths = np.einsum("ij,ij->j", wide, wide) - 1.0
    return float(max(np.max(np.abs(products)), np.max(np.abs(lengths))))


def values_error(values: Array, reference: Array) -> float:
    """Return the largest error of singular values over the largest of them.

    Infinite where they do not descend, or where one is negative.
    """
    got = values.astype(np.float64)
    if got.shape != reference.shape or bool(np.any(np.diff(got) > 0)) or bool(np.any(got < 0)):
        return math.inf
    scale = float(reference[0])
    error = float(np.max(np.abs(got - reference)))
    return error / scale if scale > 0 else error
