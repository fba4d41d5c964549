"""NumPy itself as an array library: the base that ports are set beside."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from breakeven.backends.library import AboutLibrary


class HostLibrary:
    """NumPy arrays; what goes to the device is copied, so that inputs are fresh as elsewhere."""

    def __init__(self, name: str = "numpy") -> None:
        self.about = AboutLibrary(name=name, family="numpy", device="cpu", version=np.__version__)

    def module(self, name: str) -> Any:  # noqa: ANN401  the seam's signature
        """Return a module of NumPy or SciPy."""
        return importlib.import_module(name)

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a copy."""
        return np.array(array)

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a copy."""
        return np.array(array)

    def holds(self, value: object) -> bool:
        """Say whether it is a NumPy array or scalar."""
        return isinstance(value, (np.ndarray, np.generic))

    def place(self, array: Any) -> str:  # noqa: ANN401  the seam's signature
        """Return that it lies in host memory."""
        del array
        return "cpu"

    def synchronise(self) -> None:
        """Do nothing: a NumPy call returns when it is done."""

    def kernels(self, call: Callable[[], object]) -> int | None:
        """Call; there is no device that could run kernels."""
        call()
        return None
