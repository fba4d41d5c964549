"""NumPy on the CPU."""

from __future__ import annotations

import time
from typing import Any

from breakeven.backends.base import About, DeviceMemory, Opening
from breakeven.backends.found import first_line, installed, version_of
from breakeven.backends.precision import NO_BFLOAT16, NO_TF32_ON_CPU, caster, plain
from breakeven.errors import UnavailableError
from breakeven.model.machine import BackendInfo
from breakeven.model.spec import Precision

FIX = "install it: pip install numpy"


class NumpyBackend:
    """NumPy arrays in host memory; there is no device, so nothing travels.

    Parameters
    ----------
    precision : str
        What to compute in.
    """

    about = About(name="numpy", device="cpu", pools=True)

    def __init__(self, precision: Precision = "float32") -> None:
        self._precision: Precision = precision

    def find(self) -> BackendInfo:
        """Say whether NumPy is installed."""
        there = installed("numpy")
        return BackendInfo(
            name="numpy",
            device="cpu",
            available=there,
            version=version_of("numpy"),
            why_not=None if there else "NumPy is not installed",
            fix=None if there else FIX,
        )

    def open(self) -> Opening:
        """Import NumPy."""
        start = time.perf_counter()
        try:
            import numpy as np  # noqa: PLC0415  timed here
        except Exception as error:
            raise UnavailableError(f"NumPy fails on import ({first_line(error)})", FIX) from error
        took = time.perf_counter() - start
        missing: dict[Precision, str] = {
            "tf32": NO_TF32_ON_CPU,
            "bfloat16": NO_BFLOAT16.format("NumPy"),
        }
        return Opening(
            xp=np,
            version=np.__version__,
            import_s=took,
            context_s=0.0,
            clock=time.perf_counter,
            cast=caster(self._precision, missing),
            plain=plain,
            address=lambda array: int(array.ctypes.data),
        )

    def begin_case(self, workload: str, size: int) -> None:
        """Do nothing: NumPy holds no memory between calls."""

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return the array itself."""
        return array

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return the array itself."""
        return array

    def synchronise(self) -> None:
        """Do nothing: a NumPy call returns when it is done."""

    def memory(self) -> DeviceMemory:
        """Return nothing known: there is no device."""
        return DeviceMemory()
