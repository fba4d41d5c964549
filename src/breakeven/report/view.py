"""The view model: what a page shows, as frozen structs that any output can print."""

from __future__ import annotations

import msgspec

from breakeven.model.sensing import Sensing
from breakeven.model.timeline import Series
from breakeven.report.training.view import TrainingPage


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One time as it is shown.

    Attributes
    ----------
    text : str
        What is printed: a time, ``"at the floor"``, a status, or ``"-"``.
    seconds : float or None
        The number behind the text; None whenever no digits are shown.
    low, high : float or None
        Lowest and highest median of a round, seconds.
    rounds : int
        Rounds behind the number; the scouting round counts as none.
    indicative : bool
        Whether the number comes from a scouting round or a quick run.
    note : str or None
        Why there is no number, or what weakens it.
    """

    text: str
    seconds: float | None = None
    low: float | None = None
    high: float | None = None
    rounds: int = 0
    indicative: bool = False
    note: str | None = None


class Timed(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with the column it stands in: an entry (or backend) at one scope."""

    column: str
    entry: str | None
    scope: str
    figure: Figure


class Speedup(msgspec.Struct, frozen=True, kw_only=True):
    """A stored verdict as it is shown: base time over entry time, 95 % interval, word.

    Attributes
    ----------
    column : str
        Label of the column that holds the entry's time.
    """

    entry: str
    column: str
    scope: str
    base: str
    base_kind: str
    ratio: float | None
    low: float | None
    high: float | None
    rounds: int
    word: str
    text: str
    why: str | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One size of a workload's main table.

    Attributes
    ----------
    in_plan : bool
        Whether the size was asked for; otherwise the search for the crossover added it.
    """

    size: int
    in_plan: bool
    numpy: Timed
    best_cpu: Timed
    others: tuple[Timed, ...]
    speedups: tuple[Speedup, ...]


class Bracket(msgspec.Struct, frozen=True, kw_only=True):
    """The part of the size axis to shade: between which sizes the lead changes."""

    label: str
    scope: str
    base_kind: str
    low: float
    high: float
    lead: bool


class PhaseBar(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of one phase of one entry, for the stacked picture."""

    label: str
    phase: str
    seconds: float


class LossPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One training loss of one entry at one size.

    Attributes
    ----------
    reading : int
        Counted from 1 in order.
    epoch : int or None
        Epoch after which it was read; None where the record does not say.
    """

    label: str
    size: int
    reading: int
    loss: float
    epoch: int | None = None


class PrecisionPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Time and error of one entry in one precision, data on the device.

    Attributes
    ----------
    family : str
        What the entry and its variants are called together.
    text : str
        The time as it is printed.
    """

    family: str
    precision: str
    entry: str
    size: int
    error: float
    class_: str
    seconds: float
    text: str


class ReferencePoint(msgspec.Struct, frozen=True, kw_only=True):
    """A time of another machine's stored run: not paired, indicative."""

    label: str
    scope: str
    size: int
    seconds: float


class Roof(msgspec.Struct, frozen=True, kw_only=True):
    """What one device reached in one precision: operations a second, bytes a second."""

    label: str
    peak: float
    bandwidth: float


class ReachedPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Operations a second of one column at one size, with operations for each byte."""

    label: str
    size: int
    flops_per_byte: float
    flops_per_s: float


class PredictedPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A time that was not measured, with the worst held-out error of its law."""

    label: str
    scope: str
    size: int
    seconds: float
    error: str | None = None


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table of text.

    Attributes
    ----------
    caption : str
        What the table says, with base, scope and clock where they apply.
    numeric : tuple of bool
        Columns that hold numbers, to be aligned right.
    """

    title: str
    caption: str
    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A break-even sentence.

    Attributes
    ----------
    text : str
        Where the lead changes, or that it is not settled.
    more : str
        What was settled by measurement, and why no more is known; may be empty.
    lead : bool
        Whether it is about the entry that the answer names; the screen keeps to those.
    """

    text: str
    more: str
    kind: str
    scope: str
    lead: bool


class AdviceText(msgspec.Struct, frozen=True, kw_only=True):
    """Which entry to use, then the evidence, sentence by sentence."""

    headline: str
    reasons: tuple[str, ...]
    settled: bool = True


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that the screen says of a workload, under a short label."""

    label: str
    text: str


class WorkloadPage(msgspec.Struct, frozen=True, kw_only=True):
    """Everything shown about one workload.

    Attributes
    ----------
    base_kind : str
        The base that the answer is about: ``"best-cpu"`` where a GPU takes part.
    leads : dict
        The column whose speed-up stands in the short table, by scope.
    best_cpu_names : tuple of str
        Which entry was the best CPU setting, by range of sizes.
    notes : tuple of Note
        What the screen says beside the table; the report says all of it at length.
    withheld : bool
        Whether no verdict of the base that the answer is about stands.
    one_shots : tuple of str
        What careless timing reads, and what each of its mistakes cost.
    unsettled : tuple of str
        Why comparisons are withheld or inconclusive, with the remedy.
    phase_size : int or None
        Size that the picture of phases is drawn for.
    shares : tuple of str
        What the largest size of each entry reached of its ceilings; empty without any.
    training : TrainingPage or None
        Of a workload that trains or infers.
    """

    name: str
    axis: str
    dtype: str
    answer: str
    base_kind: str
    scopes: tuple[str, ...]
    leads: dict[str, str]
    rows: tuple[Row, ...]
    best_cpu_names: tuple[str, ...]
    crossovers: tuple[Claim, ...]
    second_line: tuple[Claim, ...]
    paybacks: tuple[str, ...]
    bands: tuple[str, ...]
    advice: tuple[AdviceText, ...]
    references: tuple[str, ...]
    notes: tuple[Note, ...]
    withheld: bool
    one_shots: tuple[str, ...]
    unsettled: tuple[str, ...]
    statuses: tuple[str, ...]
    tables: tuple[Table, ...]
    brackets: tuple[Bracket, ...]
    phases: tuple[PhaseBar, ...]
    phase_size: int | None
    losses: tuple[LossPoint, ...]
    reference_points: tuple[ReferencePoint, ...]
    shares: tuple[str, ...] = ()
    roofs: tuple[Roof, ...] = ()
    reached: tuple[ReachedPoint, ...] = ()
    predicted: tuple[PredictedPoint, ...] = ()
    precisions: tuple[PrecisionPoint, ...] = ()
    training: TrainingPage | None = None


class TimelinePage(msgspec.Struct, frozen=True, kw_only=True):
    """What sensors read over time.

    Attributes
    ----------
    lines : tuple of str
        Energy, and what sampling cost.
    absent : tuple of str
        What could not be read: why, and how to get it.
    series, sensing : tuple of Series, Sensing
        What the pictures are drawn from.
    """

    lines: tuple[str, ...]
    absent: tuple[str, ...]
    tables: tuple[Table, ...]
    series: tuple[Series, ...]
    sensing: Sensing


class FindingText(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as it is shown; empty texts are left out.

    Attributes
    ----------
    place : str
        Path and line.
    worth : str
        What mending it gains at most, or gained, and what it takes.
    line, snippet : str or None
        The user's line, and the same mended.
    evidence : str
        What it was seen by.
    told : bool
        Whether the screen tells it; the report tells all.
    """

    code: str
    severity: str
    title: str
    place: str
    message: str
    worth: str
    fix: str
    evidence: str
    snippet: str | None = None
    line: str | None = None
    risk: str | None = None
    verify: str | None = None
    told: bool = True


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it is shown: made from the stored record alone.

    Attributes
    ----------
    answers : tuple of str
        The first thing printed: one sentence a workload.
    environment : tuple of str
        Header lines: run, processor, GPU, software.
    caveats : tuple of str
        What must be read beside the figures; what weighs most comes first.
    weighty : tuple of str
        Those of them that belong beside the answer.
    details : Table
        The environment in full.
    timeline : TimelinePage or None
        What sensors read, where they were.
    findings : tuple of FindingText
        What stands in the way, where it was judged.
    """

    run: str
    title: str
    answers: tuple[str, ...]
    indicative: bool
    environment: tuple[str, ...]
    caveats: tuple[str, ...]
    weighty: tuple[str, ...]
    workloads: tuple[WorkloadPage, ...]
    method: tuple[str, ...]
    tables: tuple[Table, ...]
    details: Table
    version: str
    timeline: TimelinePage | None = None
    findings: tuple[FindingText, ...] = ()
