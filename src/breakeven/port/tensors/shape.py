"""Gives arrays another shape: views where NumPy gives views, copies where it copies."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from breakeven.port.tensors.array import Array, view
from breakeven.port.tensors.bound import Bound, bound_torch
from breakeven.port.tensors.create import asarray
from breakeven.port.tensors.index import getitem
from breakeven.port.tensors.operands import axes, tensor, together, written

torch = bound_torch()


def _sizes(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, (int, np.integer)):
        return (int(shape),)
    return tuple(n.__index__() for n in shape)


def reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None
) -> Array:
    """Return another shape: a view where the elements lie so."""
    owner = asarray(a)
    wanted = _sizes(newshape if shape is None else shape)
    if order == "F":
        back = tuple(range(owner.t.ndim - 1, -1, -1))
        flat = owner.t.permute(back).reshape(tuple(reversed(wanted)))
        return view(owner, flat.permute(tuple(range(len(wanted) - 1, -1, -1))))
    made = owner.t.reshape(wanted)
    return Array(made.clone()) if copy else view(owner, made)


def _reshape_method(self: Array, *shape: Any, order: str = "C", copy: Any = None) -> Array:
    one = len(shape) == 1 and not isinstance(shape[0], (int, np.integer, Array))
    return reshape(self, shape[0] if one else shape, order, copy=copy)


def ravel(a: Any, order: str = "C") -> Array:
    """Return one axis: a view where the elements lie in a row."""
    return reshape(a, -1, order if order in "CF" else "C")


def flatten(a: Any, order: str = "C") -> Array:
    """Return a copy with one axis."""
    return Array(ravel(a, order).t.clone())


def transpose(a: Any, axes: Any = None) -> Array:
    """Return the axes in another order, a view."""
    owner = asarray(a)
    if axes is None:
        return owner.T
    return view(owner, owner.t.permute(tuple(int(n) for n in axes)))


def _transpose_method(self: Array, *order: Any) -> Array:
    if not order or order == (None,):
        return self.T
    return transpose(self, order[0] if isinstance(order[0], (tuple, list)) else order)


def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """Return two axes swapped, a view."""
    owner = asarray(a)
    return view(owner, owner.t.swapaxes(int(axis1), int(axis2)))


def moveaxis(a: Any, source: Any, destination: Any) -> Array:
    """Return axes at other places, a view."""
    owner = asarray(a)
    return view(owner, owner.t.movedim(source, destination))


def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """Return one axis moved before another, a view."""
    owner = asarray(a)
    n = owner.t.ndim
    axis %= n
    start = start + n if start < 0 else start
    return view(owner, owner.t.movedim(axis, start - 1 if axis < start else start))


def matrix_transpose(x: Any, /) -> Array:
    """Return the last two axes swapped, a view."""
    return asarray(x).mT


def expand_dims(a: Any, axis: Any) -> Array:
    """Return new axes of length 1, a view."""
    owner = asarray(a)
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    t = owner.t
    for place in sorted(axes(given, t.ndim + len(given))):
        t = t.unsqueeze(place)
    return view(owner, t)


def squeeze(a: Any, axis: Any = None) -> Array:
    """Return it without axes of length 1, a view."""
    owner = asarray(a)
    if axis is None:
        return view(owner, owner.t.squeeze())
    dims = axes(axis, owner.t.ndim)
    if any(owner.t.shape[d] != 1 for d in dims):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return view(owner, owner.t.squeeze(dims))


def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Array:
    """Return it repeated along axes without copying; it is not to be written."""
    del subok
    owner = asarray(array)
    return view(owner, owner.t.expand(_sizes(shape)))


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Array, ...]:
    """Return arrays repeated to one shape."""
    del subok
    return tuple(Array(t) for t in torch.broadcast_tensors(*(tensor(a) for a in args)))


def _at_least(count: int) -> Callable[..., Any]:
    def call(*arrays: Any) -> Any:
        made = tuple(_widened(asarray(a), count) for a in arrays)
        return made[0] if len(made) == 1 else made

    return call


def _widened(owner: Array, count: int) -> Array:
    t = owner.t
    if t.ndim >= count:
        return owner
    shapes = {1: (1,), 2: (1, -1), 3: (1, -1, 1)}
    if t.ndim == 2:
        return view(owner, t.unsqueeze(-1))
    return view(owner, t.reshape(shapes[count] if t.ndim else (1,) * count))


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2), _at_least(3)


def concatenate(
    arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Return arrays joined along an axis, in NumPy's common type."""
    del casting
    parts = together(list(arrays))
    if axis is None:
        parts, axis = [p.reshape(-1) for p in parts], 0
    if any(p.ndim == 0 for p in parts):
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    made = torch.cat(parts, dim=axes(axis, parts[0].ndim)[0])
    if dtype is not None:
        made = Array(made).astype(dtype).t
    return written(out, made)


def stack(
    arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Return arrays joined along a new axis."""
    del casting
    made = torch.stack(together(list(arrays)), dim=axis)
    return written(out, made if dtype is None else Array(made).astype(dtype).t)


def _joined(widen: Callable[..., Any], axis: Callable[[Any], int]) -> Callable[..., Any]:
    def call(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
        parts = [widen(part) for part in tup]
        return concatenate(parts, axis(parts), dtype=dtype, casting=casting)

    return call


vstack = _joined(atleast_2d, lambda _: 0)
hstack = _joined(atleast_1d, lambda parts: 0 if parts[0].t.ndim == 1 else 1)
dstack = _joined(atleast_3d, lambda _: 2)
column_stack = _joined(lambda p: _column(asarray(p)), lambda _: 1)


def _column(owner: Array) -> Array:
    return Array(owner.t.reshape(-1, 1)) if owner.t.ndim < 2 else owner


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Return parts along an axis, views; sizes may differ by one."""
    owner = asarray(ary)
    length = owner.t.shape[axis]
    if isinstance(indices_or_sections, (int, np.integer)):
        count = int(indices_or_sections)
        each, more = divmod(length, count)
        ends = np.cumsum([each + 1] * more + [each] * (count - more))[:-1].tolist()
    else:
        ends = [int(n) for n in indices_or_sections]
    ends = [0, *ends, length]
    key: list[Any] = [slice(None)] * owner.t.ndim
    parts = []
    for first, last in itertools.pairwise(ends):
        key[axis] = slice(first, last)
        parts.append(getitem(owner, tuple(key)))
    return parts


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Return equal parts along an axis, views."""
    count = indices_or_sections
    if isinstance(count, (int, np.integer)) and asarray(ary).t.shape[axis] % int(count):
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Return parts along the second axis, or the only one."""
    return split(ary, indices_or_sections, 0 if asarray(ary).t.ndim == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Return parts along the first axis."""
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Return parts along the third axis."""
    return split(ary, indices_or_sections, 2)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Return the parts along an axis, views."""
    owner = asarray(x)
    return tuple(view(owner, t) for t in owner.t.unbind(axis))


def tile(A: Any, reps: Any) -> Array:
    """Return an array repeated as a whole."""
    t = tensor(A)
    counts = _sizes(reps)
    return Array(t.tile(counts) if t.ndim or counts else t.clone())


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Array:
    """Return each element repeated."""
    t = tensor(a)
    if axis is None:
        t, axis = t.reshape(-1), 0
    if isinstance(repeats, (int, np.integer)):
        return Array(torch.repeat_interleave(t, int(repeats), dim=axis))
    counts = tensor(repeats).to(torch.int64).expand(t.shape[axis])
    return Array(torch.repeat_interleave(t, counts, dim=axis))


def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    """Return elements moved around."""
    t = tensor(a)
    if axis is None:
        return Array(t.reshape(-1).roll(int(shift)).reshape(t.shape))
    dims = axis if isinstance(axis, (tuple, list)) else (axis,)
    moves = shift if isinstance(shift, (tuple, list)) else (shift,) * len(dims)
    return Array(t.roll(tuple(int(m) for m in moves), tuple(int(d) for d in dims)))


def flip(m: Any, axis: Any = None) -> Array:
    """Return axes that run backwards, a view."""
    owner = asarray(m)
    dims = tuple(range(owner.t.ndim)) if axis is None else axes(axis, owner.t.ndim)
    key = tuple(slice(None, None, -1) if d in dims else slice(None) for d in range(owner.t.ndim))
    return getitem(owner, key)


def flipud(m: Any) -> Array:
    """Return the first axis backwards, a view."""
    return flip(m, 0)


def fliplr(m: Any) -> Array:
    """Return the second axis backwards, a view."""
    return flip(m, 1)


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Array:
    """Return a plane turned by quarters."""
    return Array(torch.rot90(tensor(m), int(k), tuple(axes)))


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Return values put behind an array."""
    if axis is None:
        return concatenate((ravel(arr), ravel(values)))
    return concatenate((arr, values), axis)


def delete(arr: Any, obj: Any, axis: int | None = None) -> Array:
    """Return an array without some places."""
    t = tensor(arr)
    if axis is None:
        t, axis = t.reshape(-1), 0
    kept = torch.ones(t.shape[axis], dtype=torch.bool, device=t.device)
    if isinstance(obj, slice):
        kept[torch.arange(t.shape[axis], device=t.device)[obj]] = False
    else:
        places = tensor(obj)
        kept[places if places.dtype is torch.bool else places.to(torch.int64)] = False
    return Array(t.index_select(axis, kept.nonzero().reshape(-1)))


def insert(arr: Any, obj: int, values: Any, axis: int | None = None) -> Any:
    """Return an array with values put before one place.

    Raises
    ------
    NotImplementedError
        If several places are given.
    """
    t = tensor(arr)
    if axis is None:
        t, axis = t.reshape(-1), 0
    if not isinstance(obj, (int, np.integer)):
        raise NotImplementedError("numpy.insert at several places is not implemented")
    new = tensor(values).to(t.dtype)
    shape = list(t.shape)
    shape[axis] = (
        1
        if new.ndim < t.ndim and t.ndim > 1
        else max(new.numel() if t.ndim == 1 else new.shape[axis], 1)
    )
    new = (
        new.reshape(shape)
        if t.ndim == 1
        else (new.unsqueeze(axis) if new.ndim == t.ndim - 1 else new).expand(shape)
    )
    place = int(obj) + (t.shape[axis] if obj < 0 else 0)
    before, after = t.split((place, t.shape[axis] - place), dim=axis)
    return Array(torch.cat((before, new, after), dim=axis))


def resize(a: Any, new_shape: Any) -> Array:
    """Return the elements repeated until they fill a shape."""
    t = tensor(a).reshape(-1)
    shape = _sizes(new_shape)
    count = int(np.prod(shape))
    return Array(t.repeat(-(-count // max(t.numel(), 1)))[:count].reshape(shape))


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Array:
    """Return it without the zeros at its ends."""
    del axis
    owner = asarray(filt)
    places = owner.t.nonzero().reshape(-1)
    if not places.numel():
        return getitem(owner, slice(0, 0))
    first = int(places[0]) if "f" in trim.lower() else 0
    last = int(places[-1]) + 1 if "b" in trim.lower() else owner.t.shape[0]
    return getitem(owner, slice(first, last))


def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Array:
    """Return windows along axes, without copying."""
    del subok, writeable
    owner = asarray(x)
    sizes = _sizes(window_shape)
    dims = tuple(range(owner.t.ndim)) if axis is None else axes(axis, owner.t.ndim)
    t = owner.t
    for dim, size in zip(dims, sizes, strict=True):
        if size > t.shape[dim]:
            raise ValueError("window shape cannot be larger than input array shape")
        t = t.unfold(dim, size, 1)
    return view(owner, t)


def as_strided(
    x: Any, shape: Any = None, strides: Any = None, *, subok: bool = False, writeable: bool = True
) -> Array:
    """Return the memory read with other steps."""
    del subok, writeable
    owner = asarray(x)
    width = owner.t.element_size()
    sizes = tuple(owner.t.shape) if shape is None else _sizes(shape)
    steps = owner.t.stride() if strides is None else tuple(int(s) // width for s in strides)
    if any(step < 0 for step in steps):
        raise NotImplementedError("strides below 0 are not implemented")
    return view(owner, torch.as_strided(owner.t, sizes, steps, owner.t.storage_offset()))


def block(arrays: Any) -> Any:
    """Return nested lists of blocks joined."""

    def joined(part: Any, depth: int) -> Array:
        if not isinstance(part, list):
            return asarray(part)
        inner = [joined(one, depth - 1) for one in part]
        wide = max(depth, *(one.t.ndim for one in inner))
        return concatenate([_grown(one, wide) for one in inner], -depth)  # type: ignore[no-any-return]

    def deep(part: Any) -> int:
        return 1 + max(deep(one) for one in part) if isinstance(part, list) else 0

    return joined(arrays, deep(arrays))


def _grown(owner: Array, count: int) -> Array:
    missing = count - owner.t.ndim
    return Array(owner.t.reshape((1,) * missing + tuple(owner.t.shape))) if missing > 0 else owner


def pad(array: Any, pad_width: Any, mode: str = "constant", **how: Any) -> Array:
    """Return an array with a border, by places along one axis after the other.

    Raises
    ------
    NotImplementedError
        If the border is made in another way than these five.
    """
    t = tensor(array)
    widths = np.broadcast_to(np.asarray(pad_width), (t.ndim, 2)).tolist()
    if mode == "constant":
        return _bordered(t, widths, how.get("constant_values", 0))
    for dim, (before, after) in enumerate(widths):
        n = t.shape[dim]
        places = np.arange(-before, n + after)
        match mode:
            case "edge":
                found = places.clip(0, n - 1)
            case "wrap":
                found = places % n
            case "symmetric":
                found = places % (2 * n)
                found = np.where(found >= n, 2 * n - 1 - found, found)
            case "reflect":
                period = max(2 * (n - 1), 1)
                found = places % period
                found = np.where(found >= n, period - found, found)
            case _:
                raise NotImplementedError(f"borders of the mode {mode!r} are not implemented")
        t = t.index_select(dim, torch.from_numpy(found.astype(np.int64)).to(Bound.device))
    return Array(t)


def _bordered(t: Any, widths: Any, value: Any) -> Array:
    values = np.broadcast_to(np.asarray(value), (t.ndim, 2)).tolist()
    for dim, ((before, after), ends) in enumerate(zip(widths, values, strict=True)):
        parts = []
        for count, end in zip((before, after), ends, strict=True):
            shape = list(t.shape)
            shape[dim] = count
            parts.append(torch.full(shape, end, device=t.device).to(t.dtype))
        t = torch.cat((parts[0], t, parts[1]), dim=dim)
    return Array(t)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return a diagonal, a view."""
    owner = asarray(a)
    return view(owner, torch.diagonal(owner.t, int(offset), axis1, axis2))


def diag(v: Any, k: int = 0) -> Array:
    """Return a matrix of a diagonal, or the diagonal of a matrix as a copy."""
    return Array(torch.diag(tensor(v), int(k)).clone())


def diagflat(v: Any, k: int = 0) -> Array:
    """Return a matrix of a diagonal."""
    return Array(torch.diag(tensor(v).reshape(-1), int(k)))


def tril(m: Any, k: int = 0) -> Array:
    """Return it with zeros above a diagonal."""
    return Array(torch.tril(tensor(m), int(k)))


def triu(m: Any, k: int = 0) -> Array:
    """Return it with zeros below a diagonal."""
    return Array(torch.triu(tensor(m), int(k)))


def shape(a: Any) -> tuple[int, ...]:
    """Return the lengths of its axes."""
    return tuple(tensor(a).shape)


def ndim(a: Any) -> int:
    """Return the number of axes."""
    return int(tensor(a).ndim)


def size(a: Any, axis: int | None = None) -> int:
    """Return the number of elements, or the length of an axis."""
    t = tensor(a)
    return int(t.numel() if axis is None else t.shape[axis])


METHODS = {"reshape": _reshape_method, "transpose": _transpose_method}
