"""Random values for inputs: the same ones in every type, rounded to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.model.spec import DType

if TYPE_CHECKING:
    from breakeven.workloads.base import Array

_BLOCK = 1 << 20


def normal(rng: Any, shape: tuple[int, ...], dtype: DType) -> Array:  # noqa: ANN401  a generator
    """Return standard normal values, drawn in float64 and rounded.

    Parameters
    ----------
    rng : numpy.random.Generator
        Moves on by as many values as are drawn.
    """
    import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

    made = np.empty(shape, dtype)
    flat = made.reshape(-1)
    # In blocks, so that a float64 copy never stands whole in memory.
    for start in range(0, flat.size, _BLOCK):
        part = flat[start : start + _BLOCK]
        part[...] = rng.standard_normal(part.size)
    return made
