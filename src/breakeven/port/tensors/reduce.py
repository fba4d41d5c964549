"""NumPy's reductions: population variance, its types of sums, NaN and ties as it treats them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import bound_torch
from breakeven.port.tensors.operands import axes, tensor, written
from breakeven.port.tensors.types import INEXACT, REAL, REAL_OF, as_torch, floating
from breakeven.port.tensors.ufuncs import accumulates, reduces

torch = bound_torch()
Function = Callable[..., Any]
Axis = Any


def _plain(a: Any, axis: Axis) -> bool:
    """Say whether it is the common case, which goes the short way: real numbers, one axis."""
    if type(a) is not Array or type(axis) is not int:
        return False
    t = a.t
    return t.dtype in REAL and -t.ndim <= axis < t.ndim and t.shape[axis] > 0


def _dims(axis: Axis, t: Any) -> tuple[int, ...]:
    return tuple(range(t.ndim)) if axis is None else axes(axis, t.ndim)


def _done(values: Any, out: Any) -> Any:
    return Array(values) if out is None else written(out, values)


def _where(t: Any, where: Any, neutral: Any) -> Any:
    if where is None or where is True:
        return t
    return torch.where(tensor(where), t, torch.tensor(neutral, dtype=t.dtype, device=t.device))


def sum(  # noqa: A001  NumPy's name
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
    initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """Return sums; narrow integers are summed in 64 bits."""
    if out is None and initial is None and where is None and dtype is None and _plain(a, axis):
        return Array(torch.sum(a.t, axis, keepdims))
    t = _where(tensor(a), where, 0)
    values = _sum(t, axis, keepdims, as_torch(dtype))
    return _done(values if initial is None else values + initial, out)


def _sum(t: Any, axis: Axis, keepdims: bool, dtype: Any = None) -> Any:
    if axis is None and not keepdims:
        return torch.sum(t, dtype=dtype)
    dims = _dims(axis, t)
    if not dims:
        return t.clone() if dtype is None else t.to(dtype)
    return torch.sum(t, dim=dims, keepdim=keepdims, dtype=dtype)


def prod(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
    initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """Return products; narrow integers are multiplied in 64 bits."""
    t = _where(tensor(a), where, 1)
    wanted = as_torch(dtype)
    if axis is None and not keepdims:
        values = torch.prod(t, dtype=wanted)
    else:
        values = t if wanted is None else t.to(wanted)
        if not _dims(axis, t) and wanted is None and t.dtype not in INEXACT:
            values = t.to(torch.int64)
        for dim in sorted(_dims(axis, t), reverse=True):
            values = torch.prod(values, dim=dim, keepdim=keepdims)
    return _done(values if initial is None else values * initial, out)


def mean(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
    *, where: Any = None,
) -> Any:  # fmt: skip
    """Return means; those of integers are of float64."""
    if out is None and where is None and dtype is None and _plain(a, axis):
        return Array(torch.mean(a.t, axis, keepdims))
    t = tensor(a)
    wanted = as_torch(dtype)
    if where is not None and where is not True:
        mask = tensor(where).expand(t.shape)
        whole = _sum(_where(_as_float(t, wanted), where, 0), axis, keepdims)
        return _done(whole / _sum(mask, axis, keepdims), out)
    if wanted is None and t.dtype not in INEXACT:
        wanted = torch.float64
    if axis is None and not keepdims:
        return _done(torch.mean(t, dtype=wanted), out)
    return _done(torch.mean(t, dim=_dims(axis, t), keepdim=keepdims, dtype=wanted), out)


def _as_float(t: Any, wanted: Any) -> Any:
    if wanted is not None:
        return t.to(wanted)
    return t if t.dtype in INEXACT else t.to(torch.float64)


def var(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0,
    keepdims: bool = False, *, where: Any = None, mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """Return variances of the population, unless `ddof` says otherwise."""
    return _done(_var(a, axis, dtype, ddof, keepdims, where, mean, correction), out)


def _var(
    a: Any, axis: Axis, dtype: Any, ddof: float, keepdims: bool, where: Any, centre: Any,
    correction: Any,
) -> Any:  # fmt: skip
    t = _as_float(tensor(a), as_torch(dtype))
    if correction is not None:
        ddof = correction
    dims = _dims(axis, t)
    mask = None if where is None or where is True else tensor(where).expand(t.shape)
    count: Any = 1
    for dim in dims:
        count *= t.shape[dim]
    if mask is not None:
        count = _sum(mask, axis, keepdims=True)
    if centre is None:
        centre_t = _sum(_where(t, where, 0), dims, keepdims=True) / count
    else:
        centre_t = tensor(centre)
    gap = t - centre_t
    squares = (gap * gap.conj()).real if gap.is_complex() else gap * gap
    whole = _sum(_where(squares, where, 0), dims, keepdims)
    if mask is not None and not keepdims:
        count = count.reshape(whole.shape)
    left = count - ddof
    if mask is None and left <= 0:
        left = 0
    return whole / left


def std(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0,
    keepdims: bool = False, *, where: Any = None, mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """Return standard deviations of the population, unless `ddof` says otherwise."""
    return _done(torch.sqrt(_var(a, axis, dtype, ddof, keepdims, where, mean, correction)), out)


def _extreme(name: str, whole: Function, along: Function, neutral: int) -> Function:
    def call(
        a: Any, axis: Axis = None, out: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = None,
    ) -> Any:  # fmt: skip
        if out is None and initial is None and where is None and _plain(a, axis):
            return Array(along(a.t, axis, keepdims))
        t = tensor(a)
        if where is not None and where is not True:
            if initial is None:
                raise ValueError(f"reduction operation {name!r} needs `initial` beside `where`")
            t = _where(t, where, initial)
        narrow = t.dtype is torch.bool
        t = t.to(torch.uint8) if narrow else t
        if not t.numel():
            return _of_nothing(name, t, axis, initial, keepdims)
        if axis is None and not keepdims:
            values = whole(t)
        else:
            dims = _dims(axis, t)
            values = along(t, dim=dims, keepdim=keepdims) if dims else t.clone()
        if initial is not None:
            first = torch.tensor(initial, dtype=values.dtype, device=values.device)
            values = torch.maximum(values, first) if neutral < 0 else torch.minimum(values, first)
        return _done(values.to(torch.bool) if narrow else values, out)

    call.__name__ = call.__qualname__ = name
    return call


def _of_nothing(name: str, t: Any, axis: Axis, initial: Any, keepdims: bool) -> Any:
    dims = _dims(axis, t)
    if initial is None and any(t.shape[dim] == 0 for dim in dims):
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    shape = [1 if d in dims else n for d, n in enumerate(t.shape) if keepdims or d not in dims]
    return Array(torch.full(shape, initial or 0, dtype=t.dtype, device=t.device))


max = _extreme("maximum", torch.max, torch.amax, -1)  # noqa: A001  NumPy's name
min = _extreme("minimum", torch.min, torch.amin, 1)  # noqa: A001  NumPy's name


def ptp(a: Any, axis: Axis = None, out: Any = None, keepdims: bool = False) -> Any:
    """Return the greatest less the smallest."""
    t = tensor(a)
    return _done(max(Array(t), axis, None, keepdims).t - min(Array(t), axis, None, keepdims).t, out)


def _place(act: Function) -> Function:
    def call(a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Any:
        t = tensor(a)
        if not t.numel():
            raise ValueError("attempt to get an extreme place of an empty sequence")
        if t.dtype is torch.bool:
            t = t.to(torch.uint8)
        if axis is None:
            values = act(t.reshape(-1), dim=0)
            return _done(values.reshape((1,) * t.ndim) if keepdims else values, out)
        return _done(act(t, dim=axes(axis, t.ndim)[0], keepdim=keepdims), out)

    return call


def _first(act: Function) -> Function:
    """Return the first place of an extreme, or of a NaN, which PyTorch leaves open on a GPU."""

    def call(t: Any, dim: int, keepdim: bool = False) -> Any:
        extreme = act(t, dim=dim, keepdim=True)
        hit = t == extreme
        if t.dtype in REAL:
            hit = hit | torch.isnan(t)
        # The greatest of places counted from the end is the first.
        shape = [1] * t.ndim
        shape[dim] = t.shape[dim]
        back = torch.arange(t.shape[dim], 0, -1, device=t.device).reshape(shape)
        return t.shape[dim] - (hit * back).amax(dim=dim, keepdim=keepdim)

    return call


argmax = _place(_first(torch.amax))
argmin = _place(_first(torch.amin))


def _truth(act: Function, neutral: bool) -> Function:
    def call(
        a: Any,
        axis: Axis = None,
        out: Any = None,
        keepdims: bool = False,
        *,
        where: Any = None,
    ) -> Any:
        t = _where(tensor(a).to(torch.bool), where, neutral)
        if axis is None and not keepdims:
            return _done(act(t), out)
        for dim in sorted(_dims(axis, t), reverse=True):
            t = act(t, dim=dim, keepdim=keepdims)
        return _done(t, out)

    return call


all = _truth(torch.all, neutral=True)  # noqa: A001  NumPy's name
any = _truth(torch.any, neutral=False)  # noqa: A001  NumPy's name


def count_nonzero(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Return how many are not zero."""
    return sum(Array(tensor(a) != 0), axis, None, None, keepdims)


def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """Return running sums, of all elements in a row unless an axis is named."""
    return _cumulated(torch.cumsum, a, axis, dtype, out)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """Return running products, of all elements in a row unless an axis is named."""
    return _cumulated(torch.cumprod, a, axis, dtype, out)


def _cumulated(act: Function, a: Any, axis: int | None, dtype: Any, out: Any) -> Any:
    t = tensor(a)
    if axis is None:
        t, axis = t.reshape(-1), 0
    return _done(act(t, axes(axis, t.ndim)[0], dtype=as_torch(dtype)), out)


def _without_nan(t: Any, instead: float) -> Any:
    if t.dtype not in INEXACT:
        return t
    return torch.where(torch.isnan(t), torch.full_like(t, instead), t)


def nansum(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Return sums without NaN."""
    return sum(Array(_without_nan(tensor(a), 0.0)), axis, dtype, out, keepdims)


def nanprod(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Return products without NaN."""
    return prod(Array(_without_nan(tensor(a), 1.0)), axis, dtype, out, keepdims)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """Return running sums without NaN."""
    return cumsum(Array(_without_nan(tensor(a), 0.0)), axis, dtype, out)


def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """Return running products without NaN."""
    return cumprod(Array(_without_nan(tensor(a), 1.0)), axis, dtype, out)


def _seen(t: Any) -> Any:
    return ~torch.isnan(t) if t.dtype in INEXACT else torch.ones_like(t, dtype=torch.bool)


def nanmean(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Return means without NaN."""
    t = _as_float(tensor(a), as_torch(dtype))
    whole = _sum(_without_nan(t, 0.0), axis, keepdims)
    return _done(whole / _sum(_seen(t), axis, keepdims), out)


def nanvar(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return variances without NaN; NaN where too few are left."""
    t = _as_float(tensor(a), as_torch(dtype))
    seen = _seen(t)
    count = _sum(seen, _dims(axis, t), keepdims=True)
    centre = _sum(_without_nan(t, 0.0), _dims(axis, t), keepdims=True) / count
    gap = torch.where(seen, t - centre, torch.zeros_like(t))
    squares = (gap * gap.conj()).real if gap.is_complex() else gap * gap
    whole = _sum(squares, axis, keepdims)
    left = (count - ddof).reshape(whole.shape)
    kind = REAL_OF.get(t.dtype, t.dtype)
    return _done(torch.where(left > 0, whole / left, torch.nan).to(kind), out)


def nanstd(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return standard deviations without NaN."""
    return _done(torch.sqrt(nanvar(a, axis, dtype, None, ddof, keepdims).t), out)


def _nan_extreme(act: Function, instead: float) -> Function:
    def call(a: Any, axis: Axis = None, out: Any = None, keepdims: bool = False) -> Any:
        t = tensor(a)
        if t.dtype not in INEXACT:
            return act(Array(t), axis, out, keepdims)
        values = act(Array(_without_nan(t, instead)), axis, None, keepdims).t
        none_seen = ~any(Array(_seen(t)), axis, None, keepdims).t
        return _done(torch.where(none_seen, torch.full_like(values, torch.nan), values), out)

    return call


nanmax = _nan_extreme(max, -float("inf"))
nanmin = _nan_extreme(min, float("inf"))


def _nan_place(act: Function, instead: float) -> Function:
    def call(a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Any:
        return act(Array(_without_nan(tensor(a), instead)), axis, out, keepdims=keepdims)

    return call


nanargmax = _nan_place(argmax, -float("inf"))
nanargmin = _nan_place(argmin, float("inf"))


def _middle(t: Any, axis: Axis, keepdims: bool) -> tuple[Any, int, tuple[int, ...]]:
    """Return a tensor with these axes joined into the last, and the shape to give back."""
    dims = _dims(axis, t)
    rest = [d for d in range(t.ndim) if d not in dims]
    moved = t.permute(*rest, *dims)
    shape = moved.shape[: len(rest)]
    flat = moved.reshape(*shape, -1)
    kept = (
        tuple(1 if d in dims else t.shape[d] for d in range(t.ndim)) if keepdims else tuple(shape)
    )
    return flat, len(rest), kept


def quantile(
    a: Any, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return quantiles by sorting; NaN where there is one among the values.

    Raises
    ------
    NotImplementedError
        If another method of interpolation is asked for than these five.
    """
    del overwrite_input
    t = tensor(a)
    values, _, shape = _middle(_as_float(t, None), axis, keepdims)
    ordered = values.sort(dim=-1).values
    wanted = tensor(q).to(torch.float64)
    count = torch.full((), ordered.shape[-1], dtype=torch.float64, device=t.device)
    found = _interpolated(ordered, wanted.reshape(-1), count.expand(ordered.shape[:-1]), method)
    found = torch.where(torch.isnan(values).any(dim=-1), torch.nan, found).to(values.dtype)
    return _done(found.reshape((*wanted.shape, *shape)), out)


def _interpolated(ordered: Any, q: Any, count: Any, method: str) -> Any:
    """Return quantiles of sorted rows, whose first `count` values matter: quantile axis first."""
    place = q.reshape((-1,) + (1,) * count.ndim) * (count - 1)
    low = place.floor().clamp(min=0)
    rest = place - low
    match method:
        case "linear":
            share = rest
        case "lower":
            share = torch.zeros_like(rest)
        case "higher":
            share = (rest > 0).to(rest.dtype)
        case "midpoint":
            share = (rest > 0).to(rest.dtype) * 0.5
        case "nearest":
            share = torch.round(place) - low
        case _:
            raise NotImplementedError(f"quantiles by the method {method!r} are not implemented")
    first = low.to(torch.int64)
    second = torch.minimum(first + 1, (count - 1).clamp(min=0).to(torch.int64))
    rows = ordered.expand(first.shape[0], *ordered.shape)
    below = torch.gather(rows, -1, first.unsqueeze(-1)).squeeze(-1)
    above = torch.gather(rows, -1, second.unsqueeze(-1)).squeeze(-1)
    share = share.to(below.dtype)
    gap = above - below
    # As NumPy does, from the nearer end, so that both ends are exact.
    near = torch.where(share < 0.5, below + gap * share, above - gap * (1 - share))
    return torch.where(share == 0, below, near)


def percentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    """Return percentiles."""
    return quantile(a, Array(tensor(q).to(torch.float64) / 100), *args, **kwargs)


def nanquantile(
    a: Any, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return quantiles without NaN, which a sort puts last."""
    del overwrite_input
    t = tensor(a)
    values, _, shape = _middle(_as_float(t, None), axis, keepdims)
    ordered = values.sort(dim=-1).values
    count = (~torch.isnan(values)).sum(dim=-1).to(torch.float64)
    wanted = tensor(q).to(torch.float64)
    found = _interpolated(ordered, wanted.reshape(-1), count, method).to(values.dtype)
    return _done(found.reshape((*wanted.shape, *shape)), out)


def nanpercentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    """Return percentiles without NaN."""
    return nanquantile(a, Array(tensor(q).to(torch.float64) / 100), *args, **kwargs)


def median(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:
    """Return medians: the mean of both middle values where there are two."""
    del overwrite_input
    return _median(a, axis, out, keepdims, quantile)


def nanmedian(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:
    """Return medians without NaN."""
    del overwrite_input
    return _median(a, axis, out, keepdims, nanquantile)


def _median(a: Any, axis: Axis, out: Any, keepdims: bool, act: Function) -> Any:
    return act(a, 0.5, axis, out, method="midpoint", keepdims=keepdims)


def average(
    a: Any,
    axis: Axis = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Return weighted means."""
    t = tensor(a)
    if weights is None:
        found = mean(Array(t), axis, None, None, keepdims)
        scale = Array(torch.full_like(found.t, t.numel() / (found.t.numel() or 1)))
        return (found, scale) if returned else found
    w = tensor(weights)
    if w.ndim == 1 and t.ndim > 1 and axis is not None:
        shape = [1] * t.ndim
        shape[axes(axis, t.ndim)[0]] = -1
        w = w.reshape(shape)
    dtype = floating(torch.promote_types(t.dtype, w.dtype)) if t.dtype in INEXACT else torch.float64
    w = w.expand(t.shape).to(dtype)
    scale_t = _sum(w, axis, keepdims)
    found = Array(_sum(t.to(dtype) * w, axis, keepdims) / scale_t)
    return (found, Array(scale_t)) if returned else found


reduces("add", sum)
reduces("multiply", prod)
reduces("maximum", max)
reduces("minimum", min)
reduces("logical_and", all)
reduces("logical_or", any)
accumulates("add", cumsum)
accumulates("multiply", cumprod)
