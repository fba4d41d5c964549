"""CuPy's arrays as an array library."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from breakeven.backends.kernel_count import count_kernels
from breakeven.backends.library import AboutLibrary


class CupyLibrary:
    """Arrays on the first CUDA device that is visible."""

    def __init__(self) -> None:
        import cupy

        self._cupy: Any = cupy
        self.about = AboutLibrary(
            name="cupy",
            family="cupy",
            device="cuda:0",
            version=str(cupy.__version__),
            out_of_memory=(cupy.cuda.memory.OutOfMemoryError,),
        )

    def module(self, name: str) -> Any:  # noqa: ANN401  the seam's signature
        """Return a module of CuPy or cupyx."""
        return importlib.import_module(name)

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a copy on the device."""
        return self._cupy.array(array)

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a copy in host memory."""
        return self._cupy.asnumpy(array)

    def holds(self, value: object) -> bool:
        """Say whether it is a CuPy array."""
        return isinstance(value, self._cupy.ndarray)

    def place(self, array: Any) -> str:  # noqa: ANN401  the seam's signature
        """Return the array's device."""
        return f"cuda:{array.device.id}"

    def synchronise(self) -> None:
        """Wait for all streams of the device."""
        self._cupy.cuda.Device(0).synchronize()

    def kernels(self, call: Callable[[], object]) -> int | None:
        """Call, and count where PyTorch is there to listen."""
        return count_kernels(call, self.synchronise, "cupy")
