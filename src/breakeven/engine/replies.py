"""What a worker answers."""

from __future__ import annotations

import msgspec

from breakeven.engine.job_messages import JobReply
from breakeven.model.machine import Blas, Ceilings
from breakeven.model.ported import Ported
from breakeven.model.run import Agreement, CacheTimes, DeviceTimes, Floors, Memory, Status
from breakeven.model.spec import DType
from breakeven.sensors.base import Look


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag="opened"):
    """The backend is open, the worker idle.

    Attributes
    ----------
    pinned : int
        Pool threads that were pinned to a core of their own.
    device_clock : bool
        Whether the device's own time can be read.
    """

    version: str
    import_s: float
    context_s: float
    blas: tuple[Blas, ...] = ()
    pinned: int = 0
    remark: str | None = None
    device_clock: bool = False


class FloorsAre(msgspec.Struct, frozen=True, kw_only=True, tag="floors_are"):
    """Floors of this worker; the message's own is the coordinator's to measure."""

    floors: Floors


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """A case is set up and warm, the worker idle.

    Attributes
    ----------
    call_s : float
        Last warm repeat, to plan by.
    device_s, issue_s : float or None
        Median between two events, launch included; median until the call returns.
    clock_steady : bool or None
        Whether the SM clock became steady too; None on a CPU, or where it cannot be read.
    look : Look or None
        At the GPU, once the case was warm; None on a CPU.
    held_bytes : int or None
        What the library's allocator holds of the device.
    real : bool
        Whether its times are measured, so that a busy machine spoils them; scripted ones are not.
    in_bytes, out_bytes : int
        Of the inputs and the results on the host: what travels when the data must.
    device, caches : DeviceTimes, CacheTimes or None
        Where they were asked for.
    pinned_why : str or None
        Why there are no times of copies from and to page-locked memory.
    agreement : Agreement or None
        None where an earlier round has checked the answer: that of a training takes many steps.
    remark : str or None
        What became of the places of its threads, where they have none.
    ported : Ported or None
        How far the user's function got on another library; its entry is the coordinator's to name.
    """

    agreement: Agreement | None
    memory: Memory
    losses: tuple[float, ...]
    loss_epochs: tuple[int, ...]
    call_s: float
    steady: bool
    compute_s: float
    to_device_s: float | None = None
    to_host_s: float | None = None
    device_s: float | None = None
    issue_s: float | None = None
    clock_steady: bool | None = None
    look: Look | None = None
    held_bytes: int | None = None
    real: bool = True
    in_bytes: int = 0
    out_bytes: int = 0
    device: DeviceTimes | None = None
    caches: CacheTimes | None = None
    remark: str | None = None
    to_device_pinned_s: float | None = None
    to_host_pinned_s: float | None = None
    pinned_why: str | None = None
    ported: Ported | None = None


class Measured(msgspec.Struct, frozen=True, kw_only=True, tag="measured"):
    """One slot, seconds a repeat.

    Attributes
    ----------
    look : Look or None
        At the GPU, right after the last repeat; None on a CPU.
    held_bytes : int or None
        What the library's allocator holds of the device.
    """

    median_s: float
    min_s: float
    repeats: int
    cores_used: float | None
    look: Look | None = None
    held_bytes: int | None = None


class Looked(msgspec.Struct, frozen=True, kw_only=True, tag="looked"):
    """How the GPU is; `held_bytes` as in `Measured`."""

    look: Look
    held_bytes: int | None = None


class ColdCalls(msgspec.Struct, frozen=True, kw_only=True, tag="cold_calls"):
    """Seconds of the first, second and third call.

    Attributes
    ----------
    kernels : int or None
        That the device ran in one call of the user's function; None where nothing can tell.
    """

    calls_s: tuple[float, ...]
    kernels: int | None = None


class Captured(msgspec.Struct, frozen=True, kw_only=True, tag="captured"):
    """A call as a graph, or why it is none.

    Attributes
    ----------
    seconds : float or None
        The device's seconds of one replay.
    call_s : float
        Of one call without a graph, awaited.
    broken : bool
        Whether a capture failed: the library may be unfit for more.
    """

    seconds: float | None
    why: str | None
    call_s: float
    broken: bool = False


class Shot(msgspec.Struct, frozen=True, kw_only=True, tag="shot"):
    """One-shot readings."""

    one_shot_s: float
    unsynchronised_s: float | None


class CeilingsAre(msgspec.Struct, frozen=True, kw_only=True, tag="ceilings_are"):
    """One part of the ceilings of this worker's device."""

    ceilings: Ceilings


class Traced(msgspec.Struct, frozen=True, kw_only=True, tag="traced"):
    """Kernels of one call in a trace: their seconds together, or why there are none."""

    seconds: float | None = None
    kernels: int = 0
    why: str | None = None


class Done(msgspec.Struct, frozen=True, kw_only=True, tag="done"):
    """What was asked is done."""


class Tried(msgspec.Struct, frozen=True, kw_only=True, tag="tried"):
    """What the user's function did on NumPy at one size.

    Attributes
    ----------
    sized : bool
        Whether its arguments depend on the size.
    source : str
        Where its arguments come from, in words.
    dtype : str
        What it computes in.
    printed : str
        What it printed in one call.
    altered : tuple of str
        Arguments that a call alters.
    """

    call_s: float
    in_bytes: int
    out_bytes: int
    held_bytes: int
    sized: bool
    source: str
    dtype: DType
    printed: str = ""
    altered: tuple[str, ...] = ()


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """What was asked failed; the worker lives and is idle.

    Attributes
    ----------
    ported : Ported or None
        How far the user's function got.
    """

    status: Status
    why: str
    fix: str | None = None
    ported: Ported | None = None


Reply = (
    Opened
    | FloorsAre
    | Ready
    | Measured
    | Looked
    | ColdCalls
    | Captured
    | Shot
    | CeilingsAre
    | Traced
    | Done
    | Tried
    | Failed
    | JobReply
)
