"""Products of arrays, and linear algebra as NumPy gives it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from breakeven.port.tensors.arithmetic import matmul, multiplied
from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import bound_torch
from breakeven.port.tensors.operands import axes, common, pair, tensor, together, written
from breakeven.port.tensors.types import INEXACT, as_torch

torch = bound_torch()
la = torch.linalg


class EighResult(NamedTuple):
    """Values and vectors."""

    eigenvalues: Any
    eigenvectors: Any


class SVDResult(NamedTuple):
    """Left vectors, values, right vectors."""

    U: Any
    S: Any
    Vh: Any


class QRResult(NamedTuple):
    """Orthogonal and triangular factor."""

    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    """Sign and logarithm of a determinant."""

    sign: Any
    logabsdet: Any


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Return the product over the last axis of one and the last but one of the other."""
    x, y = pair(a, b)
    if not x.ndim or not y.ndim:
        return written(out, x * y)
    if x.ndim <= 2 and y.ndim <= 2:
        return written(out, multiplied(x, y))
    if y.ndim == 1:
        return written(out, multiplied(x, y))
    return written(out, torch.tensordot(x, y, dims=([x.ndim - 1], [y.ndim - 2])))


def inner(a: Any, b: Any) -> Array:
    """Return products over the last axes of both."""
    x, y = pair(a, b)
    if not x.ndim or not y.ndim:
        return Array(x * y)
    return Array(torch.tensordot(x, y, dims=([x.ndim - 1], [y.ndim - 1])))


def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Return products of each with each."""
    x, y = pair(a, b)
    return written(out, x.reshape(-1, 1) * y.reshape(1, -1))


def vdot(a: Any, b: Any) -> Array:
    """Return the product of all elements, those of the first conjugate."""
    x, y = pair(a, b)
    return Array((x.reshape(-1).conj() * y.reshape(-1)).sum())


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Return products over one axis, those of the first conjugate."""
    x, y = pair(x1, x2)
    return Array((x.conj() * y).sum(dim=axis).to(x.dtype))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Array:
    """Return products over chosen axes."""
    x, y = pair(a, b)
    if isinstance(axes, (int, np.integer)):
        return Array(torch.tensordot(x, y, dims=int(axes)))
    left, right = ([n] if isinstance(n, (int, np.integer)) else list(n) for n in axes)
    return Array(torch.tensordot(x, y, dims=(left, right)))


def einsum(
    subscripts: Any,
    *operands: Any,
    out: Any = None,
    optimize: Any = False,
    dtype: Any = None,
    **_: Any,
) -> Any:
    """Return a sum of products that is written in letters.

    Raises
    ------
    NotImplementedError
        If it is not written in letters.
    """
    del optimize
    if not isinstance(subscripts, str):
        raise NotImplementedError("numpy.einsum with numbered axes is not implemented")
    parts = (
        together(operands) if dtype is None else [tensor(o).to(as_torch(dtype)) for o in operands]
    )
    narrow = parts[0].dtype is torch.bool
    if narrow:
        parts = [p.to(torch.int32) for p in parts]
    made = torch.einsum(subscripts.replace(" ", ""), *parts)
    return written(out, made.to(torch.bool) if narrow else made)


def kron(a: Any, b: Any) -> Array:
    """Return the product of each element with a whole array."""
    return Array(torch.kron(*pair(a, b)))


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    """Return vector products in three dimensions.

    Raises
    ------
    NotImplementedError
        If the vectors have two dimensions.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = pair(a, b)
    x, y = x.movedim(axisa, -1), y.movedim(axisb, -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise NotImplementedError("numpy.cross in two dimensions is not implemented")
    x, y = torch.broadcast_tensors(x, y)
    return Array(la.cross(x, y, dim=-1).movedim(-1, axisc))


def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """Return sums of diagonals."""
    t = torch.diagonal(tensor(a), int(offset), axis1, axis2)
    return written(out, t.sum(dim=-1, dtype=as_torch(dtype)))


def _float(a: Any) -> Any:
    t = tensor(a)
    return t if t.dtype in INEXACT else t.to(torch.float64)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """Return norms of vectors or matrices."""
    t = _float(x)
    if axis is None and (ord is None or t.ndim == 1):
        kind = 2 if ord is None else ord
        flat = t.reshape(-1)
        if ord is None or ord == 2:
            found = torch.sqrt(
                (flat.real**2 + flat.imag**2 if flat.is_complex() else flat * flat).sum()
            )
        else:
            found = la.vector_norm(flat, kind)
        return Array(found.reshape((1,) * t.ndim) if keepdims else found)
    dims = axes((-2, -1) if axis is None else axis, t.ndim)
    if len(dims) == 1:
        return Array(la.vector_norm(t, 2 if ord is None else ord, dim=dims, keepdim=keepdims))
    return Array(la.matrix_norm(t, "fro" if ord is None else ord, dim=dims, keepdim=keepdims))


def _vectors(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """Return a system; NumPy 2 takes one right-hand side as a vector only where it has one axis."""
    x, y = _float(a), _float(b)
    dtype = common(x, y)
    x, y = x.to(dtype), y.to(dtype)
    return x, (y.unsqueeze(-1) if y.ndim == 1 else y), y.ndim == 1


def _checked(act: Any, *args: Any) -> Any:
    """Call, and turn PyTorch's error of a singular matrix into NumPy's."""
    try:
        return act(*args)
    except la.LinAlgError as error:
        raise np.linalg.LinAlgError(str(error).partition("\n")[0]) from error


def solve(a: Any, b: Any) -> Array:
    """Return the solution of a linear system."""
    x, y, flat = _vectors(a, b)
    # PyTorch takes rows of a matrix for vectors of a stack, which NumPy does not.
    found = _checked(la.solve, x, y.expand(*x.shape[:-2], *y.shape[-2:]) if x.ndim > y.ndim else y)
    return Array(found.squeeze(-1) if flat else found)


def inv(a: Any) -> Array:
    """Return inverses."""
    return Array(_checked(la.inv, _float(a)))


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """Return pseudo-inverses, cut off where NumPy cuts."""
    t = _float(a)
    cut = rcond if rcond is not None else rtol
    return Array(la.pinv(t, rtol=1e-15 if cut is None else cut, hermitian=hermitian))


def det(a: Any) -> Array:
    """Return determinants."""
    return Array(la.det(_float(a)))


def slogdet(a: Any) -> SlogdetResult:
    """Return signs and logarithms of determinants."""
    found = la.slogdet(_float(a))
    return SlogdetResult(Array(found.sign), Array(found.logabsdet))


def eigh(a: Any, UPLO: str = "L") -> EighResult:
    """Return values and vectors of symmetric matrices."""
    values, vectors = _checked(la.eigh, _float(a), UPLO)
    return EighResult(Array(values), Array(vectors))


def eigvalsh(a: Any, UPLO: str = "L") -> Array:
    """Return values of symmetric matrices."""
    return Array(_checked(la.eigvalsh, _float(a), UPLO))


def eig(a: Any) -> EighResult:
    """Return values and vectors, real ones where all are real, as NumPy gives them."""
    values, vectors = _checked(la.eig, _float(a))
    if not tensor(a).is_complex() and bool((values.imag == 0).all()):
        values, vectors = values.real, vectors.real
    return EighResult(Array(values), Array(vectors))


def eigvals(a: Any) -> Array:
    """Return values, real ones where all are real."""
    values = _checked(la.eigvals, _float(a))
    if not tensor(a).is_complex() and bool((values.imag == 0).all()):
        values = values.real
    return Array(values)


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Return singular values, with vectors unless they are not wanted."""
    del hermitian
    if not compute_uv:
        return Array(la.svdvals(_float(a)))
    u, s, v = _checked(lambda t: la.svd(t, full_matrices=full_matrices), _float(a))
    return SVDResult(Array(u), Array(s), Array(v))


def svdvals(x: Any, /) -> Array:
    """Return singular values."""
    return Array(la.svdvals(_float(x)))


def qr(a: Any, mode: str = "reduced") -> Any:
    """Return an orthogonal and a triangular factor."""
    if mode == "r":
        return Array(la.qr(_float(a), mode="r").R)
    q, r = la.qr(_float(a), mode=mode)
    return QRResult(Array(q), Array(r))


def cholesky(a: Any, /, *, upper: bool = False) -> Array:
    """Return triangular factors."""
    return Array(_checked(lambda t: la.cholesky(t, upper=upper), _float(a)))


def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, Any, int, Any]:
    """Return least squares through singular values, which serve on every device."""
    x, y, flat = _vectors(a, b)
    u, s, v = la.svd(x, full_matrices=False)
    cut = torch.finfo(s.dtype).eps * max(x.shape) if rcond is None else rcond
    kept = s > cut * s.max()
    rank = int(kept.sum())
    inverse = torch.where(kept, 1 / s, torch.zeros_like(s))
    found = v.mH @ (inverse.unsqueeze(-1).to(u.dtype) * (u.mH @ y))
    gap = y - x @ found
    squares = (gap.abs() ** 2).sum(dim=0)
    rest = squares if rank == x.shape[1] and x.shape[0] > x.shape[1] else squares[:0]
    return Array(found.squeeze(-1) if flat else found), Array(rest), rank, Array(s)


def matrix_power(a: Any, n: int) -> Array:
    """Return powers of matrices."""
    t = tensor(a)
    return Array(la.matrix_power(t if n >= 0 else _float(a), int(n)))


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """Return how many singular values are not zero."""
    del hermitian
    t = _float(A)
    s = la.svdvals(t)
    share = max(t.shape[-2:]) * torch.finfo(s.dtype).eps if rtol is None else rtol
    limit = s.amax(dim=-1, keepdim=True) * share if tol is None else tensor(tol)
    return Array((s > limit).sum(dim=-1))


def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """Return the product of several matrices."""
    return written(out, la.multi_dot(together(arrays)))


def cond(x: Any, p: Any = None) -> Array:
    """Return condition numbers."""
    return Array(la.cond(_float(x), p))


def as_matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """Return norms of matrices."""
    return norm(x, ord, (-2, -1), keepdims)


LINALG = {
    name: globals()[name]
    for name in (
        "norm solve inv pinv det slogdet eigh eigvalsh eig eigvals svd svdvals qr cholesky lstsq"
        " matrix_power matrix_rank multi_dot cond"
    ).split()
} | {
    "matmul": matmul,
    "cross": cross,
    "outer": outer,
    "tensordot": tensordot,
    "trace": trace,
    "vecdot": vecdot,
    "matrix_norm": as_matrix_norm,
    "vector_norm": norm,
    "LinAlgError": np.linalg.LinAlgError,
}
