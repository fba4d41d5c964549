"""The operators of an array: NumPy's promotion, its casting in place, its memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from breakeven.errors import RefusedError
from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import bound_torch
from breakeven.port.tensors.operands import operand, pair, shares
from breakeven.port.tensors.types import INEXACT, castable
from breakeven.port.tensors.ufuncs import UFUNCS, divmod_

torch = bound_torch()
Function = Callable[..., Any]
_FAST = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "truediv": torch.true_divide,
    "pow": torch.pow, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge,
    "eq": torch.eq, "ne": torch.ne,
}  # fmt: skip
_SLOW = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
    "floordiv": "floor_divide", "mod": "remainder", "pow": "power", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift",
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
    "ne": "not_equal",
}  # fmt: skip
_COMPARE = frozenset("lt le gt ge eq ne".split())


def _operator(name: str) -> Function:
    slow = UFUNCS[_SLOW[name]]
    fast = _FAST.get(name, slow)
    quick = name in _FAST

    def call(self: Any, other: Any) -> Any:
        if quick:
            kind = type(other)
            a = self.t
            if kind is Array:
                b = other.t
                if a.dtype is b.dtype and a.dtype in INEXACT:
                    return Array(fast(a, b))
            elif (kind is float or kind is int) and a.dtype in INEXACT:
                return Array(fast(a, other))
        try:
            return slow(self, other)
        except TypeError:
            if _unknown(other):
                return NotImplemented
            raise

    return call


def _reflected(name: str) -> Function:
    slow = UFUNCS[_SLOW[name]]

    def call(self: Any, other: Any) -> Any:
        kind = type(other)
        if kind is float and self.t.dtype in INEXACT:
            if name == "sub":
                return Array(torch.rsub(self.t, other))
            if name in {"add", "mul"}:
                return Array(_FAST[name](self.t, other))
        try:
            return slow(other, self)
        except TypeError:
            if _unknown(other):
                return NotImplemented
            raise

    return call


def _unknown(other: Any) -> bool:
    """Say whether an operand is of a kind that arrays know nothing of."""
    try:
        operand(other)
    except RefusedError:
        return False
    except TypeError:
        return True
    return False


def _in_place(name: str) -> Function:
    full = UFUNCS[_SLOW[name]]
    fast = {
        "add": torch.Tensor.add_, "sub": torch.Tensor.sub_, "mul": torch.Tensor.mul_,
        "truediv": torch.Tensor.div_,
    }.get(name)  # fmt: skip

    def call(self: Any, other: Any) -> Any:
        taken = operand(other)
        if fast is not None and type(self) is Array and self.t.dtype in INEXACT:
            if not torch.is_tensor(taken):
                if not isinstance(taken, complex):
                    fast(self.t, taken)
                    return self
            elif taken.dtype is self.t.dtype:
                # NumPy reads all before it writes, whatever lies where.
                fast(self.t, taken.clone() if shares(taken, self.t) else taken)
                return self
        values = full(self, other).t
        if not castable(values.dtype, self.t.dtype):
            raise TypeError(
                f"Cannot cast ufunc '{_SLOW[name]}' output from {Array(values).dtype!r} to"
                f" {self.dtype!r} with casting rule 'same_kind'"
            )
        if values.shape != self.t.shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {self.shape} doesn't match the"
                f" broadcast shape {tuple(values.shape)}"
            )
        self.write(values)
        return self

    return call


def matmul(one: Any, other: Any, /, out: Any = None, **how: Any) -> Any:
    """Return the matrix product, in NumPy's common type."""
    from breakeven.port.tensors.ufuncs import finished  # noqa: PLC0415  one name

    if type(one) is Array and type(other) is Array and one.t.dtype is other.t.dtype and out is None:
        return Array(multiplied(one.t, other.t))
    a, b = pair(one, other)
    if not a.ndim or not b.ndim:
        raise ValueError("matmul: Input operand does not have enough dimensions")
    return finished(multiplied(a, b), out, how)


def multiplied(a: Any, b: Any) -> Any:
    """Return the matrix product of two tensors; truth values are multiplied as such."""
    if a.dtype is torch.bool:
        return torch.matmul(a.to(torch.int32), b.to(torch.int32)).to(torch.bool)
    return torch.matmul(a, b)


def _attach() -> None:
    for name in _SLOW:
        setattr(Array, f"__{name}__", _operator(name))
        if name not in _COMPARE:
            setattr(Array, f"__r{name}__", _reflected(name))
            setattr(Array, f"__i{name}__", _in_place(name))
    methods: dict[str, Function] = {
        "__neg__": UFUNCS["negative"], "__pos__": UFUNCS["positive"], "__abs__": UFUNCS["absolute"],
        "__invert__": UFUNCS["invert"], "__divmod__": divmod_,
        "__rdivmod__": lambda self, other: divmod_(other, self),
        "__matmul__": matmul, "__rmatmul__": lambda self, other: matmul(other, self),
        "__imatmul__": lambda self, other: (self.write(matmul(self, other).t), self)[1],
    }  # fmt: skip
    for name, method in methods.items():
        setattr(Array, name, method)


_attach()
