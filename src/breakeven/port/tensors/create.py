"""Makes arrays on the device: from values of the host, from shapes, from ranges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import Bound, bound_torch
from breakeven.port.tensors.operands import operand, tensor, together
from breakeven.port.tensors.types import COMPLEX, as_torch

torch = bound_torch()
Shape = Any


def array(
    object: Any, dtype: Any = None, *, copy: bool | None = True, order: str = "K",
    subok: bool = False, ndmin: int = 0, like: Any = None,
) -> Array:  # fmt: skip
    """Return a fresh array of values: those of the host travel."""
    del order, subok, like
    wanted = as_torch(dtype)
    if isinstance(object, Array):
        t = object.t
        if wanted is not None and t.dtype is not wanted:
            t = object.astype(dtype).t
        elif copy:
            t = t.clone()
        made = Array(t) if t is not object.t else object
    elif isinstance(object, (list, tuple)) and _holds_arrays(object):
        t = _stacked(object)
        made = Array(t if wanted is None else t.to(wanted))
    else:
        made = Array(_uploaded(object, wanted))
    missing = ndmin - made.t.ndim
    return Array(made.t.reshape((1,) * missing + tuple(made.t.shape))) if missing > 0 else made


def _uploaded(value: Any, wanted: Any) -> Any:
    host = np.array(value, order="C")
    own = as_torch(host.dtype)
    t = torch.from_numpy(host).to(Bound.device)
    return t if wanted is None or wanted is own else t.to(wanted)


def _holds_arrays(values: Any) -> bool:
    return any(
        isinstance(v, Array) or (isinstance(v, (list, tuple)) and _holds_arrays(v)) for v in values
    )


def _stacked(values: Any) -> Any:
    parts = [_stacked(v) if isinstance(v, (list, tuple)) else operand(v) for v in values]
    return torch.stack(together([Array(p) if torch.is_tensor(p) else p for p in parts]))


def asarray(a: Any, dtype: Any = None, order: str | None = None, **how: Any) -> Array:
    """Return the array itself, or values of the host on the device."""
    del order
    copy = how.get("copy")
    return array(a, dtype, copy=bool(copy))


def ascontiguousarray(a: Any, dtype: Any = None, **_: Any) -> Array:
    """Return an array whose elements lie in one row."""
    made = asarray(a, dtype)
    t = made.t if made.t.ndim else made.t.reshape(1)
    return made if t.is_contiguous() and t is made.t else Array(t.contiguous())


def copy(a: Any, order: str = "K", subok: bool = False) -> Array:
    """Return a copy of its own memory."""
    del order, subok
    return array(a, copy=True)


def _shape(shape: Shape) -> tuple[int, ...]:
    if isinstance(shape, (int, np.integer)):
        return (int(shape),)
    if isinstance(shape, Array):
        return tuple(int(n) for n in shape.t.reshape(-1).tolist())
    return tuple(n.__index__() for n in shape)


def zeros(shape: Shape, dtype: Any = float, order: str = "C", **_: Any) -> Array:
    """Return zeros, of float64 unless a type is named."""
    del order
    return Array(torch.zeros(_shape(shape), dtype=as_torch(dtype or float), device=Bound.device))


def ones(shape: Shape, dtype: Any = None, order: str = "C", **_: Any) -> Array:
    """Return ones, of float64 unless a type is named."""
    del order
    return Array(torch.ones(_shape(shape), dtype=as_torch(dtype or float), device=Bound.device))


def empty(shape: Shape, dtype: Any = float, order: str = "C", **_: Any) -> Array:
    """Return room for elements, of float64 unless a type is named."""
    del order
    return Array(torch.empty(_shape(shape), dtype=as_torch(dtype or float), device=Bound.device))


def full(shape: Shape, fill_value: Any, dtype: Any = None, order: str = "C", **_: Any) -> Array:
    """Return one value everywhere, of its own type unless one is named."""
    del order
    value = tensor(fill_value)
    wanted = as_torch(dtype) or value.dtype
    return Array(value.to(wanted).expand(_shape(shape)).clone())


def _like(make: Callable[..., Array]) -> Callable[..., Array]:
    def call(
        a: Any,
        dtype: Any = None,
        order: str = "K",
        subok: bool = True,
        shape: Any = None,
        **_: Any,
    ) -> Array:
        del order, subok
        t = tensor(a)
        kind = Array(t).dtype if dtype is None else dtype
        return make(tuple(t.shape) if shape is None else shape, dtype=kind)

    return call


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True,
    shape: Any = None, **_: Any,
) -> Array:  # fmt: skip
    """Return one value everywhere, in the shape and type of another array."""
    del order, subok
    t = tensor(a)
    kind = Array(t).dtype if dtype is None else dtype
    return full(tuple(t.shape) if shape is None else shape, fill_value, kind)


def _number(value: Any) -> Any:
    if isinstance(value, Array):
        return value.t.item()
    return value.item() if isinstance(value, np.generic) else value


def arange(*limits: Any, dtype: Any = None, **named: Any) -> Array:
    """Return a range; its values are NumPy's own, since the end of a range of floats is rounded."""
    numbers = [_number(limit) for limit in limits]
    if len(numbers) == 4:
        dtype = numbers.pop()
    start, stop, step = 0, named.get("stop"), named.get("step", 1)
    if len(numbers) == 1:
        stop = numbers[0] if stop is None else stop
        start = named.get("start", numbers[0] if "stop" in named else 0)
    elif len(numbers) >= 2:
        start, stop = numbers[:2]
        step = numbers[2] if len(numbers) > 2 else step
    else:
        start = named.get("start", 0)
    step = 1 if step is None else step
    count = max(0, int(np.ceil((stop - start) / step)))
    kind = as_torch(dtype or np.result_type(start, step, stop))
    if kind in COMPLEX or kind is torch.bool:
        return Array(torch.from_numpy(np.asarray(np.arange(*limits, dtype=dtype))).to(Bound.device))
    exact = torch.float64 if isinstance(start + step, float) else torch.int64
    places = torch.arange(count, device=Bound.device, dtype=exact)
    # NumPy takes its first two values for the step, rounded as they are.
    delta = (start + step) - start
    return Array((places * delta + start).to(kind))


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0, **_: Any,
) -> Any:  # fmt: skip
    """Return evenly spaced values, as NumPy rounds them."""
    count = int(_number(num))
    gaps = count - 1 if endpoint else count
    first, last = tensor(start), tensor(stop)
    kind = torch.complex128 if first.is_complex() or last.is_complex() else torch.float64
    first, last = torch.broadcast_tensors(first.to(kind), last.to(kind))
    delta = last - first
    places = torch.arange(count, device=Bound.device, dtype=torch.float64)
    places = places.reshape((-1,) + (1,) * first.ndim)
    step = delta / gaps if gaps > 0 else torch.full_like(delta, torch.nan)
    values = (places * step if gaps > 0 else places * delta) + first
    if endpoint and count > 1:
        values[-1] = last
    if axis != 0:
        values = values.movedim(0, axis)
    wanted = as_torch(dtype)
    if wanted is not None and not wanted.is_floating_point and not wanted.is_complex:
        values = torch.floor(values)
    made = Array(values if wanted is None else values.to(wanted))
    return (made, Array(step)) if retstep else made


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0,
    dtype: Any = None, axis: int = 0,
) -> Array:  # fmt: skip
    """Return values whose logarithms are evenly spaced."""
    made = torch.pow(
        tensor(base).to(torch.float64), linspace(start, stop, num, endpoint, axis=axis).t
    )
    return Array(made if dtype is None else made.to(as_torch(dtype)))


def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Array:
    """Return values whose ratios are even."""
    first, last = tensor(start).to(torch.float64), tensor(stop).to(torch.float64)
    sign = torch.sign(first)
    ends = torch.log10(first.abs()), torch.log10(last.abs())
    made = logspace(Array(ends[0]), Array(ends[1]), num, endpoint, axis=axis).t * sign
    if made.shape[0] and axis == 0:
        made[0] = first
        if endpoint and made.shape[0] > 1:
            made[-1] = last
    return Array(made if dtype is None else made.to(as_torch(dtype)))


def eye(
    N: int, M: int | None = None, k: int = 0, dtype: Any = float, order: str = "C", **_: Any
) -> Array:
    """Return ones on a diagonal."""
    del order
    rows, columns = int(N), int(N if M is None else M)
    made = torch.zeros((rows, columns), dtype=as_torch(dtype), device=Bound.device)
    torch.diagonal(made, int(k)).fill_(1)
    return Array(made)


def identity(n: int, dtype: Any = None, **_: Any) -> Array:
    """Return the identity matrix."""
    return eye(n, dtype=dtype or float)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float, **_: Any) -> Array:
    """Return ones at and below a diagonal."""
    shape = (int(N), int(N if M is None else M))
    return Array(torch.ones(shape, device=Bound.device).tril(int(k)).to(as_torch(dtype)))


def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]:
    """Return a grid's coordinates."""
    parts = [tensor(x).reshape(-1) for x in xi]
    swap = indexing == "xy" and len(parts) > 1
    order = [1, 0, *range(2, len(parts))] if swap else list(range(len(parts)))
    shaped = []
    for number, part in enumerate(parts):
        shape = [1] * len(parts)
        shape[order[number]] = -1
        shaped.append(part.reshape(shape))
    if not sparse and parts:
        whole = torch.broadcast_shapes(*(p.shape for p in shaped))
        shaped = [p.expand(whole) for p in shaped]
    return tuple(Array(p.clone() if copy else p) for p in shaped)


def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """Return the places of a grid."""
    ranges = [arange(n, dtype=dtype) for n in _shape(dimensions)]
    grids = meshgrid(*ranges, indexing="ij", sparse=sparse)
    return grids if sparse else Array(torch.stack([g.t for g in grids]))


def fromfunction(
    function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    """Return a function's values at the places of a grid."""
    del like
    return function(*indices(shape, dtype), **kwargs)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Array:
    """Return powers of the elements as columns."""
    t = tensor(x)
    count = t.shape[0] if N is None else int(N)
    powers = torch.arange(count, device=t.device)
    powers = powers if increasing else powers.flip(0)
    return Array(torch.pow(t.unsqueeze(1), powers.to(t.dtype)))


class Grid:
    """``numpy.mgrid`` and ``numpy.ogrid``: a grid written as slices."""

    def __init__(self, *, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        ranges = [_ranged(part) for part in parts]
        if not isinstance(key, tuple):
            return ranges[0]
        grids = meshgrid(*ranges, indexing="ij", sparse=self._sparse)
        return grids if self._sparse else Array(torch.stack(together(grids)))


def _ranged(part: slice) -> Array:
    step = 1 if part.step is None else _number(part.step)
    start = 0 if part.start is None else _number(part.start)
    if isinstance(step, complex):
        return linspace(start, part.stop, int(abs(step)))  # type: ignore[no-any-return]
    return arange(start, _number(part.stop), step)


class Joined:
    """``numpy.r_`` and ``numpy.c_``: arrays and ranges joined as an index."""

    def __init__(self, *, columns: bool) -> None:
        self._columns = columns

    def __getitem__(self, key: Any) -> Array:
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, str) for part in parts):
            raise NotImplementedError("directives in numpy.r_ are not implemented")
        made = [_ranged(p) if isinstance(p, slice) else asarray(p) for p in parts]
        if self._columns:
            made = [Array(p.t.reshape(-1, 1)) if p.t.ndim < 2 else p for p in made]
            return Array(torch.cat(together(made), dim=-1))
        made = [Array(p.t.reshape(-1)) if p.t.ndim == 0 else p for p in made]
        return Array(torch.cat(together(made), dim=0))
