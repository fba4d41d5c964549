"""Counts, covariances, differences and convolutions as NumPy gives them."""

from __future__ import annotations

from typing import Any

import numpy as np

from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import Bound, bound_torch
from breakeven.port.tensors.operands import axes, pair, tensor, together
from breakeven.port.tensors.types import INEXACT, as_torch

torch = bound_torch()


def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None,
    fweights: Any = None, aweights: Any = None, *, dtype: Any = None,
) -> Array:  # fmt: skip
    """Return covariances, of rows unless `rowvar` says columns; also where one array is given."""
    if fweights is not None or aweights is not None:
        raise NotImplementedError("weights in numpy.cov are not implemented")
    x = _rows(tensor(m), rowvar)
    if y is not None:
        x = torch.cat(together([Array(x), Array(_rows(tensor(y), rowvar))]))
    x = x.to(as_torch(dtype)) if dtype is not None else x
    # NumPy computes covariances in float64 at least.
    x = x.to(torch.complex128 if x.is_complex() else torch.float64) if dtype is None else x
    less = (0 if bias else 1) if ddof is None else ddof
    gap = x - x.mean(dim=1, keepdim=True)
    return Array((gap @ gap.mH / (x.shape[1] - less)).squeeze())


def _rows(t: Any, rowvar: bool) -> Any:
    t = torch.atleast_2d(t)
    return t if rowvar or t.shape[0] == 1 else t.mT


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """Return correlations, of rows unless `rowvar` says columns."""
    c = cov(x, y, rowvar, dtype=dtype).t
    if c.ndim == 0:
        return Array(c / c)
    spread = torch.sqrt(torch.diagonal(c).real)
    found = c / spread[:, None] / spread[None, :]
    return Array(found if found.is_complex() else found.clamp(-1, 1))


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Array:
    """Return how often each number occurs, or the sums of its weights."""
    t = tensor(x)
    if t.dtype in INEXACT:
        raise TypeError("Cannot cast array data to int64 according to the rule 'safe'")
    w = None if weights is None else tensor(weights).to(torch.float64)
    return Array(torch.bincount(t, w, int(minlength)))


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Array, Array]:
    """Return counts in bins, with the edges of these."""
    t = tensor(a).reshape(-1)
    if isinstance(bins, str):
        raise NotImplementedError("bins by name are not implemented")
    edges = _edges(t, bins, range)
    place = torch.searchsorted(edges, t.to(edges.dtype), right=True) - 1
    place = torch.where(t == edges[-1], edges.numel() - 2, place)
    inside = (place >= 0) & (place < edges.numel() - 1) & (t <= edges[-1])
    w = None if weights is None else tensor(weights).reshape(-1)[inside].to(torch.float64)
    counts = torch.bincount(place[inside], w, edges.numel() - 1)
    if density:
        counts = counts / (counts.sum() * torch.diff(edges))
    given = not isinstance(bins, (int, np.integer))
    return Array(counts), Array(tensor(bins) if given else edges)


def _edges(t: Any, bins: Any, span: Any) -> Any:
    from breakeven.port.tensors.create import linspace  # noqa: PLC0415  one name

    if not isinstance(bins, (int, np.integer)):
        return tensor(bins).to(torch.float64)
    if span is not None:
        low, high = (float(end) for end in span)
    elif t.numel():
        low, high = float(t.min()), float(t.max())
    else:
        low, high = 0.0, 1.0
    if low == high:
        low, high = low - 0.5, high + 0.5
    return linspace(low, high, int(bins) + 1).t


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Return differences of neighbours."""
    t = tensor(a)
    axis = axes(axis, t.ndim)[0]
    shape = list(t.shape)
    shape[axis] = 1
    ends = [None if e is None else tensor(e) for e in (prepend, append)]
    first, last = (e if e is None or e.ndim else e.expand(shape) for e in ends)
    parts = together([Array(p) for p in (first, t, last) if p is not None])
    whole = torch.cat(parts, dim=axis) if len(parts) > 1 else t
    return Array(torch.diff(whole, int(n), dim=axis))


def ediff1d(ary: Any) -> Array:
    """Return differences of neighbours in one row."""
    return Array(torch.diff(tensor(ary).reshape(-1)))


def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return slopes by axis."""
    t = tensor(f)
    t = t if t.dtype in INEXACT else t.to(torch.float64)
    dims = tuple(range(t.ndim)) if axis is None else axes(axis, t.ndim)
    gaps = list(spacing) or [1.0]
    gaps = gaps * len(dims) if len(gaps) == 1 else gaps
    if any(tensor(g).ndim for g in gaps):
        raise NotImplementedError("uneven spacing in numpy.gradient is not implemented")
    found = [
        Array(
            torch.gradient(t, spacing=1.0, dim=d, edge_order=edge_order)[0] / tensor(g).to(t.dtype)
        )
        for d, g in zip(dims, gaps, strict=True)
    ]
    return found[0] if len(found) == 1 else tuple(found)


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Array:
    """Return integrals by trapezoids."""
    t = tensor(y)
    t = t if t.dtype in INEXACT else t.to(torch.float64)
    if x is None:
        return Array(torch.trapezoid(t, dx=float(dx), dim=axis))
    a, b = pair(Array(t), x)
    return Array(torch.trapezoid(a, b, dim=axis))


def convolve(a: Any, v: Any, mode: str = "full") -> Array:
    """Return the convolution of two rows."""
    x, y = pair(a, v)
    if x.numel() < y.numel():
        x, y = y, x
    n, m = x.numel(), y.numel()
    kind = x.dtype
    flat = x if kind in INEXACT else x.to(torch.float64)
    if flat.is_complex():
        raise NotImplementedError("numpy.convolve of complex numbers is not implemented")
    # Windows times a row, in full precision: a convolution of the library may round to TF32.
    border = flat.new_zeros(m - 1)
    windows = torch.cat((border, flat, border)).unfold(0, m, 1)
    filled = torch.mv(windows, y.to(flat.dtype).flip(0))
    full = filled if kind in INEXACT else filled.round().to(kind)
    if mode == "same":
        start = (m - 1) // 2
        return Array(full[start : start + n])
    return Array(full[m - 1 : n] if mode == "valid" else full)


def correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    """Return the correlation of two rows."""
    x, y = tensor(a), tensor(v)
    if x.numel() < y.numel():
        raise NotImplementedError("numpy.correlate of a row with a longer one is not implemented")
    return convolve(Array(x), Array(y.flip(0)), mode)


def polyval(p: Any, x: Any) -> Array:
    """Return a polynomial's values."""
    factors, at = tensor(p), tensor(x)
    factors, at = pair(Array(factors), Array(at))
    found = torch.zeros_like(at)
    for factor in factors.unbind(0):
        found = found * at + factor
    return Array(found)


def window(name: str) -> Any:
    """Return a function that gives a window's values: NumPy's own, which travel."""
    make = getattr(np, name)
    return lambda *args: Array(torch.from_numpy(make(*args)).to(Bound.device))
