"""Element types of NumPy and of PyTorch, and NumPy's rules of promotion between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from breakeven.errors import DTypeError
from breakeven.port.tensors.bound import bound_torch

torch = bound_torch()
_NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64"
    " complex128"
).split()
TO_NUMPY: dict[Any, np.dtype[Any]] = {getattr(torch, n): np.dtype(n) for n in _NAMES}
_BY_DTYPE = {dtype: own for own, dtype in TO_NUMPY.items()}
_KNOWN: dict[Any, Any] = {
    bool: torch.bool,
    int: torch.int64,
    float: torch.float64,
    complex: torch.complex128,
    **{n: getattr(torch, n) for n in _NAMES},
    **{np.dtype(n).type: getattr(torch, n) for n in _NAMES},
    **_BY_DTYPE,
}
REAL = frozenset({torch.float16, torch.float32, torch.float64})
COMPLEX = frozenset({torch.complex64, torch.complex128})
INEXACT = REAL | COMPLEX
INTEGERS = frozenset(getattr(torch, n) for n in _NAMES if n.startswith(("int", "uint")))
# What NumPy computes sines and roots of integers in.
FLOAT_FOR = {
    torch.bool: torch.float16,
    torch.int8: torch.float16,
    torch.uint8: torch.float16,
    torch.int16: torch.float32,
    torch.uint16: torch.float32,
}
REAL_OF = {torch.complex64: torch.float32, torch.complex128: torch.float64}
COMPLEX_OF = {
    torch.float16: torch.complex64,
    torch.float32: torch.complex64,
    torch.float64: torch.complex128,
}
_RESULT: dict[tuple[Any, Any], Any] = {}


def as_torch(dtype: Any) -> Any:
    """Return PyTorch's type for anything that NumPy takes for one; None for None.

    Raises
    ------
    DTypeError
        If PyTorch has none.
    """
    if dtype is None:
        return None
    try:
        return _KNOWN[dtype]
    except (KeyError, TypeError):
        wanted = np.dtype(dtype)
    found = _BY_DTYPE.get(wanted.newbyteorder("="))
    if found is None:
        plain = wanted.kind in "fcuib"
        raise DTypeError(
            f"PyTorch has no elements of type {wanted}",
            "numpy.dtype",
            str(wanted),
            "unsupported-dtype" if plain else "object-or-structured-dtype",
        )
    _KNOWN[dtype] = found
    return found


def result(one: Any, other: Any) -> Any:
    """Return the type that NumPy gives two strong ones."""
    key = (one, other)
    try:
        return _RESULT[key]
    except KeyError:
        found = _RESULT[key] = as_torch(np.result_type(TO_NUMPY[one], TO_NUMPY[other]))
        return found


def weak(dtype: Any, value: Any) -> Any:
    """Return the type that NumPy gives an array beside a number of Python, which has no width.

    Raises
    ------
    OverflowError
        If an integer does not fit, as NumPy does.
    """
    if isinstance(value, bool):
        return dtype
    if isinstance(value, int):
        if dtype is torch.bool:
            return torch.int64
        if dtype in INTEGERS:
            bounds = np.iinfo(TO_NUMPY[dtype])
            if not bounds.min <= value <= bounds.max:
                raise OverflowError(f"Python integer {value} out of bounds for {TO_NUMPY[dtype]}")
        return dtype
    if isinstance(value, float):
        return dtype if dtype in INEXACT else torch.float64
    return dtype if dtype in COMPLEX else COMPLEX_OF.get(dtype, torch.complex128)


def of_python(value: Any) -> Any:
    """Return the type of an array made of a number of Python."""
    if isinstance(value, bool):
        return torch.bool
    if isinstance(value, int):
        return torch.int64
    return torch.float64 if isinstance(value, float) else torch.complex128


def floating(dtype: Any) -> Any:
    """Return the type that NumPy computes roots of `dtype` in."""
    return dtype if dtype in INEXACT else FLOAT_FOR.get(dtype, torch.float64)


def castable(source: Any, goal: Any) -> bool:
    """Say whether NumPy writes `source` into `goal` in place (of the same kind)."""
    if source is goal:
        return True
    return bool(np.can_cast(TO_NUMPY[source], TO_NUMPY[goal], casting="same_kind"))
