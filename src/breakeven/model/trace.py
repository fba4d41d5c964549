"""What a trace of a few steps says: operators, copies, how busy the device was, why it waited."""

from __future__ import annotations

from typing import Literal

import msgspec


class Operator(msgspec.Struct, frozen=True, kw_only=True):
    """One operator over the traced steps.

    Attributes
    ----------
    calls : int
        In all traced steps together.
    host_self_s : float
        Its own time on the host, without operators that it called.
    device_self_s : float or None
        Time of the kernels that it started itself; None on a CPU.
    self_bytes : int or None
        Memory that it took itself, less what it gave back; None where it was not recorded.
    """

    name: str
    calls: int
    host_self_s: float
    device_self_s: float | None = None
    self_bytes: int | None = None


class Copies(msgspec.Struct, frozen=True, kw_only=True):
    """Copies of one kind.

    Attributes
    ----------
    direction : str
        ``to_device``, ``to_host``, ``on_device``, ``between_devices``.
    memory : str
        Of the host side: ``pageable``, ``pinned``, or ``unknown``.
    """

    direction: Literal["to_device", "to_host", "on_device", "between_devices"]
    memory: Literal["pageable", "pinned", "unknown"]
    number: int
    bytes: int
    seconds: float


class Idle(msgspec.Struct, frozen=True, kw_only=True):
    """Why the device had nothing to do, seconds of the traced steps.

    Attributes
    ----------
    loader_s : float
        The host waited for the loader.
    launch_s : float
        The host was on its way to the next launch.
    synchronise_s : float
        The host waited for the device, or for a copy, and had launched nothing further.
    other_s : float
        What none of these explains.
    """

    loader_s: float
    launch_s: float
    synchronise_s: float
    other_s: float


class TraceSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One trace of steady steps, taken in a pass of its own.

    Attributes
    ----------
    steps : int
        Traced.
    span_s : float
        From the begin of the first step to the end of the last.
    busy_share : float or None
        Share of the span in which at least one kernel or copy ran; None without a device.
    kernel_share : float or None
        Likewise for kernels alone.
    fp64_share, tensor_core_share : float or None
        Share of the kernels' time in float64 kernels, and in kernels of the tensor cores, both by
        the kernels' names.
    operators : tuple of Operator
        By own time, longest first.
    idle : Idle or None
        Split of the rest; None without a device.
    plain_step_s, traced_step_s : float or None
        A step without and with the profiler: what tracing cost.
    faults : tuple of str
        Impossible orders that were found in the file: nothing is concluded from such a trace.
    file : str or None
        Name of the trace beside the document, where it was kept.
    why : str or None
        Why there is no trace.
    """

    steps: int = 0
    span_s: float = 0.0
    busy_share: float | None = None
    kernel_share: float | None = None
    fp64_share: float | None = None
    tensor_core_share: float | None = None
    operators: tuple[Operator, ...] = ()
    copies: tuple[Copies, ...] = ()
    idle: Idle | None = None
    kernels: int = 0
    plain_step_s: float | None = None
    traced_step_s: float | None = None
    faults: tuple[str, ...] = ()
    file: str | None = None
    why: str | None = None
