"""PyTorch's tensors as an array library."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from breakeven.backends.kernel_count import count_kernels
from breakeven.backends.library import AboutLibrary


class TorchLibrary:
    """Tensors on one device.

    Parameters
    ----------
    name : str
        ``torch-cpu`` or ``torch-cuda``.
    device : str
        ``cpu`` or ``cuda:0``.
    """

    def __init__(self, name: str, device: str) -> None:
        import torch

        self._torch: Any = torch
        self._cuda = device.startswith("cuda")
        self.about = AboutLibrary(
            name=name,
            family="torch",
            device=device,
            version=str(torch.__version__),
            out_of_memory=(torch.OutOfMemoryError,),
        )

    def module(self, name: str) -> Any:  # noqa: ANN401  the seam's signature
        """Return a module of PyTorch, or of SciPy's constants."""
        return importlib.import_module(name)

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a copy on the device."""
        # PyTorch takes no array with negative strides, nor one that may not be written.
        fresh = np.array(array, order="C")
        return self._torch.from_numpy(fresh).to(self.about.device)

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a copy in host memory."""
        return np.array(array.detach().resolve_conj().resolve_neg().cpu().numpy())

    def holds(self, value: object) -> bool:
        """Say whether it is a tensor."""
        return bool(self._torch.is_tensor(value))

    def place(self, array: Any) -> str:  # noqa: ANN401  the seam's signature
        """Return the tensor's device."""
        return str(array.device)

    def synchronise(self) -> None:
        """Wait for all streams of the device."""
        if self._cuda:
            self._torch.cuda.synchronize()

    def kernels(self, call: Callable[[], object]) -> int | None:
        """Call, and count; None on the CPU, which has none."""
        if not self._cuda:
            call()
            return None
        return count_kernels(call, self.synchronise, "torch")
