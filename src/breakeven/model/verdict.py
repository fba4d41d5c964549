"""What was concluded of a run: its verdicts, and all that stands beside them."""

from __future__ import annotations

import msgspec

from breakeven.model.advice import Advice, Band
from breakeven.model.crossing import Crossover, CrossoverKind, Payback
from breakeven.model.estimate import BEST_CPU, Estimate, Scope, Word
from breakeven.model.questions import Answer
from breakeven.model.ratio import FirstAnswer, Ratio
from breakeven.model.reach import Achieved, BoundBy, Bounded, Foretold, HeldOut, Prediction
from breakeven.model.spec import Precision

# The parts of a document have files of their own; they are imported from here.
__all__ = [
    "BEST_CPU",
    "AaCheck",
    "Achieved",
    "Advice",
    "Band",
    "BoundBy",
    "Bounded",
    "Crossover",
    "CrossoverKind",
    "Estimate",
    "Foretold",
    "HeldOut",
    "Judged",
    "NaiveCost",
    "Payback",
    "Prediction",
    "Reference",
    "Scope",
    "Verdict",
    "Word",
]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One entry against its base at one size and scope.

    Attributes
    ----------
    base : str
        Entry id that `ratio` divides: base time / entry time, so over 1 the entry is faster.
    base_kind : str
        Why this base: ``"best-cpu"``, ``"numpy"``, ``"same"`` (the same backend entered twice) or
        ``"planted"`` (it does the same work in another number of calls); of precision variants
        also ``"own"`` (the same entry in the run's precision) and ``"cpu-alike"`` (the CPU entry
        of the same precision).
    ratio, low, high : float or None
        Estimate and its 95 % interval, for reading.
    verdict_low, verdict_high : float or None
        The wider interval that the word hangs on.
    margin : float or None
        Smallest ratio that may be called faster in this session (from A/A), at least 1.05.
    rounds : int
        Rounds used.
    why : str or None
        Reason and remedy when withheld; what would settle it when inconclusive.
    rounds_needed : int or None
        Rounds that would settle it at this noise.
    reason : str or None
        Short, stable code of `why`. When withheld: ``busy``, ``gpu_busy``, ``two_states``,
        ``few_rounds``, ``quick``, ``disagrees``, ``thermal``, ``floor``, ``cores``, ``no_aa``,
        ``aa_winner``, ``status``, ``precision``, ``unmeasured``. When open: ``noise``, ``margin``.
    base_precision, precision : str or None
        What base and entry compute in, where one of them is a precision variant.
    """

    workload: str
    size: int
    scope: Scope
    base: str
    base_kind: str
    entry: str
    word: Word
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    verdict_low: float | None = None
    verdict_high: float | None = None
    margin: float | None = None
    rounds: int = 0
    why: str | None = None
    rounds_needed: int | None = None
    cost_s: float | None = None
    reason: str | None = None
    base_precision: Precision | None = None
    precision: Precision | None = None


class AaCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The same entry measured against its twin at one size: what this session can tell apart."""

    workload: str
    size: int
    entry: str
    twin: str
    ratio: float | None
    low: float | None
    high: float | None
    word: Word
    margin: float | None
    rounds: int


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    """This machine's case beside a stored run of another machine: not paired, indicative.

    Attributes
    ----------
    run, machine : str
        Id of the stored run, with the name of its device.
    here_entry, there_entry : str
        Entries set side by side.
    ratio : float
        here_s / there_s.
    """

    run: str
    machine: str
    workload: str
    size: int
    scope: Scope
    here_entry: str
    here_s: float
    there_entry: str
    there_s: float
    ratio: float


class NaiveCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a one-shot unsynchronised timing read at one size, and what each mistake cost.

    Attributes
    ----------
    one_shot_s : float
        First call at this size in a fresh process that walks up the sizes, transfer inside.
    unsynchronised_s : float or None
        Resident call with the clock stopped before the device was done.
    sound_transfer_s, sound_resident_s : float or None
        Medians of the sound measurement.
    first_call_s, transfer_s, missing_sync_s : float or None
        Seconds that each mistake added (positive) or hid (negative).
    """

    workload: str
    size: int
    entry: str
    one_shot_s: float
    unsynchronised_s: float | None
    sound_transfer_s: float | None
    sound_resident_s: float | None
    first_call_s: float | None
    transfer_s: float | None
    missing_sync_s: float | None


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was concluded from the records of one run."""

    verdicts: tuple[Verdict, ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    paybacks: tuple[Payback, ...] = ()
    achieved: tuple[Achieved, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    bands: tuple[Band, ...] = ()
    advice: tuple[Advice, ...] = ()
    aa: tuple[AaCheck, ...] = ()
    naive: tuple[NaiveCost, ...] = ()
    ratios: tuple[Ratio, ...] = ()
    first_answers: tuple[FirstAnswer, ...] = ()
    caveats: tuple[str, ...] = ()
    questions: tuple[Answer, ...] = ()
