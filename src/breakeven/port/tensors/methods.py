"""Puts NumPy's functions into tables by module, and its methods into the array."""

from __future__ import annotations

import types
from typing import Any

from breakeven.port.tensors import (
    arithmetic,
    choose,
    create,
    fourier,
    linear,
    reduce,
    scipy_parts,
    shape,
    statistics,
    ufuncs,
)
from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import bound_torch
from breakeven.port.tensors.types import INEXACT

torch = bound_torch()
_MODULES = (reduce, create, shape, choose, linear, statistics)
_NOT_NUMPY = frozenset(
    "as_matrix_norm accumulates binary finished flatten floor_divide fmod"
    " power reduces remainder unary window".split()
)
_METHODS = (
    "sum prod mean std var max min ptp argmax argmin all any cumsum cumprod ravel swapaxes"
    " squeeze repeat diagonal trace dot nonzero take put choose compress argsort searchsorted"
    " partition argpartition"
).split()
_UFUNC_METHODS = {"conj": "conjugate", "conjugate": "conjugate"}


def _defined(module: types.ModuleType) -> dict[str, Any]:
    found = {}
    for name, value in vars(module).items():
        made_there = getattr(value, "__module__", None) in {module.__name__, ufuncs.__name__}
        if name.startswith("_") or isinstance(value, type) or not callable(value):
            continue
        if made_there and name not in _NOT_NUMPY:
            found[name] = value
    return found


def _round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Return values rounded to so many decimals, halves to the even."""
    from breakeven.port.tensors.operands import tensor, written  # noqa: PLC0415  two names

    t = tensor(a)
    if t.dtype in INEXACT:
        if decimals == 0:
            return written(out, torch.round(t))
        # As NumPy does: scaled, rounded, scaled back.
        scale = 10.0 ** abs(decimals)
        scaled = t * scale if decimals > 0 else t / scale
        whole = torch.round(scaled)
        return written(out, whole / scale if decimals > 0 else whole * scale)
    return written(out, t.clone() if decimals >= 0 else torch.round(t, decimals=decimals))


def functions() -> dict[str, dict[str, Any]]:
    """Return what is offered, by NumPy's name of its module."""
    top: dict[str, Any] = {}
    for module in _MODULES:
        top |= _defined(module)
    linalg = set(linear.LINALG) - {"cross", "matmul", "outer", "tensordot", "trace", "vecdot"}
    top = {name: value for name, value in top.items() if name not in linalg}
    strided = {n: top.pop(n) for n in ("sliding_window_view", "as_strided")}
    top |= ufuncs.UFUNCS
    top |= {
        "clip": ufuncs.clip, "divmod": ufuncs.divmod_, "modf": ufuncs.modf, "frexp": ufuncs.frexp,
        "ldexp": ufuncs.ldexp, "matmul": arithmetic.matmul, "round": _round, "around": _round,
        "amax": reduce.max, "amin": reduce.min, "cumulative_sum": reduce.cumsum,
        "concat": shape.concatenate, "row_stack": shape.vstack, "permute_dims": shape.transpose,
        "asanyarray": create.asarray, "asarray_chkfinite": create.asarray,
        "asfortranarray": create.asarray,
        "mgrid": create.Grid(sparse=False), "ogrid": create.Grid(sparse=True),
        "r_": create.Joined(columns=False), "c_": create.Joined(columns=True), "s_": _Key(),
        "index_exp": _Key(), "ndarray": Array, "real": lambda val: create.asarray(val).real,
        "imag": lambda val: create.asarray(val).imag,
        "iscomplexobj": lambda x: create.asarray(x).t.is_complex(),
        "isrealobj": lambda x: not create.asarray(x).t.is_complex(), "angle": _angle,
        "result_type": _result_type, "can_cast": _can_cast,
        "astype": lambda x, dtype, /, **how: x.astype(dtype, **how),
    }  # fmt: skip
    top |= {n: statistics.window(n) for n in "hanning hamming blackman bartlett kaiser".split()}
    return {
        "numpy": top,
        "numpy.linalg": dict(linear.LINALG),
        "numpy.fft": dict(fourier.FFT),
        "numpy.lib": {},
        "numpy.lib.stride_tricks": strided,
        "scipy": {},
        "scipy.special": dict(scipy_parts.SPECIAL),
        "scipy.fft": dict(scipy_parts.SCIPY_FFT),
        "scipy.linalg": dict(scipy_parts.SCIPY_LINALG),
    }


class _Key:
    """``numpy.s_``: an index as it is written."""

    def __getitem__(self, key: Any) -> Any:
        return key


def _angle(z: Any, deg: bool = False) -> Any:
    t = torch.angle(create.asarray(z).t)
    return Array(torch.rad2deg(t) if deg else t)


def _kinds(values: Any) -> list[Any]:
    return [value.dtype if isinstance(value, Array) else value for value in values]


def _result_type(*values: Any) -> Any:
    import numpy as np  # noqa: PLC0415  two calls of it

    return np.result_type(*_kinds(values))


def _can_cast(source: Any, *goal: Any, **how: Any) -> bool:
    import numpy as np  # noqa: PLC0415  two calls of it

    return bool(np.can_cast(*_kinds((source, *goal)), **how))


def _attach() -> None:
    offered = functions()["numpy"]
    attached: dict[str, Any] = {name: offered[name] for name in _METHODS}
    attached |= {name: ufuncs.UFUNCS[ufunc] for name, ufunc in _UFUNC_METHODS.items()}
    attached |= {**shape.METHODS, **choose.METHODS}
    attached |= {"round": _round, "__round__": _round, "clip": ufuncs.clip}
    attached["flatten"] = shape.flatten
    for name, method in attached.items():
        setattr(Array, name, method)


_attach()
