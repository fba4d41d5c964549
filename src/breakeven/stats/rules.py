"""Rules by which an answer passes for its reference: how far each element may lie from it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from breakeven.model.run import Agreement
from breakeven.model.spec import Precision
from breakeven.stats.agreement import classify, honest, relative_error, same_nonfinite

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

CPU_TIMES, PROBE_TIMES, SCALE_TIMES = 3.0, 10.0, 8.0
"""How many times the CPU's own error, the effect of one ulp, and u of the scale are allowed."""


def without_products(precision: Precision) -> Precision:
    """Return what work without matrix products is computed in: TF32 changes nothing there."""
    return "float32" if precision == "tf32" else precision


def default_bound(slack: float, scale: float, unit_roundoff: float) -> float:
    """Return the largest error of the default rule, ``3 e_cpu + 8 u scale``.

    Parameters
    ----------
    slack : float
        What the CPU's own error allows, in units of its unit roundoff: `cpu_slack`, or in float64
        `probe_slack`.
    scale : float
        Largest absolute value of the reference.
    unit_roundoff : float
        Of what was computed in.
    """
    return unit_roundoff * (slack + SCALE_TIMES * scale)


def cpu_slack(result: npt.ArrayLike, reference: npt.ArrayLike, unit_roundoff: float) -> float:
    """Return three times the largest error of the CPU's answer, in units of its roundoff."""
    return CPU_TIMES * _largest(result, reference) / unit_roundoff


def probe_slack(moved: npt.ArrayLike, reference: npt.ArrayLike, unit_roundoff: float) -> float:
    """Return ten times what inputs moved by one unit in the last place change, in roundoffs.

    It stands in for the CPU's error where there is no finer arithmetic to measure that with.
    """
    return PROBE_TIMES * _largest(moved, reference) / unit_roundoff


def _largest(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    difference = np.abs(np.asarray(one) - np.asarray(other))
    return float(np.max(difference, initial=0.0))


def distance_bound(
    distances: npt.ArrayLike, terms: npt.ArrayLike, k: int, unit_roundoff: float
) -> Floats:
    """Return the largest error of a distance that is the root of a sum with cancellation.

    A squared distance s, summed up from ``|x|**2 + |y|**2 - 2 x.y``, errs by ``e <= 4 sqrt(k) u``
    of its absolute terms. The root then errs by ``e / (sqrt(s) + sqrt(s'))``, so by no more than
    ``e / sqrt(s)`` and ``sqrt(e)``, and by a rounding of its own.

    Parameters
    ----------
    distances : array_like
        Exact distances.
    terms : array_like
        Sums of absolute terms of the squared distances, same shape.
    k : int
        Terms of each sum.
    """
    exact = np.asarray(distances, dtype=np.float64)
    squared = 4.0 * math.sqrt(k) * unit_roundoff * np.asarray(terms, dtype=np.float64)
    with np.errstate(divide="ignore"):
        moved = np.minimum(np.sqrt(squared), squared / exact)
    return np.asarray(moved + unit_roundoff * exact, dtype=np.float64)


def as_stored(values: npt.ArrayLike, precision: Precision) -> Floats:
    """Return values rounded to what `precision` stores: half to even, in float64.

    Values beyond the range of float16 become infinite, as they do on a device.
    """
    wide = np.asarray(values, dtype=np.float64)
    match precision:
        case "float64":
            return wide
        case "bfloat16":
            bits = wide.astype(np.float32).view(np.uint32)
            odd = (bits >> np.uint32(16)) & np.uint32(1)
            rounded = (bits + np.uint32(0x7FFF) + odd) & np.uint32(0xFFFF0000)
            return rounded.view(np.float32).astype(np.float64)
        case "float16":
            with np.errstate(over="ignore"):
                return wide.astype(np.float16).astype(np.float64)
        case _:
            return wide.astype(np.float32).astype(np.float64)


def whole(result: Array, shape: tuple[int, ...]) -> bool:
    """Return whether an answer has the shape that it must have and holds finite values alone."""
    return result.shape == tuple(shape) and bool(np.isfinite(result).all())


def judged(
    result: npt.ArrayLike,
    reference: npt.ArrayLike,
    bound: npt.ArrayLike,
    precision: Precision,
    rule: str,
    *,
    complete: bool = True,
) -> Agreement:
    """Return how an answer compares: it passes within its bound, with errors of its precision.

    Each element must be within its bound, NaN and infinities must stand where they do in the
    reference, and the whole error must be of the class of what was computed in. The bound shown
    is the norm of the bounds over that of the reference: the same scale as the error shown.

    Parameters
    ----------
    result, reference : array_like
        Sampled elements, the same ones of both; of the reference in float64 or complex128.
    bound : array_like
        Largest absolute error, of all elements or of each.
    rule : str
        The rule in words.
    complete : bool
        Whether the whole answer, not just its sample, has the right shape and finite values.
    """
    got, want = np.asarray(result), np.asarray(reference)
    limit = np.broadcast_to(np.asarray(bound, dtype=np.float64), want.shape)
    passed = complete and same_nonfinite(got, want)
    if passed:
        finite = np.isfinite(want)
        passed = bool(np.all(np.abs(got[finite] - want[finite]) <= limit[finite]))
    error = relative_error(got, want)
    norm = float(np.linalg.norm(want[np.isfinite(want)]))
    return Agreement(
        error=error,
        bound=float(np.linalg.norm(limit)) / norm if norm > 0 else 0.0,
        class_=classify(error),
        passed=passed and honest(classify(error), precision),
        rule=rule,
    )
