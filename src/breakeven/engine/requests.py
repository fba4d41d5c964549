"""What a coordinator asks of a worker."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.engine.job_messages import JobRequest
from breakeven.model.entry import Variant
from breakeven.model.ported import FunctionSpec
from breakeven.model.spec import DType, Precision, TrainingSpec
from breakeven.model.verdict import Scope

CeilingPart = Literal["product", "memory", "link", "launch"]


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
    function : FunctionSpec or None
        The user's own function, where that is the workload.
    variant : str
        Of the entry: which of the ways to call that function it is.
    data_seed : int
        Of the function's arguments.
    """

    backend: str
    parent: int
    precision: Precision = "float32"
    seed: str = ""
    cpus: tuple[int, ...] = ()
    training: TrainingSpec | None = None
    function: FunctionSpec | None = None
    variant: Variant = "default"
    data_seed: int = 0


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


class TryFunction(msgspec.Struct, frozen=True, kw_only=True, tag="try"):
    """Call the user's function on NumPy at one size, and tell what it does."""

    size: int


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
    | TryFunction
    | MeasureCeilings
    | Trace
    | LookAtGpu
    | JobRequest
)
