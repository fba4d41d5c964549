"""What arithmetic an error is typical of, and how coarse each arithmetic is."""

from __future__ import annotations

_CLASSES = ((1e-11, "float64"), (2e-5, "float32"), (1e-3, "TF32/half"), (1e-1, "bfloat16"))
"""Largest relative error of each class.

A float64 product errs by about 1e-15, a float32 one by 1e-7 to 4e-7 (sums in a bad order by 1e-5),
TF32 or half inputs give 3e-4, bfloat16 inputs 2e-3; the limits lie between, on a log scale.
"""

LIMITS = {name: limit for limit, name in _CLASSES}
"""Largest relative error of each class, by its name."""

WRONG = "wrong"

UNIT_ROUNDOFF: dict[str, float] = {
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
    "tf32": 2.0**-11,
    "float32": 2.0**-24,
    "float64": 2.0**-53,
}
"""Largest relative rounding of one value, by precision."""

_FINENESS = ("float64", "float32", "TF32/half", "bfloat16")
_CLASS_OF = {
    "float16": "TF32/half",
    "bfloat16": "bfloat16",
    "tf32": "TF32/half",
    "float32": "float32",
    "float64": "float64",
}


def class_of(precision: str) -> str:
    """Return the class of errors that arithmetic in `precision` makes."""
    return _CLASS_OF[precision]


def honest(class_: str, precision: str) -> bool:
    """Return whether an error of this class is as small as arithmetic in `precision` gives."""
    allowed = _FINENESS[: _FINENESS.index(class_of(precision)) + 1]
    return class_ in allowed


def classify(error: float) -> str:
    """Return the class of a relative error: the arithmetic that such an error is typical of.

    Parameters
    ----------
    error : float
        Relative error in the Frobenius norm; NaN counts as wrong.
    """
    for limit, name in _CLASSES:
        if error <= limit:
            return name
    return WRONG
