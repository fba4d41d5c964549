"""The seam to a GPU's driver: what it knows about the devices and who uses them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

import msgspec

from breakeven.model.machine import Gpu


class GpuFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The GPUs that this process may use, in CUDA's order.

    Attributes
    ----------
    gpus : tuple of Gpu
        `index` is the number that CUDA gives it here: ``cuda:0`` is index 0.
    driver, cuda_driver : str or None
        Version of the driver, and the newest CUDA that it serves.
    reason : str or None
        Why `gpus` is empty, with what to try; None when it is not.
    remarks : tuple of str
        What was seen that a reader should know, such as an order that could not be settled.
    """

    gpus: tuple[Gpu, ...] = ()
    driver: str | None = None
    cuda_driver: str | None = None
    reason: str | None = None
    remarks: tuple[str, ...] = ()


class GpuSensor(Protocol):
    """What is asked of a GPU's driver; a missing answer is None, never 0."""

    def read_gpus(self) -> GpuFacts:
        """Return the GPUs that this process may use."""
        ...

    def other_processes(self, uuid: str, own_pids: Collection[int]) -> int | None:
        """Return how many processes that are not ours compute on a GPU."""
        ...

    def memory_used_bytes(self, uuid: str) -> int | None:
        """Return the device memory that all processes together hold."""
        ...
