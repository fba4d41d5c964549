"""What stands in the way of speed, or of a true number, with its evidence."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.estimate import Estimate

Kind = Literal[
    "missing-sync",
    "no-warmup",
    "transfer-in-loop",
    "launch-bound",
    "float64-compute",
    "dtype-promotion",
    "implicit-sync",
    "dataloader-starvation",
    "pageable-transfer",
    "async-race",
    "memory-pool",
    "memory-fragmentation",
    "memory-leak",
    "allocator-churn",
    "layout",
    "element-loop",
    "shape-recompile",
    "tf32-accuracy",
    "rounding-only",
    "cpu-reference-wrong",
    "cpu-baseline",
    "cpu-oversubscription",
    "multi-gpu-imbalance",
    "energy-misread",
    "utilization-misread",
    "wrong-device",
    "kernel-quality",
    "contended",
    "debug-switch",
    "machine-limited",
    "memory-limit",
    "wrong-value",
    "setup",
    "none",
    "cannot-tell",
]
Evidence = Literal["static", "counter", "trace", "trial"]
Severity = Literal["info", "warning", "error"]


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """A place in the user's source.

    Attributes
    ----------
    line, column : int
        From 1; `column` is None where only the line is known.
    text : str or None
        The line as it stands there, without its indentation.
    """

    path: str
    line: int
    column: int | None = None
    text: str | None = None


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One number that a finding rests on.

    Attributes
    ----------
    name : str
        What it is, such as ``"loader share of a step"``.
    unit : str
        Of `value`: ``s``, ``bytes``, ``share``, ``count``, ``ratio``, ``flops``, ``w``, ``j``.
    threshold : float or None
        From where on the rule speaks; None where nothing is compared.
    origin : str or None
        Where the threshold comes from.
    """

    name: str
    value: float
    unit: str
    threshold: float | None = None
    origin: str | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One diagnosis: code, evidence, ceiling of the gain, fix, effort, how to verify.

    Attributes
    ----------
    code : str
        Stable name in the catalogue, such as ``BE101``.
    kind : str or None
        Sort of fault; ``none`` says that nothing is wrong, ``cannot-tell`` that it cannot be told.
    evidence : tuple of str
        What was seen: in the source (static), by a counter, in a trace, by a run that tried it.
        Only a trace or a trial shows a cause.
    location : Location or None
        First of the places.
    also : tuple of Location
        Further places that belong to it.
    message : str or None
        One sentence: what was seen here, with its figures.
    explains_share : float or None
        Share of the time of a step that this explains.
    gain_ceiling : float or None
        How many times faster a step could at most become, were the fault gone.
    gain : Estimate or None
        How many times faster a trial was.
    fix : str or None
        What to do, one sentence.
    snippet : str or None
        The user's line, mended, or the command that mends a set-up; None where none can be told.
    effort : str or None
        ``one line``, ``some lines`` or ``redesign``.
    risk : str or None
        What the mending may change (rounding, memory, order), or None.
    verify : str or None
        How to see that it is gone.
    why : str or None
        Reason of a ``cannot-tell``.
    subject : str or None
        What it is said of, where a run has several: workload, entry and size.
    """

    code: str
    title: str
    severity: Severity
    evidence: tuple[Evidence, ...]
    kind: Kind | None = None
    location: Location | None = None
    also: tuple[Location, ...] = ()
    message: str | None = None
    figures: tuple[Figure, ...] = ()
    explains_share: float | None = None
    gain_ceiling: float | None = None
    gain: Estimate | None = None
    fix: str | None = None
    snippet: str | None = None
    effort: str | None = None
    risk: str | None = None
    verify: str | None = None
    why: str | None = None
    subject: str | None = None
