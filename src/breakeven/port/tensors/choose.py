"""Chooses, sorts and finds elements: ties keep their order, NaN comes last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from breakeven.errors import RefusedError
from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import Bound, bound_torch
from breakeven.port.tensors.create import arange, asarray, meshgrid
from breakeven.port.tensors.index import setitem
from breakeven.port.tensors.operands import axes, common, operand, tensor, together, written
from breakeven.port.tensors.types import INEXACT, REAL, floating

torch = bound_torch()


def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """Return elements of one or the other in NumPy's common type; alone, the places that hold."""
    if x is None and y is None:
        return nonzero(condition)
    mask = tensor(condition).to(torch.bool)
    a, b = operand(x), operand(y)
    dtype = common(a, b)
    a, b = (torch.as_tensor(v, device=mask.device).to(dtype) for v in (a, b))
    return Array(torch.where(mask, a, b))


def nonzero(a: Any) -> tuple[Array, ...]:
    """Return the places that are not zero, by axis."""
    t = tensor(a)
    return tuple(Array(part) for part in torch.nonzero(t, as_tuple=True))


def flatnonzero(a: Any) -> Array:
    """Return the places that are not zero, in one row."""
    return Array(torch.nonzero(tensor(a).reshape(-1)).reshape(-1))


def argwhere(a: Any) -> Array:
    """Return the places that are not zero, a row each."""
    return Array(torch.nonzero(tensor(a)))


def take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> Any:
    """Return elements at places along an axis."""
    t, places = tensor(a), tensor(indices).to(torch.int64)
    if axis is None:
        t, axis = t.reshape(-1), 0
    axis = axes(axis, t.ndim)[0]
    if mode == "clip":
        places = places.clamp(0, t.shape[axis] - 1)
    elif mode == "wrap":
        places = places % t.shape[axis]
    key = (slice(None),) * axis + (places,)
    return written(out, t[key])


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Array:
    """Return elements at places that differ along the other axes."""
    t, places = tensor(arr), tensor(indices).to(torch.int64)
    if axis is None:
        t, axis = t.reshape(-1), 0
    axis = axes(axis, t.ndim)[0]
    shape = torch.broadcast_shapes(_but(t.shape, axis), _but(places.shape, axis))
    n = t.shape[axis]
    places = torch.where(places < 0, places + n, places)
    t = t.expand(*shape[:axis], n, *shape[axis + 1 :])
    places = places.expand(*shape[:axis], places.shape[axis], *shape[axis + 1 :])
    return Array(torch.gather(t, axis, places))


def _but(shape: Any, axis: int) -> tuple[int, ...]:
    return (*shape[:axis], 1, *shape[axis + 1 :])


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """Write elements at places that differ along the other axes."""
    t, places = arr.t, tensor(indices).to(torch.int64)
    if axis is None:
        raise RefusedError("places of a flat array are written", "numpy.put_along_axis", "axis")
    axis = axes(axis, t.ndim)[0]
    places = torch.where(places < 0, places + t.shape[axis], places)
    shape = list(t.shape)
    shape[axis] = places.shape[axis]
    source = tensor(values).to(t.dtype).expand(shape)
    arr.write(t.scatter(axis, places.expand(shape), source))


def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Write elements at places of the flat array."""
    del mode
    t = a.t.clone().reshape(-1)
    places = tensor(ind).to(torch.int64).reshape(-1)
    values = tensor(v).to(t.dtype).reshape(-1)
    count = places.numel()
    t[places] = values.repeat(-(-count // max(values.numel(), 1)))[:count]
    a.write(t.reshape(a.t.shape))


def putmask(a: Any, mask: Any, values: Any) -> None:
    """Write values where a mask says so, each at its own place."""
    source = tensor(values).to(a.t.dtype)
    if source.shape != a.t.shape:
        count = a.t.numel()
        source = source.reshape(-1).repeat(-(-count // max(source.numel(), 1)))[:count]
    a.write(torch.where(tensor(mask).to(torch.bool), source.reshape(a.t.shape), a.t))


def place(arr: Any, mask: Any, vals: Any) -> None:
    """Write values where a mask says so, one after the other."""
    chosen = tensor(mask).to(torch.bool)
    count = int(chosen.sum())
    source = tensor(vals).to(arr.t.dtype).reshape(-1)
    setitem(arr, Array(chosen), Array(source.repeat(-(-count // max(source.numel(), 1)))[:count]))


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write one array into another."""
    del casting
    source = torch.as_tensor(operand(src), device=dst.t.device).to(dst.t.dtype)
    if where is not True:
        source = torch.where(tensor(where).to(torch.bool), source, dst.t)
    dst.write(source.expand(dst.t.shape).clone())


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write a value on the main diagonal of a matrix."""
    if wrap or a.t.ndim != 2:
        raise RefusedError("only the diagonal of a matrix is filled", "numpy.fill_diagonal")
    t = a.t.clone()
    torch.diagonal(t).copy_(tensor(val).to(t.dtype))
    a.write(t)


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Return for each place the element of the array that it numbers."""
    del mode
    number = tensor(a).to(torch.int64)
    parts = torch.stack(torch.broadcast_tensors(*together(choices)))
    shape = torch.broadcast_shapes(number.shape, parts.shape[1:])
    parts = parts.expand(parts.shape[0], *shape)
    return written(out, torch.gather(parts, 0, number.expand(shape).unsqueeze(0))[0])


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    """Return elements of the first array whose condition holds."""
    taken = [operand(c) for c in (*choicelist, default)]
    dtype = common(*taken)
    found = torch.as_tensor(taken[-1], device=Bound.device).to(dtype)
    for condition, choice in reversed(list(zip(condlist, taken[:-1], strict=True))):
        chosen = torch.as_tensor(choice, device=Bound.device).to(dtype)
        found = torch.where(tensor(condition), chosen, found)
    return Array(found)


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Array:
    """Return functions' values, each where its condition holds."""
    t = tensor(x)
    masks = [tensor(c).to(torch.bool) for c in condlist]
    functions = list(funclist)
    if len(functions) == len(masks) + 1:
        rest = ~torch.stack(masks).any(dim=0)
        masks.append(rest)
    made = torch.zeros_like(t)
    for mask, function in zip(masks, functions, strict=True):
        value = function(Array(t[mask]), *args, **kw) if callable(function) else function
        made[mask] = tensor(value).to(t.dtype)
    return Array(made)


def extract(condition: Any, arr: Any) -> Array:
    """Return the elements where a condition holds."""
    return Array(tensor(arr).reshape(-1)[tensor(condition).reshape(-1).to(torch.bool)])


def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """Return the parts along an axis where a condition holds."""
    t = tensor(a)
    if axis is None:
        t, axis = t.reshape(-1), 0
    places = torch.nonzero(tensor(condition)).reshape(-1)
    return written(out, t.index_select(axis, places))


def sort(
    a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Array:
    """Return a sorted copy."""
    del kind, order, stable
    t = tensor(a)
    if axis is None:
        t, axis = t.reshape(-1), 0
    return Array(_sorted(t, axes(axis, t.ndim)[0]).values)


def _sorted(t: Any, axis: int) -> Any:
    if t.is_complex():
        raise RefusedError("complex numbers are sorted", "numpy.sort", "a", "unsupported-dtype")
    return torch.sort(t, dim=axis, stable=True)


def _sort_method(self: Array, axis: int = -1, kind: Any = None, order: Any = None) -> None:
    del kind, order
    self.write(sort(Array(self.t), axis).t)


def argsort(
    a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Array:
    """Return the order of a stable sort."""
    del kind, order, stable
    t = tensor(a)
    if axis is None:
        t, axis = t.reshape(-1), 0
    return Array(_sorted(t, axes(axis, t.ndim)[0]).indices)


def partition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Array:
    """Return a sorted copy, which every partition allows."""
    del kth, kind, order
    return sort(a, axis)


def argpartition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Array:
    """Return the order of a stable sort, which every partition allows."""
    del kth, kind, order
    return argsort(a, axis)


def lexsort(keys: Any, axis: int = -1) -> Array:
    """Return the order by several keys, the last of them first."""
    parts = [tensor(key) for key in keys]
    axis = axes(axis, parts[0].ndim)[0]
    order = torch.sort(parts[0], dim=axis, stable=True).indices
    for part in parts[1:]:
        step = torch.sort(torch.gather(part, axis, order), dim=axis, stable=True).indices
        order = torch.gather(order, axis, step)
    return Array(order)


def unique(
    ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: int | None = None, *, equal_nan: bool = True, sorted: bool = True,
) -> Any:  # fmt: skip
    """Return different elements, sorted, with their first places, their numbers, their counts."""
    del sorted
    t = tensor(ar)
    if axis is not None:
        if return_index:
            raise RefusedError("first places along an axis", "numpy.unique", "return_index")
        found = torch.unique(t, dim=axis, return_inverse=True, return_counts=True)
        parts = [
            found[0],
            found[1] if return_inverse else None,
            found[2] if return_counts else None,
        ]
        return _several([Array(p) for p in parts if p is not None])
    flat = t.reshape(-1)
    ordered, order = torch.sort(flat, stable=True)
    new = torch.ones_like(ordered, dtype=torch.bool)
    new[1:] = ordered[1:] != ordered[:-1]
    if equal_nan and t.dtype in REAL:
        new[1:] &= ~(torch.isnan(ordered[1:]) & torch.isnan(ordered[:-1]))
    places = torch.nonzero(new).reshape(-1)
    made = [Array(ordered[places])]
    if return_index:
        made.append(Array(order[places]))
    if return_inverse:
        number = torch.empty_like(order)
        number[order] = torch.cumsum(new, 0) - 1
        made.append(Array(number.reshape(t.shape)))
    if return_counts:
        ends = torch.cat((places[1:], places.new_tensor([flat.numel()])))
        made.append(Array(ends - places))
    return _several(made)


def _several(made: list[Array]) -> Any:
    return made[0] if len(made) == 1 else tuple(made)


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, **_: Any
) -> Array:
    """Return whether each element is one of others."""
    a, b = together([element, test_elements])
    return Array(torch.isin(a, b, assume_unique=assume_unique, invert=invert))


def union1d(ar1: Any, ar2: Any) -> Any:
    """Return what is in either, sorted."""
    a, b = together([ar1, ar2])
    return unique(Array(torch.cat((a.reshape(-1), b.reshape(-1)))))


def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return what is in both, sorted."""
    del assume_unique
    if return_indices:
        raise RefusedError("places of what is in both", "numpy.intersect1d", "return_indices")
    a, b = together([ar1, ar2])
    a = unique(Array(a)).t
    return Array(a[torch.isin(a, b)])


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return what is in the first alone, sorted."""
    a, b = together([ar1, ar2])
    a = a.reshape(-1) if assume_unique else unique(Array(a)).t
    return Array(a[~torch.isin(a, b)])


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    """Return where values belong among sorted ones."""
    edges, values = together([a, v])
    if sorter is not None:
        edges = edges[tensor(sorter).to(torch.int64)]
    return Array(torch.searchsorted(edges.contiguous(), values.contiguous(), right=side == "right"))


def digitize(x: Any, bins: Any, right: bool = False) -> Array:
    """Return the number of the bin that each value falls in."""
    edges = tensor(bins)
    if edges.numel() > 1 and bool(edges[0] > edges[-1]):
        found = searchsorted(Array(edges.flip(0)), x, side="left" if not right else "right")
        return Array(edges.numel() - found.t)
    return searchsorted(Array(edges), x, side="left" if right else "right")


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Array:
    """Return values on the lines between points."""
    if period is not None:
        raise NotImplementedError("periods in numpy.interp are not implemented")
    points, values = tensor(xp).to(torch.float64), tensor(fp)
    values = values.to(floating(torch.float64 if not values.is_complex() else values.dtype))
    at = tensor(x).to(torch.float64)
    last = points.numel() - 1
    upper = torch.searchsorted(points, at.contiguous(), right=True).clamp(1, max(last, 1))
    upper = torch.minimum(upper, upper.new_tensor(last))
    lower = (upper - 1).clamp(min=0)
    slope = (values[upper] - values[lower]) / (points[upper] - points[lower])
    found = slope * (at - points[lower]) + values[lower]
    found = torch.where(at == points[upper], values[upper], found)
    below = values[0] if left is None else tensor(left).to(found.dtype)
    above = values[-1] if right is None else tensor(right).to(found.dtype)
    found = torch.where(at < points[0], below, torch.where(at > points[-1], above, found))
    return Array(torch.where(torch.isnan(at), torch.nan, found))


def _triangle(act: Callable[..., Any]) -> Callable[..., Any]:
    def call(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
        rows, columns = int(n), int(n if m is None else m)
        found = act(rows, columns, int(k), device=Bound.device)
        return Array(found[0]), Array(found[1])

    return call


tril_indices, triu_indices = _triangle(torch.tril_indices), _triangle(torch.triu_indices)


def tril_indices_from(arr: Any, k: int = 0) -> Any:
    """Return the places at and below a diagonal."""
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr: Any, k: int = 0) -> Any:
    """Return the places at and above a diagonal."""
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """Return the places of the main diagonal."""
    return (arange(n),) * ndim


def diag_indices_from(arr: Any) -> tuple[Array, ...]:
    """Return the places of the main diagonal of an array."""
    return diag_indices(arr.shape[0], arr.ndim)


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Array, ...]:
    """Return the places by axis of places in one row."""
    if order != "C":
        raise NotImplementedError("numpy.unravel_index in the order F is not implemented")
    rest = tensor(indices)
    sizes = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(n) for n in shape)
    found = []
    for length in reversed(sizes):
        found.append(Array(rest % length))
        rest = torch.div(rest, length, rounding_mode="floor")
    return tuple(reversed(found))


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Array:
    """Return the places in one row of places by axis."""
    del mode
    if order != "C":
        raise NotImplementedError("numpy.ravel_multi_index in the order F is not implemented")
    flat = torch.zeros((), dtype=torch.int64, device=Bound.device)
    for places, length in zip(multi_index, dims, strict=True):
        flat = flat * int(length) + tensor(places)
    return Array(flat)


def ix_(*args: Any) -> tuple[Array, ...]:
    """Return places that choose a grid."""
    parts = [tensor(a) for a in args]
    parts = [p.nonzero().reshape(-1) if p.dtype is torch.bool else p for p in parts]
    return meshgrid(*(Array(p) for p in parts), indexing="ij", sparse=True)


def isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Array:
    """Return whether elements agree to a tolerance."""
    x, y = together([a, b])
    if x.dtype not in INEXACT:
        x, y = x.to(torch.float64), y.to(torch.float64)
    return Array(torch.isclose(x, y, rtol, atol, equal_nan))


def allclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Array:
    """Return whether all elements agree to a tolerance."""
    return Array(isclose(a, b, rtol, atol, equal_nan).t.all())


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Return whether two arrays have one shape and the same elements."""
    a, b = asarray(a1).t, asarray(a2).t
    if a.shape != b.shape:
        return False
    same = a == b
    if equal_nan:
        same = same | (torch.isnan(a) & torch.isnan(b))
    return Array(same.all())


def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Array:
    """Return it with numbers for what is none."""
    owner = asarray(x)
    if owner.t.dtype not in INEXACT:
        return owner.copy() if copy else owner
    made = torch.nan_to_num(owner.t, nan, posinf, neginf)
    if copy:
        return Array(made)
    owner.write(made)
    return owner


METHODS = {"sort": _sort_method}
