"""Whether inputs take the time that data take: zeros, constants and NaN alone do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

# Biases and counters may well begin as zeros; data may not.
DULL_SHARE = 0.25
_SAMPLE = 4096
_WHY = "hardware computes those faster, and with less power, than data"
_FIX = "have the workload make random values from its seed"


def refusal(inputs: Mapping[str, Array]) -> str | None:
    """Return why inputs say nothing about real work; None when they do.

    Parameters
    ----------
    inputs : mapping of str to ndarray
        As the workload makes them. Arrays of floating-point numbers count; those that hold one
        value alone, or NaN alone, may make up under a quarter of all values.
    """
    counted = {n: a for n, a in inputs.items() if a.dtype.kind in "fc" and a.size > 1}
    dull = {n: said for n, a in counted.items() if (said := _dullness(a)) is not None}
    values = sum(a.size for a in counted.values())
    if not dull or sum(counted[n].size for n in dull) < DULL_SHARE * values:
        return None
    largest = max(dull, key=lambda n: counted[n].size)
    return f"its inputs are refused: {dull[largest]} {largest!r}, and {_WHY}; {_FIX}"


def _dullness(array: Array) -> str | None:
    """Return what every value of an array is, in words; None when values differ."""
    import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

    flat = array.reshape(-1)
    step = max(1, flat.size // _SAMPLE)
    # Nearly every array of data is told by a few of its values.
    for part in (flat[::step], flat):
        if np.isnan(part).all():
            continue
        if np.isnan(part[0]) or not (part == part[0]).all():
            return None
    if np.isnan(flat[0]):
        return "NaN is all there is in"
    return "every value is 0 in" if flat[0] == 0 else "one value is all there is in"
