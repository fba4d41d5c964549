"""What coordinator and worker say to each other, framed and written whole."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from typing import Literal

import msgspec

from breakeven.engine.job_messages import JobReply, JobRequest
from breakeven.model.machine import Blas, Ceilings
from breakeven.model.run import Agreement, CacheTimes, DeviceTimes, Floors, Memory, Status
from breakeven.model.spec import DType, Precision, TrainingSpec
from breakeven.model.verdict import Scope
from breakeven.sensors.base import Look

CeilingPart = Literal["product", "memory", "link", "launch"]
_LENGTH = struct.Struct(">I")


class WorkerConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is told when it starts.

    Attributes
    ----------
    parent : int
        Process id of the coordinator; the worker ends when it is gone.
    cpus : tuple of int
        CPUs that its pool threads are pinned to, one each; empty pins nothing.
    precision : str
        What it computes in.
    training : TrainingSpec or None
        What its jobs do; None for array code.
    """

    backend: str
    parent: int
    precision: Precision = "float32"
    seed: str = ""
    cpus: tuple[int, ...] = ()
    training: TrainingSpec | None = None


class MeasureFloors(msgspec.Struct, frozen=True, kw_only=True, tag="floors"):
    """Measure the floors.

    Attributes
    ----------
    detail : bool
        Whether to measure that of a full queue as well.
    """

    detail: bool = False


class SetUp(msgspec.Struct, frozen=True, kw_only=True, tag="set_up"):
    """Load a case, run it once, check it, warm it up.

    Attributes
    ----------
    folder : str
        Where its inputs and references lie.
    precision : str
        What the entry computes in, and so how much its answer may err.
    warm_s : float
        Most seconds to spend on becoming steady.
    parts : bool
        Whether to time the parts of a call as well: copies, events, issue.
    calls : int
        Calls of the work in one timed unit.
    gpu : str or None
        UUID of the GPU, to look for others on it.
    own_pids : tuple of int
        Processes on the GPU that are ours.
    detail_s : float
        Seconds that each of the device's clocks, locked copies and caches may take; 0 leaves all
        of them out.
    cold_caches : bool
        Whether to time cold caches as well.
    cache_bytes : int or None
        The last cache of the CPU; None where it is not known.
    seed : int
        Of the weights and the order of a training.
    check : bool
        Whether the answer of a training is checked, which takes many steps; others always are.
    """

    workload: str
    size: int
    folder: str
    warm_s: float
    precision: Precision = "float32"
    parts: bool = True
    calls: int = 1
    gpu: str | None = None
    own_pids: tuple[int, ...] = ()
    detail_s: float = 0.0
    cold_caches: bool = False
    cache_bytes: int | None = None
    seed: int = 0
    check: bool = True


class Measure(msgspec.Struct, frozen=True, kw_only=True, tag="measure"):
    """Measure one slot of the case that is set up."""

    scope: Scope
    seconds: float


class EndCase(msgspec.Struct, frozen=True, kw_only=True, tag="end_case"):
    """Let go of the case."""


class MeasureCold(msgspec.Struct, frozen=True, kw_only=True, tag="cold"):
    """Call a workload three times in this fresh process, data travelling each time."""

    workload: str
    size: int
    folder: str


class CaptureGraph(msgspec.Struct, frozen=True, kw_only=True, tag="graph"):
    """Capture a call as a graph, and time its replays; the process is good for nothing else then.

    Attributes
    ----------
    precision : str
        What the entry computes in, and so how much the answer of a replay may err.
    seconds : float
        What the replays may take.
    """

    workload: str
    size: int
    folder: str
    seconds: float
    precision: Precision = "float32"


class ShootNaively(msgspec.Struct, frozen=True, kw_only=True, tag="naive"):
    """Time one size as careless code does: once, transfer inside; then without a synchronise."""

    workload: str
    size: int
    folder: str


class Make(msgspec.Struct, frozen=True, kw_only=True, tag="make"):
    """Make the inputs and references of a case as files."""

    workload: str
    size: int
    dtype: DType
    seed: int
    folder: str


class MeasureCeilings(msgspec.Struct, frozen=True, kw_only=True, tag="ceilings"):
    """Measure one part of what the device reaches at best.

    Attributes
    ----------
    part : str
        ``product``, ``memory``, ``link`` or ``launch``.
    precision : str
        Of the product.
    extent_bytes : int
        Of each array that is streamed: beyond the caches.
    seconds : float
        Time that the part may take, about.
    """

    part: CeilingPart
    precision: Precision = "float32"
    extent_bytes: int = 64 << 20
    seconds: float = 0.6


class Trace(msgspec.Struct, frozen=True, kw_only=True, tag="trace"):
    """Trace some calls of the case that is set up."""

    calls: int


class LookAtGpu(msgspec.Struct, frozen=True, kw_only=True, tag="look"):
    """Look at the GPU, with nothing running on it; fields as in `SetUp`."""

    gpu: str | None
    own_pids: tuple[int, ...] = ()


Request = (
    MeasureFloors
    | SetUp
    | Measure
    | EndCase
    | MeasureCold
    | CaptureGraph
    | ShootNaively
    | Make
    | MeasureCeilings
    | Trace
    | LookAtGpu
    | JobRequest
)


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
    to_device_pinned_s: float | None = None
    to_host_pinned_s: float | None = None
    pinned_why: str | None = None


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
    """Seconds of the first, second and third call."""

    calls_s: tuple[float, ...]


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


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """What was asked failed; the worker lives and is idle."""

    status: Status
    why: str
    fix: str | None = None


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
    | Failed
    | JobReply
)

# Not JSON, which has no NaN and no infinity: the error of a wrong answer may be either.
encode = msgspec.msgpack.Encoder().encode
decode_request = msgspec.msgpack.Decoder(Request).decode
decode_reply = msgspec.msgpack.Decoder(Reply).decode


def write(descriptor: int, message: Request | Reply) -> None:
    """Write one message whole."""
    body = encode(message)
    data = memoryview(_LENGTH.pack(len(body)) + body)
    while data:
        data = data[os.write(descriptor, data) :]


def read(descriptor: int, wait: Callable[[], None] = lambda: None) -> bytes | None:
    """Read one message's body; None when the other side has closed the pipe.

    Parameters
    ----------
    wait : callable
        Returns once there is something to read; what it raises ends the reading.
    """
    head = _read_exactly(descriptor, _LENGTH.size, wait)
    return None if head is None else _read_exactly(descriptor, _LENGTH.unpack(head)[0], wait)


def _read_exactly(descriptor: int, count: int, wait: Callable[[], None]) -> bytes | None:
    parts = b""
    while len(parts) < count:
        wait()
        part = os.read(descriptor, count - len(parts))
        if not part:
            return None
        parts += part
    return parts
