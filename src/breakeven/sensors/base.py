"""The seams to what is sensed: a GPU's driver, one device now, and anything read over time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

import msgspec

from breakeven.model.machine import Gpu
from breakeven.model.run import GpuConditions
from breakeven.model.sensing import Absent


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
    uuids, boards : tuple of str or None
        All devices and instances of the driver, whatever ``CUDA_VISIBLE_DEVICES`` says; the
        boards alone. None where the driver was not reached.
    error : str or None
        Name of the error class with which NVML refused to answer at all.
    refused : tuple of str
        Questions that it refused for want of permission.
    vgpu : bool or None
        Whether the first device is a share that a hypervisor gives out.
    """

    gpus: tuple[Gpu, ...] = ()
    driver: str | None = None
    cuda_driver: str | None = None
    reason: str | None = None
    remarks: tuple[str, ...] = ()
    uuids: tuple[str, ...] | None = None
    boards: tuple[str, ...] | None = None
    error: str | None = None
    refused: tuple[str, ...] = ()
    vgpu: bool | None = None


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


Tier = Literal["fast", "slow", "ends"]
"""How often something is read: ten times a second, once a second, at the beginning and the end."""


class Sample(NamedTuple):
    """One reading.

    Attributes
    ----------
    sensor : str
        As `Series.sensor`.
    value : float or None
        None where this reading failed.
    t_s : float or None
        When it was true, by ``time.perf_counter``; None for the moment of asking.
    """

    sensor: str
    value: float | None
    t_s: float | None = None


class Sensor(Protocol):
    """Something that is read again and again while other things run; it never raises."""

    @property
    def names(self) -> tuple[str, ...]:
        """What it reads, as `Series.sensor`, as far as it is known before the first reading."""
        ...

    def read(self, tier: Tier) -> Sequence[Sample]:
        """Return what belongs to a tier; empty where nothing does, or nothing is new."""
        ...

    def absent(self) -> tuple[Absent, ...]:
        """Return what cannot be read, or no longer, with the reason."""
        ...

    def slower(self) -> Mapping[str, float]:
        """Return seconds between readings of what is read less often than its tier, by sensor."""
        ...

    def close(self) -> None:
        """Let go of everything that it holds open."""
        ...
