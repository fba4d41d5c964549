"""One entry at one size of one workload: its answer, its memory, its times."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.slot import Round

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
