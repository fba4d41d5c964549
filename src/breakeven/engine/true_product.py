"""What a large product was truly computed in, told by the error of a sample of its rows."""

from __future__ import annotations

from typing import Any

from breakeven.stats.classes import WRONG, class_of, classify

ROWS = 8
_PRECISION_OF = {
    "float64": "float64",
    "float32": "float32",
    "TF32/half": "tf32",
    "bfloat16": "bfloat16",
}


def sampled(n: int) -> slice:
    """Return the rows of an n x n product that are looked at: eight or nine, far apart.

    Their distance is odd, so that in a matrix of repeated blocks no two are the same row.
    """
    return slice(3, None, n // ROWS - 1)


def exact_rows(block: Any, n: int) -> Any:  # noqa: ANN401  NumPy in and out
    """Return the sampled rows of the square of an n x n matrix made of one block, in float64.

    Parameters
    ----------
    block : array, shape (k, k)
        Repeated n / k times along each axis. Each block of the product is then n / k times the
        square of `block`.
    """
    import numpy as np  # noqa: PLC0415  after the backend was opened

    wide = np.asarray(block, dtype=np.float64)
    times = n // len(wide)
    rows = np.arange(n)[sampled(n)] % len(wide)
    return np.tile(times * (wide[rows] @ wide), (1, times))


def computed_in(error: float, asked: str) -> str | None:
    """Return the precision whose products err so much; None where no arithmetic does.

    What was asked for stands where its own class of errors was seen: TF32 and float16 share one.
    """
    found = classify(error)
    if found == class_of(asked):
        return asked
    return None if found == WRONG else _PRECISION_OF[found]


def said(error: float, asked: str, found: str | None) -> str:
    """Return why there is no peak of what was asked for, in words."""
    if found is None:
        return f"products asked for in {asked} are wrong by {error:.1e}: their rate is no peak"
    return (
        f"products asked for in {asked} err by {error:.1e}, as {found} does: their rate is told "
        f"as that of {found}; a setting such as NVIDIA_TF32_OVERRIDE may have changed them"
    )
