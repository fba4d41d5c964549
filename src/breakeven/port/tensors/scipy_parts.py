"""The parts of SciPy that PyTorch has a counterpart of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import bound_torch
from breakeven.port.tensors.fourier import FFT
from breakeven.port.tensors.linear import LINALG
from breakeven.port.tensors.operands import pair, tensor
from breakeven.port.tensors.types import INEXACT
from breakeven.port.tensors.ufuncs import UFUNCS, unary

torch = bound_torch()
special = torch.special


def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Array:
    """Return the logarithm of a sum of exponentials."""
    if b is not None or return_sign:
        raise NotImplementedError("weights and signs in scipy.special.logsumexp")
    t = _inexact(a)
    return Array(torch.logsumexp(t, tuple(range(t.ndim)) if axis is None else axis, keepdims))


def softmax(x: Any, axis: Any = None) -> Array:
    """Return exponentials that sum to 1."""
    t = _inexact(x)
    if axis is None:
        return Array(torch.softmax(t.reshape(-1), 0).reshape(t.shape))
    return Array(torch.softmax(t, axis))


def log_softmax(x: Any, axis: Any = None) -> Array:
    """Return the logarithms of exponentials that sum to 1."""
    return (
        Array(torch.log(softmax(x, axis).t))
        if axis is None
        else Array(torch.log_softmax(_inexact(x), axis))
    )


def _inexact(a: Any) -> Any:
    t = tensor(a)
    return t if t.dtype in INEXACT else t.to(torch.float64)


def _two(act: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b: Array(act(*pair(a, b, inexact=True)))


_ONE = {
    "erf": special.erf, "erfc": special.erfc, "erfinv": special.erfinv, "erfcx": special.erfcx,
    "expit": special.expit, "logit": special.logit, "gammaln": special.gammaln,
    "digamma": special.digamma, "psi": special.digamma, "ndtr": special.ndtr,
    "ndtri": special.ndtri, "log_ndtr": special.log_ndtr, "entr": special.entr,
    "i0": special.i0, "i0e": special.i0e, "i1": special.i1, "i1e": special.i1e,
    "j0": special.bessel_j0, "j1": special.bessel_j1, "y0": special.bessel_y0,
    "y1": special.bessel_y1, "exp2": special.exp2, "expm1": special.expm1, "log1p": special.log1p,
}  # fmt: skip
_TWO = {
    "xlogy": special.xlogy, "xlog1py": special.xlog1py, "gammainc": special.gammainc,
    "gammaincc": special.gammaincc, "zeta": special.zeta,
}  # fmt: skip
SPECIAL: dict[str, Any] = {name: unary(name, act, "float") for name, act in _ONE.items()}
SPECIAL |= {name: _two(act) for name, act in _TWO.items()}
SPECIAL |= {"logsumexp": logsumexp, "softmax": softmax, "log_softmax": log_softmax}
SPECIAL["cbrt"] = UFUNCS["cbrt"]


def lu_solve(factors: Any, b: Any) -> Array:
    """Return the solution of a system whose matrix was factored."""
    lu, pivots = factors
    y = tensor(b)
    found = torch.linalg.lu_solve(lu.t, pivots.t, y.unsqueeze(-1) if y.ndim == 1 else y)
    return Array(found.squeeze(-1) if y.ndim == 1 else found)


def solve_triangular(a: Any, b: Any, trans: Any = 0, lower: bool = False, **_: Any) -> Array:
    """Return the solution of a triangular system."""
    x, y = pair(a, b, inexact=True)
    if trans in {1, "T"}:
        x, lower = x.mT, not lower
    flat = y.ndim == 1
    found = torch.linalg.solve_triangular(x, y.unsqueeze(-1) if flat else y, upper=not lower)
    return Array(found.squeeze(-1) if flat else found)


def expm(A: Any) -> Array:
    """Return exponentials of matrices."""
    return Array(torch.linalg.matrix_exp(_inexact(A)))


SCIPY_LINALG = {
    name: LINALG[name] for name in "norm inv pinv det eigvals eigvalsh svdvals solve eigh".split()
} | {"solve_triangular": solve_triangular, "expm": expm}
SCIPY_FFT = dict(FFT)
