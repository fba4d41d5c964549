"""PyTorch on the CPU, or on a CUDA device."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from breakeven._installed import pip_line
from breakeven.backends.base import About, DeviceMemory, Opening
from breakeven.backends.found import driver_present, first_line, installed, version_of
from breakeven.backends.precision import TorchSettings, torch_caster, torch_plain
from breakeven.backends.torch_clock import torch_clock
from breakeven.errors import UnavailableError
from breakeven.model.machine import BackendInfo
from breakeven.model.spec import Precision


def how_to_install() -> str:
    """Return how PyTorch is installed beside this package."""
    return f"install PyTorch: {pip_line('cpu')}, or a CUDA build as pytorch.org tells"


class TorchBackend:
    """PyTorch tensors on one device, matrix products in full (no TF32) unless it is asked for.

    Parameters
    ----------
    device : str
        ``"cpu"`` or ``"cuda"``.
    precision : str
        What to compute in.
    """

    def __init__(self, device: str, precision: Precision = "float32") -> None:
        cuda = device == "cuda"
        self.about = About(
            name="torch-cuda" if cuda else "torch-cpu",
            device="cuda:0" if cuda else "cpu",
            pools=not cuda,
            compiles=cuda,
            trains="torch",
        )
        self._cuda = cuda
        self._precision: Precision = precision
        self._torch: Any = None
        self._device: Any = None

    def find(self) -> BackendInfo:
        """Say whether PyTorch is installed, with a driver where CUDA is asked for."""
        why, fix = None, None
        if not installed("torch"):
            why, fix = "PyTorch is not installed", how_to_install()
        elif self._cuda and not driver_present():
            why = "no NVIDIA driver was found on this machine"
            fix = "run on a machine with an NVIDIA GPU and its driver"
        elif self._cuda and "+cpu" in (version_of("torch") or ""):
            why = f"the PyTorch installed ({version_of('torch')}) is a CPU-only build"
            fix = "install PyTorch's CUDA build as pytorch.org tells"
        return BackendInfo(
            name=self.about.name,
            device=self.about.device,
            available=why is None,
            version=version_of("torch"),
            why_not=why,
            fix=fix,
        )

    def open(self) -> Opening:
        """Import PyTorch, make a CUDA context where one is needed, and rule over TF32."""
        start = time.perf_counter()
        try:
            import torch
        except Exception as error:
            raise UnavailableError(
                f"PyTorch fails on import ({first_line(error)})",
                f"reinstall it; {how_to_install()}",
            ) from error
        imported = time.perf_counter()
        self._torch = torch
        self._device = torch.device("cuda:0" if self._cuda else "cpu")
        if self._cuda:
            self._make_context()
        remark = TorchSettings(torch).apply(self._precision)
        return Opening(
            xp=torch,
            version=str(torch.__version__),
            import_s=imported - start,
            context_s=time.perf_counter() - imported if self._cuda else 0.0,
            clock=time.perf_counter,
            device_seconds=self._device_seconds if self._cuda else None,
            device_clock=torch_clock(torch) if self._cuda else None,
            out_of_memory=(torch.OutOfMemoryError,),
            cast=torch_caster(torch, self._precision, cuda=self._cuda),
            plain=torch_plain,
            remark=remark,
        )

    def _make_context(self) -> None:
        torch = self._torch
        try:
            torch.zeros(1, device=self._device)
            torch.cuda.synchronize()
        except Exception as error:
            raise UnavailableError(
                f"PyTorch {torch.__version__} cannot use the GPU ({first_line(error)})",
                "breakeven doctor tells what is wrong with driver and CUDA build",
            ) from error

    def begin_case(self, workload: str, size: int) -> None:
        """Empty the allocator's cache and reset its peak."""
        del workload, size
        if self._cuda:
            self._torch.cuda.empty_cache()
            self._torch.cuda.reset_peak_memory_stats()

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a tensor: a view on the CPU, a copy on the GPU (from pageable memory)."""
        on_host = array if self._torch.is_tensor(array) else self._torch.from_numpy(array)
        return on_host.to(self._device)

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a NumPy array; a host tensor of bfloat16, which NumPy does not have."""
        on_host = array.cpu()
        return on_host if on_host.dtype is self._torch.bfloat16 else on_host.numpy()

    def synchronise(self) -> None:
        """Wait for all streams of the device."""
        if self._cuda:
            self._torch.cuda.synchronize()

    def _device_seconds(self, call: Callable[[], object]) -> float:
        begin = self._torch.cuda.Event(enable_timing=True)
        end = self._torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) * 1e-3

    def memory(self) -> DeviceMemory:
        """Return the allocator's peak, with what the driver says is in use by everyone."""
        if not self._cuda:
            return DeviceMemory()
        free, total = self._torch.cuda.mem_get_info()
        return DeviceMemory(
            peak_bytes=int(self._torch.cuda.max_memory_allocated()),
            used_bytes=int(total - free),
            held_bytes=int(self._torch.cuda.memory_reserved()),
        )
