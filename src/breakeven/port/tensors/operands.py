"""Makes tensors of what a function is given, in the type that NumPy would compute in."""

from __future__ import annotations

from typing import Any

import numpy as np

from breakeven.errors import HostArrayError
from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import Bound, bound_torch
from breakeven.port.tensors.types import (
    INEXACT,
    as_torch,
    castable,
    floating,
    of_python,
    result,
    weak,
)

torch = bound_torch()
_NUMBERS = (bool, int, float, complex)


def operand(value: Any) -> Any:
    """Return a tensor, or a number of Python as it is.

    A scalar of NumPy keeps its type: it becomes a tensor without axes, on the host, which the
    device takes as a parameter.

    Raises
    ------
    HostArrayError
        If it is an array of the host.
    """
    if isinstance(value, Array):
        return value.t
    kind = type(value)
    if kind in _NUMBERS:
        return value
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return torch.tensor(value.item(), dtype=as_torch(value.dtype))
    if isinstance(value, np.ndarray):
        raise HostArrayError(
            f"an array of the host, of shape {value.shape}, meets one of the device",
            "numpy.ndarray",
        )
    if isinstance(value, (list, tuple, range)):
        from breakeven.port.tensors.create import array  # noqa: PLC0415  it is made of operands

        return array(value).t
    if isinstance(value, _NUMBERS):
        return value
    raise TypeError(f"unsupported operand of type {kind.__name__!r}")


def tensor(value: Any) -> Any:
    """Return a tensor on the device."""
    if isinstance(value, Array):
        return value.t
    taken = operand(value)
    if not torch.is_tensor(taken):
        return torch.tensor(taken, dtype=of_python(taken), device=Bound.device)
    return taken.to(Bound.device)


def common(*values: Any) -> Any:
    """Return the type that NumPy gives operands together; numbers of Python have no width."""
    strong = None
    numbers = []
    for value in values:
        if torch.is_tensor(value):
            strong = value.dtype if strong is None else result(strong, value.dtype)
        else:
            numbers.append(value)
    if strong is None:
        strong = of_python(numbers[0])
        for number in numbers[1:]:
            strong = result(strong, of_python(number))
        return strong
    for number in numbers:
        strong = weak(strong, number)
    return strong


def cast(value: Any, dtype: Any) -> Any:
    """Return an operand as a tensor of `dtype`; numbers as tensors without axes, on the host."""
    if torch.is_tensor(value):
        return value if value.dtype is dtype else value.to(dtype)
    return torch.tensor(value, dtype=dtype)


def pair(one: Any, other: Any, *, inexact: bool = False) -> tuple[Any, Any]:
    """Return two operands as tensors of NumPy's common type, one of them on the device.

    Parameters
    ----------
    inexact : bool
        Whether integers are computed with as floating-point numbers.
    """
    a, b = operand(one), operand(other)
    dtype = common(a, b)
    if inexact:
        dtype = floating(dtype)
    a, b = cast(a, dtype), cast(b, dtype)
    if Bound.device not in {a.device, b.device}:
        a = a.to(Bound.device)
    return a, b


def together(values: Any) -> list[Any]:
    """Return tensors of one common type on the device, as concatenation takes them."""
    taken = [operand(value) for value in values]
    # Here a number is an array of its own: it has a width.
    strong = [v if torch.is_tensor(v) else tensor(v) for v in taken]
    dtype = common(*strong)
    return [value.to(device=Bound.device, dtype=dtype) for value in strong]


def axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return axes from 0.

    Raises
    ------
    numpy.exceptions.AxisError
        If there is no such axis, as NumPy does.
    """
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = []
    for one in given:
        place = int(one)
        if not -ndim <= place < ndim:
            raise np.exceptions.AxisError(place, ndim)
        found.append(place % ndim)
    if len(set(found)) != len(found):
        raise ValueError("duplicate value in 'axis'")
    return tuple(found)


def written(out: Any, values: Any) -> Any:
    """Write a result into `out`, and return that.

    Raises
    ------
    TypeError
        If its type holds no such values, as NumPy does.
    """
    goal = out[0] if isinstance(out, tuple) else out
    if goal is None:
        return Array(values)
    if not isinstance(goal, Array):
        raise HostArrayError("a result is written into an array of the host", "out", "out")
    if not castable(values.dtype, goal.t.dtype):
        raise TypeError(
            f"Cannot cast ufunc output from {values.dtype} to {goal.t.dtype} with casting rule"
            " 'same_kind'"
        )
    if tuple(torch.broadcast_shapes(goal.t.shape, values.shape)) != tuple(goal.t.shape):
        raise ValueError(f"non-broadcastable output operand with shape {goal.shape}")
    goal.write(values)
    return goal


def shares(one: Any, other: Any) -> bool:
    """Say whether two tensors lie in the same memory in another order or at another place."""
    if one.untyped_storage().data_ptr() != other.untyped_storage().data_ptr():
        return False
    same = one.data_ptr() == other.data_ptr() and one.stride() == other.stride()
    return not (same and one.shape == other.shape)


def is_inexact(dtype: Any) -> bool:
    """Say whether it is a floating-point type, real or complex."""
    return dtype in INEXACT
