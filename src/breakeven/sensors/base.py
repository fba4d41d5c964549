"""The seams to a GPU's driver: what it knows about the devices, and how one is at this moment."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Protocol

import msgspec

from breakeven.model.machine import Gpu
from breakeven.model.run import GpuConditions


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
    """What is asked of a GPU's driver about its devices; a missing answer is None, never 0."""

    def read_gpus(self) -> GpuFacts:
        """Return the GPUs that this process may use."""
        ...


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """How one GPU is at one moment.

    Attributes
    ----------
    conditions : GpuConditions
        Its `others_bytes` is None here: one look cannot tell whose memory is whose.
    memory_used_bytes : int or None
        Device memory that all processes together hold, without the driver's reserve.
    unknown : tuple of str
        What the driver does not tell on this device.
    why : str or None
        Why nothing at all was read; None when something was.
    source : str
        ``"driver"``, or ``"replay"`` for a recording.
    """

    conditions: GpuConditions = GpuConditions()
    memory_used_bytes: int | None = None
    unknown: tuple[str, ...] = ()
    why: str | None = None
    source: Literal["driver", "replay"] = "driver"


class GpuWatch(Protocol):
    """Looks at one GPU again and again; a session with its driver stays open between looks."""

    def look(self, own_pids: Collection[int]) -> Look:
        """Return how the GPU is now; it takes longer than many a call, so never in a timed piece.

        Parameters
        ----------
        own_pids : collection of int
            Processes of this run, at least one of which holds a context on the GPU.
        """
        ...

    def sm_clock_mhz(self) -> float | None:
        """Return the SM clock now; None where the driver does not tell."""
        ...

    def close(self) -> None:
        """End the session with the driver."""
        ...
