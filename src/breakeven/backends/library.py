"""The seam of an array library: what a user's NumPy code is handed instead of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

import msgspec

Family = Literal["numpy", "cupy", "torch"]


class AboutLibrary(msgspec.Struct, frozen=True, kw_only=True):
    """What an array library is.

    Attributes
    ----------
    name : str
        Of the backend that it belongs to, such as ``torch-cuda``.
    family : str
        Whose names and rules it follows.
    device : str
        Where its arrays lie, such as ``cuda:0``.
    out_of_memory : tuple of exception types
        What it raises when memory runs out, beside `MemoryError`.
    """

    name: str
    family: Family
    device: str
    version: str
    out_of_memory: tuple[type[BaseException], ...] = ()


class Library(Protocol):
    """Arrays of one library on one device.

    Host arrays are NumPy arrays; device arrays are the library's own.
    """

    about: AboutLibrary

    def module(self, name: str) -> Any:  # noqa: ANN401  a module, or what stands for one
        """Return a module of the library, such as ``torch.linalg`` or ``cupyx.scipy.special``.

        Raises
        ------
        ImportError
            If the library has none of that name.
        """
        ...

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  NumPy in, the library's own out
        """Return a copy of a host array on the device; the host array is left alone."""
        ...

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the library's own in, NumPy out
        """Return a copy of a device array as a NumPy array."""
        ...

    def holds(self, value: object) -> bool:
        """Say whether `value` is an array of the library."""
        ...

    def place(self, array: Any) -> str:  # noqa: ANN401  the library's own
        """Return where an array of the library lies, such as ``cuda:0``."""
        ...

    def synchronise(self) -> None:
        """Wait until the device is idle."""
        ...

    def kernels(self, call: Callable[[], object]) -> int | None:
        """Call, and return how many kernels the device ran meanwhile; None if nothing can tell."""
        ...
