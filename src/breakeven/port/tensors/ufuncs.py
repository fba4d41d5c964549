"""NumPy's universal functions: one table of names, PyTorch's functions and rules of types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from breakeven.errors import MissingError
from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import Bound, bound_torch
from breakeven.port.tensors.operands import axes, common, operand, pair, tensor, written
from breakeven.port.tensors.types import INEXACT, REAL, as_torch, castable, floating

torch = bound_torch()
Function = Callable[..., Any]


def unary(name: str, act: Function, rule: str) -> Function:
    """Return a function of one array.

    Parameters
    ----------
    rule : str
        ``float`` computes integers as floating-point numbers, ``keep`` in their own type,
        ``whole`` gives integers back as they are, ``test`` gives truth values.
    """
    fast = INEXACT if rule == "float" else frozenset(REAL)

    def call(x: Any, /, out: Any = None, **how: Any) -> Any:
        if type(x) is Array and out is None and not how:
            t = x.t
            if t.dtype in fast:
                return Array(act(t))
        t = tensor(x)
        if how.get("dtype") is not None:
            t = t.to(as_torch(how["dtype"]))
        if rule == "float":
            t = t.to(floating(t.dtype))
        elif rule == "whole" and t.dtype not in INEXACT:
            return finished(t.clone(), out, how)
        return finished(act(t), out, how)

    call.__name__ = call.__qualname__ = name
    return call


def binary(name: str, act: Function, rule: str = "keep") -> Function:
    """Return a function of two arrays, with the methods of NumPy's universal functions.

    Parameters
    ----------
    rule : str
        ``float`` computes integers as floating-point numbers, ``keep`` in NumPy's common type,
        ``logical`` takes and gives truth values.
    """
    fast = INEXACT if rule == "float" else None

    def call(one: Any, other: Any, /, out: Any = None, **how: Any) -> Any:
        if type(one) is Array and type(other) is Array and out is None and not how:
            a, b = one.t, other.t
            if a.dtype is b.dtype and (fast is None or a.dtype in fast):
                return Array(act(a, b))
        if how.get("dtype") is not None:
            wanted = as_torch(how["dtype"])
            a, b = tensor(one).to(wanted), tensor(other).to(wanted)
        else:
            a, b = pair(one, other, inexact=rule == "float")
        return finished(act(a, b), out, how)

    call.__name__ = call.__qualname__ = name
    call.outer = _outer(call)  # type: ignore[attr-defined]
    for method in ("reduce", "accumulate", "at", "reduceat"):
        setattr(call, method, _lacking(f"numpy.{name}.{method}"))
    return call


def finished(values: Any, out: Any, how: dict[str, Any]) -> Any:
    """Return a result, written into `out` and where a mask says so.

    Raises
    ------
    TypeError
        If something else is asked for.
    """
    goal = out[0] if isinstance(out, tuple) else out
    for key in how:
        if key not in {"dtype", "where", "casting", "order", "subok"}:
            raise TypeError(f"got an unexpected keyword argument {key!r}")
    mask = how.get("where", True)
    if goal is None:
        return Array(values)
    if mask is not True:
        chosen = tensor(mask)
        if castable(values.dtype, goal.t.dtype):
            values = torch.where(chosen, values.to(goal.t.dtype), goal.t)
    return written(goal, values)


def _outer(call: Function) -> Function:
    def outer(one: Any, other: Any, **how: Any) -> Any:
        a, b = tensor(one), tensor(other)
        return call(Array(a.reshape(a.shape + (1,) * b.ndim)), Array(b), **how)

    return outer


def _lacking(full: str) -> Function:
    def refuse(*_: object, **__: object) -> Any:
        raise MissingError(f"PyTorch has no {full}", full)

    return refuse


def floor_divide(a: Any, b: Any) -> Any:
    """Return the floor of a quotient; integers over 0 give 0, as NumPy's do."""
    if a.dtype in INEXACT:
        return torch.div(a, b, rounding_mode="floor")
    safe = torch.where(b == 0, torch.ones_like(b), b)
    return torch.where(b == 0, torch.zeros_like(b), torch.div(a, safe, rounding_mode="floor"))


def remainder(a: Any, b: Any) -> Any:
    """Return what a division leaves, with the divisor's sign; integers over 0 leave 0."""
    if a.dtype in INEXACT:
        return torch.remainder(a, b)
    safe = torch.where(b == 0, torch.ones_like(b), b)
    return torch.where(b == 0, torch.zeros_like(b), torch.remainder(a, safe))


def fmod(a: Any, b: Any) -> Any:
    """Return what a division leaves, with the dividend's sign; integers over 0 leave 0."""
    if a.dtype in INEXACT:
        return torch.fmod(a, b)
    safe = torch.where(b == 0, torch.ones_like(b), b)
    return torch.where(b == 0, torch.zeros_like(b), torch.fmod(a, safe))


def power(a: Any, b: Any) -> Any:
    """Return powers.

    Raises
    ------
    ValueError
        If an integer is raised to a negative one, as NumPy does.
    """
    if a.dtype not in INEXACT and bool((b < 0).any()):
        raise ValueError("Integers to negative integer powers are not allowed.")
    return torch.pow(a.to(torch.int8) if a.dtype is torch.bool else a, b)


def _shift(act: Function, *, left: bool) -> Function:
    def call(a: Any, b: Any) -> Any:
        if a.dtype is torch.bool:
            a, b = a.to(torch.int8), b.to(torch.int8)
        a, b = _placed(a), _placed(b)
        width = torch.iinfo(a.dtype).bits
        # More places than there are bits: PyTorch leaves it open, NumPy does not.
        far = (b >= width) | (b < 0)
        moved = act(a, torch.where(far, torch.zeros_like(b), b))
        empty = torch.zeros_like(moved) if left else torch.where(moved < 0, -1, 0).to(moved.dtype)
        return torch.where(far, empty, moved)

    return call


def _subtract(a: Any, b: Any) -> Any:
    if a.dtype is torch.bool:
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the"
            " `^` operator, or the logical_xor function instead."
        )
    return torch.sub(a, b)


def _negative(t: Any) -> Any:
    if t.dtype is torch.bool:
        raise TypeError("The numpy boolean negative, the `-` operator, is not supported")
    return torch.neg(t)


def _reciprocal(t: Any) -> Any:
    if t.dtype in INEXACT:
        return torch.reciprocal(t)
    return floor_divide(torch.ones_like(t), t) + (t < 0).to(t.dtype) * (t != -1)


def _sign(t: Any) -> Any:
    return torch.sgn(t) if t.is_complex() else _nan_kept(torch.sign(t), t)


def _nan_kept(values: Any, t: Any) -> Any:
    return torch.where(torch.isnan(t), t, values) if t.dtype in REAL else values


def _cbrt(t: Any) -> Any:
    return torch.sign(t) * torch.pow(torch.abs(t), 1.0 / 3.0)


def _arctan2(a: Any, b: Any) -> Any:
    return torch.atan2(a, b)


def _ordered(act: Function) -> Function:
    """Return greater or smaller of two complex numbers too: PyTorch does not order them."""

    def call(a: Any, b: Any) -> Any:
        if a.dtype is torch.bool:
            return act(a.to(torch.uint8), b.to(torch.uint8)).to(torch.bool)
        return act(a, b)

    return call


def _placed(t: Any) -> Any:
    """Return a tensor on the device: what chooses between values takes none from the host."""
    return t if t.device == Bound.device else t.to(Bound.device)


def _modular(act: Function) -> Function:
    def call(a: Any, b: Any) -> Any:
        if a.dtype not in INEXACT:
            a, b = _placed(a), _placed(b)
        if a.dtype is torch.bool:
            a, b = a.to(torch.int8), b.to(torch.int8)
        return act(a, b)

    return call


def _logical(act: Function) -> Function:
    return lambda a, b: act(a.to(torch.bool), b.to(torch.bool))


def _gcd(t: Any, other: Any) -> Any:
    return torch.gcd(t, other)


def _divide(a: Any, b: Any) -> Any:
    if a.dtype not in INEXACT:
        # However narrow, integers are divided in float64.
        a, b = a.to(torch.float64), b.to(torch.float64)
    return torch.true_divide(a, b)


def _heaviside(a: Any, b: Any) -> Any:
    return _nan_kept(torch.heaviside(_placed(a), b), _placed(a))


_FLOAT = {
    "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "arcsin": torch.asin,
    "arccos": torch.acos, "arctan": torch.atan, "sinh": torch.sinh, "cosh": torch.cosh,
    "tanh": torch.tanh, "arcsinh": torch.asinh, "arccosh": torch.acosh, "arctanh": torch.atanh,
    "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1, "log": torch.log,
    "log2": torch.log2, "log10": torch.log10, "log1p": torch.log1p, "sqrt": torch.sqrt,
    "cbrt": _cbrt, "deg2rad": torch.deg2rad, "rad2deg": torch.rad2deg, "rint": torch.round,
    "fabs": torch.abs, "sinc": torch.sinc, "i0": torch.i0,
}  # fmt: skip
_KEEP = {
    "absolute": torch.abs, "negative": _negative, "sign": _sign, "square": torch.square,
    "reciprocal": _reciprocal, "positive": torch.clone, "conjugate": torch.conj_physical,
    "invert": torch.bitwise_not,
}  # fmt: skip
_WHOLE = {"floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc, "fix": torch.trunc}
_TEST = {
    "isnan": torch.isnan, "isinf": torch.isinf, "isfinite": torch.isfinite,
    "signbit": torch.signbit, "logical_not": torch.logical_not, "isneginf": torch.isneginf,
    "isposinf": torch.isposinf,
}  # fmt: skip
_PAIRS = {
    "add": torch.add, "divide": _divide, "subtract": _subtract, "multiply": torch.mul,
    "floor_divide": _modular(floor_divide), "remainder": _modular(remainder),
    "fmod": _modular(fmod), "power": power,
    "maximum": _ordered(torch.maximum), "minimum": _ordered(torch.minimum),
    "fmax": torch.fmax, "fmin": torch.fmin, "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or, "bitwise_xor": torch.bitwise_xor,
    "left_shift": _shift(torch.bitwise_left_shift, left=True),
    "right_shift": _shift(torch.bitwise_right_shift, left=False),
    "equal": torch.eq, "not_equal": torch.ne, "less": torch.lt, "less_equal": torch.le,
    "greater": torch.gt, "greater_equal": torch.ge, "gcd": _gcd, "lcm": torch.lcm,
}  # fmt: skip
_FLOAT_PAIRS = {
    "arctan2": _arctan2, "hypot": torch.hypot, "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2, "copysign": torch.copysign, "nextafter": torch.nextafter,
    "heaviside": _heaviside, "float_power": torch.pow,
}  # fmt: skip
_LOGICAL = {
    "logical_and": _logical(torch.logical_and), "logical_or": _logical(torch.logical_or),
    "logical_xor": _logical(torch.logical_xor),
}  # fmt: skip
ALIASES = {
    "abs": "absolute", "conj": "conjugate", "mod": "remainder", "true_divide": "divide",
    "bitwise_not": "invert", "bitwise_invert": "invert", "radians": "deg2rad",
    "degrees": "rad2deg", "pow": "power", "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift", "acos": "arccos", "asin": "arcsin", "atan": "arctan",
    "acosh": "arccosh", "asinh": "arcsinh", "atanh": "arctanh", "atan2": "arctan2",
}  # fmt: skip


def _table() -> dict[str, Function]:
    made = {name: unary(name, act, "float") for name, act in _FLOAT.items()}
    made |= {name: unary(name, act, "keep") for name, act in _KEEP.items()}
    made |= {name: unary(name, act, "whole") for name, act in _WHOLE.items()}
    made |= {name: unary(name, act, "test") for name, act in _TEST.items()}
    made |= {name: binary(name, act) for name, act in _PAIRS.items()}
    made |= {name: binary(name, act, "float") for name, act in _FLOAT_PAIRS.items()}
    made |= {name: binary(name, act, "logical") for name, act in _LOGICAL.items()}
    made |= {alias: made[name] for alias, name in ALIASES.items()}
    return made


UFUNCS = _table()


def divmod_(one: Any, other: Any) -> tuple[Any, Any]:
    """Return quotient and remainder."""
    return UFUNCS["floor_divide"](one, other), UFUNCS["remainder"](one, other)


def modf(x: Any) -> tuple[Any, Any]:
    """Return the fractional and the integral part."""
    t = tensor(x)
    t = t.to(floating(t.dtype))
    whole = torch.trunc(t)
    part = torch.where(torch.isinf(t), torch.zeros_like(t), t - whole)
    return Array(torch.copysign(part, t)), Array(whole)


def frexp(x: Any) -> tuple[Any, Any]:
    """Return mantissa and exponent."""
    mantissa, exponent = torch.frexp(tensor(x))
    return Array(mantissa), Array(exponent)


def ldexp(x: Any, exponent: Any) -> Any:
    """Return x times a power of 2."""
    t = tensor(x)
    return Array(torch.ldexp(t.to(floating(t.dtype)), tensor(exponent)))


def clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = None,
    max: Any = None,
) -> Any:
    """Return values limited to an interval, in NumPy's common type of all three."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    bounds = [operand(bound) for bound in (low, high) if bound is not None]
    t = tensor(a)
    dtype = common(t, *bounds)
    t = t.to(dtype)
    if low is not None:
        t = UFUNCS["maximum"](Array(t), low).t
    if high is not None:
        t = UFUNCS["minimum"](Array(t), high).t
    return Array(t.clone()) if out is None and t is tensor(a) else written(out, t)


def _add_at(sign: int) -> Function:
    def at(a: Any, indices: Any, values: Any) -> None:
        t = a.t
        added = operand(values)
        if not torch.is_tensor(added):
            added = torch.tensor(added, device=Bound.device)
        added = (added * sign).to(device=t.device, dtype=t.dtype)
        index = indices if isinstance(indices, tuple) else (indices,)
        places = tuple(tensor(one) for one in index)
        places = tuple(p if p.dtype is torch.bool else p.to(torch.int64) for p in places)
        if type(a) is Array:
            t.index_put_(places, added, accumulate=True)
        else:
            a.write(t.clone().index_put_(places, added, accumulate=True))

    return at


def _extreme_at(reduce: str) -> Function:
    def at(a: Any, indices: Any, values: Any) -> None:
        t = a.t
        index = tensor(indices).to(torch.int64)
        if t.ndim != 1 or index.ndim != 1 or type(a) is not Array:
            full = "numpy.maximum.at" if reduce == "amax" else "numpy.minimum.at"
            raise MissingError(f"PyTorch has no {full} beyond one axis", full)
        added = tensor(values).to(t.dtype).expand(index.shape)
        t.scatter_reduce_(0, index % t.shape[0], added, reduce=reduce, include_self=True)

    return at


UFUNCS["add"].at = _add_at(1)  # type: ignore[attr-defined]
UFUNCS["subtract"].at = _add_at(-1)  # type: ignore[attr-defined]
UFUNCS["maximum"].at = _extreme_at("amax")  # type: ignore[attr-defined]
UFUNCS["minimum"].at = _extreme_at("amin")  # type: ignore[attr-defined]


def reduces(name: str, function: Function) -> None:
    """Give a universal function its `reduce`: over the first axis unless another is named."""

    def reduce(a: Any, axis: Any = 0, **how: Any) -> Any:
        return function(a, axis=axis, **how)

    UFUNCS[name].reduce = reduce  # type: ignore[attr-defined]


def accumulates(name: str, function: Function) -> None:
    """Give a universal function its `accumulate`: over the first axis unless another is named."""

    def accumulate(a: Any, axis: int = 0, **how: Any) -> Any:
        return function(a, axis=axis, **how)

    UFUNCS[name].accumulate = accumulate  # type: ignore[attr-defined]


def _running(act: Function) -> Function:
    def call(a: Any, axis: int = 0) -> Any:
        t = tensor(a)
        return Array(act(t, axes(axis, t.ndim)[0]).values)

    return call


accumulates("maximum", _running(torch.cummax))
accumulates("minimum", _running(torch.cummin))
