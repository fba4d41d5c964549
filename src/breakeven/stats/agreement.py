"""How far an answer lies from its reference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from breakeven.stats.classes import UNIT_ROUNDOFF, WRONG, classify, honest

__all__ = [
    "UNIT_ROUNDOFF",
    "WRONG",
    "classify",
    "honest",
    "product_bound",
    "relative_error",
    "same_nonfinite",
]

Array = npt.NDArray[Any]


def _wide(values: npt.ArrayLike) -> Array:
    array = np.asarray(values)
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def same_nonfinite(result: npt.ArrayLike, reference: npt.ArrayLike) -> bool:
    """Return whether NaN and each infinity stand at the same places in both arrays.

    Parameters
    ----------
    result, reference : array_like
        Any shape and numeric dtype; different shapes are never the same.
    """
    a, b = _wide(result), _wide(reference)
    if a.shape != b.shape:
        return False
    for part_a, part_b in ((a.real, b.real), (a.imag, b.imag)):
        same = (
            (np.isnan(part_a) == np.isnan(part_b))
            & (np.isposinf(part_a) == np.isposinf(part_b))
            & (np.isneginf(part_a) == np.isneginf(part_b))
        )
        if not bool(same.all()):
            return False
    return True


def relative_error(result: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Return the Frobenius norm of the difference over that of the reference.

    Parameters
    ----------
    result, reference : array_like
        Any shape and numeric dtype; the arithmetic is done in float64 (complex128).

    Returns
    -------
    float
        0 for equal arrays; infinity when shapes, or places of NaN or infinity, differ, or when
        only the reference is zero. Places that are not finite in both alike are left out.
    """
    a, b = _wide(result), _wide(reference)
    if not same_nonfinite(a, b):
        return math.inf
    finite = np.isfinite(b)
    a, b = a[finite], b[finite]
    if a.size == 0:
        return 0.0
    # Squares of values near the ends of the range would overflow or vanish.
    scale = float(np.max(np.abs(b)))
    if scale == 0.0:
        return 0.0 if not a.any() else math.inf
    a, b = a / scale, b / scale
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def product_bound(terms: npt.ArrayLike, k: int, unit_roundoff: float) -> npt.NDArray[np.float64]:
    """Return the largest error that a sum of `k` products may have, element by element.

    Parameters
    ----------
    terms : array_like
        For each element the sum of the absolute values of its terms, such as ``|A| @ |B|``.
    k : int
        Terms of each sum.
    unit_roundoff : float
        Of the arithmetic that accumulates: 2**-24 for float32, 2**-53 for float64.

    Returns
    -------
    ndarray of float64
        ``4 sqrt(k) u terms``, the shape of `terms`.
    """
    bound = 4.0 * math.sqrt(k) * unit_roundoff * np.asarray(terms, dtype=np.float64)
    return np.asarray(bound, dtype=np.float64)
