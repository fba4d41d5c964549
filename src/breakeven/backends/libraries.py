"""Finds the array library of a backend."""

from __future__ import annotations

from collections.abc import Callable

from breakeven.backends.library import Library
from breakeven.backends.library_cupy import CupyLibrary
from breakeven.backends.library_host import HostLibrary
from breakeven.backends.library_torch import TorchLibrary
from breakeven.backends.scripted import PREFIX
from breakeven.backends.stand_in import StandIn
from breakeven.errors import InputError

_MAKERS: dict[str, Callable[[], Library]] = {
    "numpy": HostLibrary,
    "torch-cpu": lambda: TorchLibrary("torch-cpu", "cpu"),
    "torch-cuda": lambda: TorchLibrary("torch-cuda", "cuda:0"),
    "cupy": CupyLibrary,
    "stand-in": StandIn,
}


def library(name: str, device: str = "cpu") -> Library:
    """Return the array library of the backend called `name`, once that backend is open.

    ``stand-in`` is CuPy played by NumPy. A scripted backend on a device plays with it too, and
    with NumPy itself on the CPU: its times are scripted, its arithmetic is real.

    Raises
    ------
    InputError
        If a backend of that name takes no functions.
    """
    if name.startswith(PREFIX):
        return HostLibrary(name) if device == "cpu" else StandIn(name=name, device=device)
    if name not in _MAKERS:
        raise InputError(
            f"the backend {name!r} runs no functions of the user's own",
            f"choose from: {', '.join(_MAKERS)}",
        )
    return _MAKERS[name]()
