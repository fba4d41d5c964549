"""The run record: everything that one run measured and concluded, the document that is stored."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.finding import Finding
from breakeven.model.machine import BackendInfo, Ceilings, Machine
from breakeven.model.questions import Answer
from breakeven.model.ratio import FirstAnswer, Ratio
from breakeven.model.scaling import Team
from breakeven.model.sensing import Sensing
from breakeven.model.spec import DType, Precision, RunSpec
from breakeven.model.study import Study
from breakeven.model.timeline import Series
from breakeven.model.verdict import (
    AaCheck,
    Achieved,
    Advice,
    Band,
    Crossover,
    NaiveCost,
    Payback,
    Prediction,
    Reference,
    Scope,
    Verdict,
)

SCHEMA = "breakeven.run/1"
Status = Literal[
    "ok",
    "unavailable",
    "unsupported",
    "out_of_memory",
    "timeout",
    "crashed",
    "disagrees",
    "ran_on_host",
    "interrupted",
]
Clock = Literal["wall", "device", "issue"]
Variant = Literal["default", "compiled", "naive", "twin", "planted", "precision"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One way of doing the work that takes part.

    Attributes
    ----------
    threads : int or None
        CPU threads of its pools; None for a GPU entry.
    device : str
        ``"cpu"`` or ``"cuda:0"``.
    default : bool
        Whether these threads are what the library takes by itself.
    twin_of : str or None
        For a twin: the entry that it repeats. For a planted difference: its base, None for the
        base itself.
    precision_of : str or None
        For variants ``precision``: the entry that it is, but for what it computes in.
    calls : int
        Calls of the work in one timed unit: 1, unless a difference is planted on purpose. All
        wall times of the entry are those of a unit.
    """

    id: str
    backend: str
    device: str
    threads: int | None = None
    dtype: DType = "float32"
    matmul_precision: str = "ieee"
    variant: Variant = "default"
    default: bool = False
    twin_of: str | None = None
    precision_of: str | None = None
    calls: int = 1

    @property
    def precision(self) -> Precision:
        """What it computes in: its dtype, or TF32 where products of float32 are made in that."""
        if self.dtype == "float32" and self.matmul_precision == "tf32":
            return "tf32"
        return self.dtype


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """Work of one call, counted from its definition.

    Attributes
    ----------
    to_device_bytes, to_host_bytes : float or None
        What travels when the data must: inputs one way, results the other, as they lay in memory.
    """

    flops: float
    bytes: float
    to_device_bytes: float | None = None
    to_host_bytes: float | None = None


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """A result beside its float64 reference.

    Attributes
    ----------
    error : float
        Relative error (Frobenius norm, or largest relative difference of the losses).
    bound : float
        Largest error that passes, same kind.
    class_ : str
        ``float64``, ``float32``, ``TF32/half``, ``bfloat16`` or ``wrong``.
    rule : str
        The rule applied, in words.
    """

    error: float
    bound: float
    class_: str = msgspec.field(name="class")
    passed: bool = False
    rule: str = ""


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """Peak memory of one case; None where it cannot be read.

    Attributes
    ----------
    device_peak_bytes : int or None
        Peak of the framework's allocator.
    device_used_bytes : int or None
        Device memory in use by everyone, by the driver, after the case had run.
    """

    host_peak_bytes: int | None = None
    device_peak_bytes: int | None = None
    device_used_bytes: int | None = None


class Phases(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of each phase, medians; None where a phase was not measured.

    ``import_s``, ``context_s`` and ``first_call_s`` come from fresh processes started one at a
    time; ``first_call_s`` is the first call of the work less the steady call. Copies are from and
    to pageable host memory; those of page-locked memory stand beside them.

    Attributes
    ----------
    pinned_why : str or None
        Why there is no figure of page-locked memory, where one was to be read.
    """

    import_s: float | None = None
    context_s: float | None = None
    first_call_s: float | None = None
    to_device_s: float | None = None
    compute_s: float | None = None
    to_host_s: float | None = None
    to_device_pinned_s: float | None = None
    to_host_pinned_s: float | None = None
    pinned_why: str | None = None


class DeviceTimes(msgspec.Struct, frozen=True, kw_only=True):
    """One call on resident data by the clocks of the device, medians; None where not measured.

    Attributes
    ----------
    latency_s : float or None
        Between two events around one call on an idle device: launch included.
    queued_s : float or None
        Per call behind a full queue: the device's own working time.
    graph_s : float or None
        Per replay of the call captured as a graph.
    issue_s : float or None
        Until the call returns, device idle before.
    queued_why, graph_why : str or None
        Why there is no such figure.
    other_stream : str or None
        What was seen when events and synchronised wall time disagreed: work on another stream.
    """

    latency_s: float | None = None
    queued_s: float | None = None
    graph_s: float | None = None
    issue_s: float | None = None
    queued_why: str | None = None
    graph_why: str | None = None
    other_stream: str | None = None


class CacheTimes(msgspec.Struct, frozen=True, kw_only=True):
    """One call on resident data with caches hot, beside cold ones (inputs rotated).

    Attributes
    ----------
    copies : int or None
        Copies of the inputs that were rotated through; None where there is no cold figure.
    cold_bytes : int or None
        Bytes that they cover together, beyond twice the last-level cache; None likewise.
    copy_bytes_per_s : float or None
        Rate at which memory of that extent is copied: proof that no cache served it.
    why : str or None
        Why there is no cold figure.
    """

    hot_s: float | None = None
    cold_s: float | None = None
    copies: int | None = None
    cold_bytes: int | None = None
    copy_bytes_per_s: float | None = None
    why: str | None = None


class GpuConditions(msgspec.Struct, frozen=True, kw_only=True):
    """How the GPU was while a slot was measured; None where its driver does not say.

    Attributes
    ----------
    reasons : tuple of str or None
        Why its clocks were held down: ``power_cap``, ``thermal``, ``hardware``, ``other``; empty
        when nothing held them.
    others : int or None
        Processes on it that are not ours.
    others_bytes : int or None
        Device memory that came to be in use since our processes had opened the device, and that
        none of them holds; 0 where that is no more than a library takes without telling.
    """

    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    reasons: tuple[str, ...] | None = None
    others: int | None = None
    others_bytes: int | None = None


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """How the machine was while a slot was measured.

    Attributes
    ----------
    foreign_cores : float or None
        Cores' worth of CPU time that other processes (and steal) took.
    cores_used : float or None
        CPU time of the worker over wall time of the slot.
    gpu : GpuConditions or None
        Of a GPU entry, read right after the slot.
    """

    foreign_cores: float | None = None
    cores_used: float | None = None
    gpu: GpuConditions | None = None


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """One short measurement of one case: repeats in one process, taken in turn with the others.

    Attributes
    ----------
    turn : int
        Which turn of the round; slots of one turn are compared with each other.
    order : int
        Position of the slot among all slots of its size in this round.
    voided : str or None
        Why it does not count: ``busy``, ``gpu_busy``, ``two_states``, ``thermal``; None when it
        counts.
    """

    turn: int
    order: int
    median_s: float
    min_s: float
    repeats: int
    voided: str | None = None
    conditions: Conditions = Conditions()


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """Slots of one case in one round, by scope and clock.

    Attributes
    ----------
    round : int
        0 is the scouting round, which no verdict uses.
    steady : bool
        Whether repeats became steady before the first slot.
    clock_steady : bool or None
        Whether the SM clock did; None on a CPU, or where it cannot be read.
    """

    round: int
    scope: Scope
    clock: Clock
    slots: tuple[Slot, ...]
    steady: bool = True
    clock_steady: bool | None = None


class ColdStart(msgspec.Struct, frozen=True, kw_only=True):
    """First calls of one workload in one fresh process, nothing else running.

    Attributes
    ----------
    calls_s : tuple of float
        First, second and third call, each synchronised.
    caches : str
        ``"as found"``, or ``"emptied"``: kernel caches pointed to an empty folder.
    """

    backend: str
    workload: str
    size: int
    order: int
    import_s: float
    context_s: float
    calls_s: tuple[float, ...]
    caches: str = "as found"

    @property
    def as_found(self) -> bool:
        """Whether kernel caches were left alone, as for whoever runs this machine's code again."""
        return self.caches == "as found"


class NaiveShot(msgspec.Struct, frozen=True, kw_only=True):
    """One-shot readings of one fresh process that walks up the sizes, as careless code does."""

    entry: str
    workload: str
    size: int
    one_shot_s: float
    unsynchronised_s: float | None = None


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One entry at one size of one workload.

    Attributes
    ----------
    why : str or None
        Reason of a status other than ``ok``; for ``ok`` with a remark, the remark.
    losses : tuple of float
        Training losses, for workloads that have them.
    loss_epochs : tuple of int
        Epochs that the losses belong to, counted from 0.
    """

    workload: str
    size: int
    entry: str
    status: Status
    why: str | None = None
    work: Work | None = None
    agreement: Agreement | None = None
    memory: Memory | None = None
    phases: Phases = Phases()
    device: DeviceTimes | None = None
    caches: CacheTimes | None = None
    rounds: tuple[Round, ...] = ()
    losses: tuple[float, ...] = ()
    loss_epochs: tuple[int, ...] = ()


class Floors(msgspec.Struct, frozen=True, kw_only=True):
    """Shortest times that can be told apart, by entry, seconds.

    Attributes
    ----------
    empty_call_s : float
        An empty call through the timing loop: the floor of the wall and issue clocks.
    synchronise_s : float or None
        Synchronise on an idle device; None on a CPU.
    event_pair_s : float or None
        Two events with nothing between: the floor of the device clock.
    empty_kernel_s : float or None
        A kernel of one element, behind a full queue: the floor of the device clock there.
    message_s : float
        One message to a worker and back.
    """

    empty_call_s: float
    message_s: float
    synchronise_s: float | None = None
    event_pair_s: float | None = None
    empty_kernel_s: float | None = None


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What bounds every figure of the run.

    Attributes
    ----------
    floors : dict
        By entry id.
    aa : tuple of AaCheck
        By workload, size and scope.
    ceilings : tuple of Ceilings
        Of each device, where they were measured.
    """

    floors: dict[str, Floors] = {}
    ceilings: tuple[Ceilings, ...] = ()
    aa: tuple[AaCheck, ...] = ()


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One run: records, then what was concluded from them.

    Attributes
    ----------
    finished : str or None
        ISO 8601 time, UTC; None while unfinished.
    interrupted : bool
        Whether the run ended before its plan did.
    rounds_planned : int
        Rounds that the plan foresaw when it ended.
    remarks : tuple of str
        What the engine saw that weakens the record (busy machine, sizes left out, no pinning).
    caveats : tuple of str
        What the judge says must be read beside the verdicts.
    ratios, first_answers : tuple
        Ratios that are no verdicts; what first answers take without compiled kernels.
    studies, teams : tuple
        Training and inference beside their timed slots; the same on several processes.
    timeline : tuple of Series
        What sensors read, with `sensing` beside it.
    questions : tuple of Answer
        What is asked of a training, answered from `studies`, `teams` and `timeline`.
    """

    id: str
    started: str
    command: tuple[str, ...]
    spec: RunSpec
    machine: Machine
    schema: str = SCHEMA
    finished: str | None = None
    interrupted: bool = False
    rounds_planned: int = 0
    backends: tuple[BackendInfo, ...] = ()
    entries: tuple[Entry, ...] = ()
    cases: tuple[Case, ...] = ()
    cold_starts: tuple[ColdStart, ...] = ()
    naive_shots: tuple[NaiveShot, ...] = ()
    limits: Limits = Limits()
    remarks: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    paybacks: tuple[Payback, ...] = ()
    achieved: tuple[Achieved, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    bands: tuple[Band, ...] = ()
    advice: tuple[Advice, ...] = ()
    naive: tuple[NaiveCost, ...] = ()
    caveats: tuple[str, ...] = ()
    ratios: tuple[Ratio, ...] = ()
    first_answers: tuple[FirstAnswer, ...] = ()
    references: tuple[Reference, ...] = ()
    findings: tuple[Finding, ...] = ()
    studies: tuple[Study, ...] = ()
    teams: tuple[Team, ...] = ()
    timeline: tuple[Series, ...] = ()
    sensing: Sensing | None = None
    questions: tuple[Answer, ...] = ()
