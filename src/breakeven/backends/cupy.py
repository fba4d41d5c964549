"""CuPy on a CUDA device."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from breakeven.backends.base import About, DeviceMemory, Opening
from breakeven.backends.cupy_clock import cupy_clock
from breakeven.backends.found import driver_present, first_line, installed, version_of
from breakeven.backends.precision import NO_BFLOAT16, caster, plain, rule_cupy
from breakeven.errors import UnavailableError
from breakeven.model.machine import BackendInfo
from breakeven.model.spec import Precision

DISTRIBUTIONS = ("cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy")
INSTALL = (
    "install the CuPy of your driver's CUDA version: pip install cupy-cuda12x, or cupy-cuda13x"
)


class CupyBackend:
    """CuPy arrays on the first CUDA device that is visible.

    Parameters
    ----------
    precision : str
        What to compute in.
    """

    about = About(name="cupy", device="cuda:0", pools=False, compiles=True)

    def __init__(self, precision: Precision = "float32") -> None:
        self._precision: Precision = precision
        self._cupy: Any = None

    def find(self) -> BackendInfo:
        """Say whether CuPy is installed and an NVIDIA driver is there."""
        why, fix = None, None
        if not driver_present():
            why = "no NVIDIA driver was found on this machine"
            fix = "run on a machine with an NVIDIA GPU and its driver"
        elif not installed("cupy"):
            why, fix = "CuPy is not installed", INSTALL
        return BackendInfo(
            name="cupy",
            device="cuda:0",
            available=why is None,
            version=version_of(*DISTRIBUTIONS),
            why_not=why,
            fix=fix,
        )

    def open(self) -> Opening:
        """Import CuPy with TF32 off, or on where it was asked for, and make a CUDA context."""
        rule_cupy(self._precision)
        start = time.perf_counter()
        try:
            import cupy
        except Exception as error:
            raise UnavailableError(
                f"CuPy fails on import ({first_line(error)})", INSTALL
            ) from error
        imported = time.perf_counter()
        self._cupy = cupy
        try:
            cupy.cuda.Device(0).use()
            cupy.empty(1, dtype=cupy.float32)
            cupy.cuda.Device(0).synchronize()
        except Exception as error:
            raise UnavailableError(
                f"CuPy {cupy.__version__} cannot use the GPU ({first_line(error)})",
                "breakeven doctor tells what is wrong with driver and CUDA build",
            ) from error
        return Opening(
            xp=cupy,
            version=cupy.__version__,
            import_s=imported - start,
            context_s=time.perf_counter() - imported,
            clock=time.perf_counter,
            device_seconds=self._device_seconds,
            device_clock=cupy_clock(cupy),
            out_of_memory=(cupy.cuda.memory.OutOfMemoryError,),
            cast=caster(self._precision, {"bfloat16": NO_BFLOAT16.format("CuPy")}),
            plain=plain,
        )

    def begin_case(self, workload: str, size: int) -> None:
        """Free the pool's blocks, so that its total counts this case alone."""
        del workload, size
        self._cupy.get_default_memory_pool().free_all_blocks()

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a copy on the GPU (from pageable memory)."""
        return self._cupy.asarray(array)

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a NumPy array."""
        return self._cupy.asnumpy(array)

    def synchronise(self) -> None:
        """Wait for all streams of the device."""
        self._cupy.cuda.Device(0).synchronize()

    def _device_seconds(self, call: Callable[[], object]) -> float:
        begin, end = self._cupy.cuda.Event(), self._cupy.cuda.Event()
        begin.record()
        call()
        end.record()
        end.synchronize()
        return float(self._cupy.cuda.get_elapsed_time(begin, end)) * 1e-3

    def memory(self) -> DeviceMemory:
        """Return what the pool took from the device, with what is in use by everyone.

        The pool gives nothing back by itself, so what it holds now is its peak since
        `begin_case`.
        """
        free, total = self._cupy.cuda.Device(0).mem_info
        pool = self._cupy.get_default_memory_pool()
        held = int(pool.total_bytes())
        return DeviceMemory(peak_bytes=held, used_bytes=int(total - free), held_bytes=held)
