"""Fourier transforms in NumPy's types: those of integers are of complex128."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from breakeven.port.tensors.array import Array
from breakeven.port.tensors.bound import Bound, bound_torch
from breakeven.port.tensors.operands import tensor
from breakeven.port.tensors.types import INEXACT

torch = bound_torch()


def _one(act: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: Any, n: int | None = None, axis: int = -1, norm: Any = None, **_: Any) -> Array:
        return Array(act(_inexact(a), n=n, dim=axis, norm=norm))

    return call


def _several(act: Callable[..., Any], default: tuple[int, ...] | None) -> Callable[..., Any]:
    def call(a: Any, s: Any = None, axes: Any = default, norm: Any = None, **_: Any) -> Array:
        return Array(act(_inexact(a), s=s, dim=axes, norm=norm))

    return call


def _inexact(a: Any) -> Any:
    t = tensor(a)
    return t if t.dtype in INEXACT else t.to(torch.float64)


def _places(act: Callable[..., Any]) -> Callable[..., Any]:
    def call(n: int, d: float = 1.0, **_: Any) -> Array:
        return Array(torch.from_numpy(act(n, d)).to(Bound.device))

    return call


def _shift(act: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axes=None: Array(act(tensor(x), dim=axes))


FFT: dict[str, Any] = {
    name: _one(getattr(torch.fft, name)) for name in "fft ifft rfft irfft hfft ihfft".split()
}
FFT |= {n: _several(getattr(torch.fft, n), (-2, -1)) for n in "fft2 ifft2 rfft2 irfft2".split()}
FFT |= {n: _several(getattr(torch.fft, n), None) for n in "fftn ifftn rfftn irfftn".split()}
FFT |= {
    "fftshift": _shift(torch.fft.fftshift),
    "ifftshift": _shift(torch.fft.ifftshift),
    "fftfreq": _places(np.fft.fftfreq),
    "rfftfreq": _places(np.fft.rfftfreq),
}
