"""What a page shows of a training, as frozen structs that any output can print."""

from __future__ import annotations

import msgspec


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One question with its answer.

    Attributes
    ----------
    label : str
        ``"RQ1"``, or what it is about.
    title : str
        The question.
    text : str
        What this run says.
    theirs : str
        What the paper that asked it found; empty where it says nothing.
    brief : str or None
        What the screen says instead, where the text would only list what is missing.
    """

    label: str
    title: str
    text: str
    theirs: str = ""
    brief: str | None = None


class CurvePoint(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of one entry at one batch size.

    Attributes
    ----------
    measure : str
        ``throughput``, ``device_memory``, ``host_memory``, ``gpu_utilisation``, ``cpu_share``.
    low, high : float
        Ends of the 95 % interval; the value itself where there is none.
    shown : str
        The figure as it is printed.
    """

    measure: str
    label: str
    size: int
    value: float
    low: float
    high: float
    shown: str


class KneePoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where the throughput of one entry stops growing, with what it is there."""

    label: str
    size: int
    value: float
    shown: str


class StepBar(msgspec.Struct, frozen=True, kw_only=True):
    """One phase of a step of one entry.

    Attributes
    ----------
    share : float
        Of the step; the shares of an entry sum to about 1.
    whole : str
        The whole step, as it is printed.
    """

    label: str
    phase: str
    share: float
    shown: str
    whole: str


class EpochPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Right answers after one epoch of one training; epochs count from 0."""

    label: str
    size: int
    epoch: int
    correct: int
    total: int


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One entry at one batch size, as the screen shows it; ``-`` where there is nothing."""

    size: int
    entry: str
    rate: str
    step: str
    whole: str
    ratio: str
    interval: str
    word: str
    kernel: str
    cores: str
    memory: str
    energy: str


class TrainingPage(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is shown of one workload beyond its times and verdicts.

    Attributes
    ----------
    told_size : int or None
        Batch size that sentences and the bars of phases are about.
    whole : str
        What the column of whole trainings is called, such as ``"20 epochs"``.
    """

    replies: tuple[Reply, ...]
    facts: tuple[str, ...]
    lines: tuple[Line, ...]
    curves: tuple[CurvePoint, ...] = ()
    knees: tuple[KneePoint, ...] = ()
    bars: tuple[StepBar, ...] = ()
    epochs: tuple[EpochPoint, ...] = ()
    told_size: int | None = None
    whole: str = ""
