"""What was concluded: verdicts, crossovers, pay-back, bands of size, advice."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.questions import Answer
from breakeven.model.ratio import FirstAnswer, Ratio
from breakeven.model.spec import Precision

Scope = Literal["resident", "transfer", "cold"]
Word = Literal[
    "faster", "slower", "equivalent", "some_gain", "some_loss", "inconclusive", "withheld"
]
BoundBy = Literal["compute", "memory", "link", "launch", "residual"]
CrossoverKind = Literal["bracket", "always", "never", "several", "undecided"]
BEST_CPU = "best-cpu"


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A number that cannot be had without its interval.

    Attributes
    ----------
    low, high : float
        Ends of the interval.
    level : float
        Nominal coverage of the interval, such as 0.95.
    n : int
        Units of replication behind it (rounds, or fresh processes).
    """

    value: float
    low: float
    high: float
    level: float
    n: int


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


class Crossover(msgspec.Struct, frozen=True, kw_only=True):
    """Where an entry overtakes its base over the axis of size.

    Attributes
    ----------
    kind : str
        ``bracket`` (low, high, estimate), ``always``, ``never``, ``several``, ``undecided``.
    low, high : float or None
        Bracket at the reading level (95 %); one-sided when one end is None.
    estimate : Estimate or None
        Interpolated size with its interval from resampled rounds.
    sizes : tuple of int
        Sizes tested.
    best_ratio, best_size : float, int or None
        Best ratio seen, for ``never`` and ``always``.
    changes : tuple of float
        Every interpolated sign change, ascending.
    wins_from, wins_to : int or None
        Smallest and largest measured size at which a verdict `faster` was settled.
    loses_to : int or None
        Largest measured size at which a verdict `slower` was settled below the crossing.
    composed : bool
        True for the cold scope, which is put together from medians.
    why : str or None
        Why it is undecided, or why the bracket is wider than asked.
    bases : tuple of str
        Base at each of `sizes`, for the cold scope, which chooses its own.
    start_s, base_start_s : float or None
        What a fresh process pays before steady calls, at the largest size, for the cold scope.
    processes, base_processes : int
        Fresh processes behind the two.
    """

    workload: str
    scope: Scope
    base: str
    base_kind: str
    entry: str
    kind: CrossoverKind
    sizes: tuple[int, ...]
    low: float | None = None
    high: float | None = None
    estimate: Estimate | None = None
    best_ratio: float | None = None
    best_size: int | None = None
    changes: tuple[float, ...] = ()
    wins_from: int | None = None
    wins_to: int | None = None
    loses_to: int | None = None
    composed: bool = False
    why: str | None = None
    bases: tuple[str, ...] = ()
    start_s: float | None = None
    base_start_s: float | None = None
    processes: int = 0
    base_processes: int = 0


class Payback(msgspec.Struct, frozen=True, kw_only=True):
    """After how many calls, or reuses of the same data, an entry has repaid its costs.

    Attributes
    ----------
    calls : Estimate or None
        Calls after which start-up (import, context, first call) is repaid, data travelling
        each time; None when it never is.
    calls_resident : Estimate or None
        The same for data that lives on the device.
    reuses : Estimate or None
        Operations on the same data after which one journey of it is repaid.
    why : str or None
        Why a figure is None.
    start_s, base_start_s : float or None
        What a fresh process of either pays before steady calls: import, context, first call.
    processes, base_processes : int
        Fresh processes behind the two: import and context are pooled over workloads.
    """

    workload: str
    size: int
    base: str
    base_kind: str
    entry: str
    calls: Estimate | None = None
    calls_resident: Estimate | None = None
    reuses: Estimate | None = None
    why: str | None = None
    start_s: float | None = None
    base_start_s: float | None = None
    processes: int = 0
    base_processes: int = 0


class Bounded(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a case beside the least time that the ceilings of its device allow.

    The four shares are of the measured time, and sum to 1.

    Attributes
    ----------
    seconds : float
        Median time of one call.
    bound_s : float or None
        Least time: one launch, the journey of the data, then the longer of operations over peak
        and bytes over bandwidth; None where a ceiling is missing.
    share : float or None
        bound_s / seconds. Over 1.05 the ceiling or the count is wrong: `fault` says so.
    by : str or None
        What bounds it, the largest part: ``compute``, ``memory``, ``link``, ``launch``, or
        ``residual`` where no ceiling explains the most of it.
    launch, transfer, work, residual : float or None
        Shares of the measured time; the residual is what no ceiling explains.
    why : str or None
        Why there is no bound.
    fault : str or None
        What a share over 1.05 may mean.
    """

    scope: Scope
    seconds: float
    bound_s: float | None = None
    share: float | None = None
    by: BoundBy | None = None
    launch: float | None = None
    transfer: float | None = None
    work: float | None = None
    residual: float | None = None
    why: str | None = None
    fault: str | None = None


class Achieved(msgspec.Struct, frozen=True, kw_only=True):
    """Rates reached by one case on resident data, from its counted work over its median time.

    Attributes
    ----------
    bounds : tuple of Bounded
        By scope, beside the ceilings of its device; empty where none were measured.
    """

    workload: str
    size: int
    entry: str
    flops_per_s: float | None
    bytes_per_s: float | None
    bounds: tuple[Bounded, ...] = ()


class HeldOut(msgspec.Struct, frozen=True, kw_only=True):
    """A measured size beside what the other sizes foretell of it."""

    size: int
    measured_s: float
    predicted_s: float


class Foretold(msgspec.Struct, frozen=True, kw_only=True):
    """Time of one call at a size that was not measured."""

    size: int
    seconds: float


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """Times of unmeasured sizes of one entry: launch, journey, and the longer of two rates.

    Attributes
    ----------
    launch_s : float
        What every call pays, whatever its size.
    flops_per_s, bytes_per_s, link_bytes_per_s : float or None
        Rates that fit the measured sizes; None where the fit has no use for one.
    fitted : tuple of int
        Sizes that it was fitted to.
    points : tuple of Foretold
        Sizes between and beyond them, never beyond twice the largest.
    held_out : tuple of HeldOut
        Each size that the others may foretell, left out of the fit in its turn.
    median_error, worst_error : float or None
        Relative errors of those: abs(predicted - measured) / measured.
    why : str or None
        Why there is no error, or no prediction.
    """

    workload: str
    entry: str
    scope: Scope
    launch_s: float
    flops_per_s: float | None
    bytes_per_s: float | None
    link_bytes_per_s: float | None
    fitted: tuple[int, ...]
    points: tuple[Foretold, ...]
    held_out: tuple[HeldOut, ...] = ()
    median_error: float | None = None
    worst_error: float | None = None
    why: str | None = None


class Band(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for a run of neighbouring measured sizes: the words for small, middle, large.

    Attributes
    ----------
    kind : str
        ``base`` (the base wins), ``entry`` (the entry wins), ``alike``, ``open`` (not settled).
    entries : tuple of str
        Winners in this band that verdicts did not tell apart; best first.
    ratio_low, ratio_high : float or None
        Range of the ratios measured in the band.
    """

    workload: str
    scope: Scope
    base_kind: str
    name: Literal["small", "middle", "large", "all"]
    kind: Literal["base", "entry", "alike", "open"]
    from_size: int
    to_size: int
    entries: tuple[str, ...]
    ratio_low: float | None = None
    ratio_high: float | None = None


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """Which entry to use for a workload, and the evidence for it.

    Attributes
    ----------
    choice : str or None
        Entry id; None when nothing is settled.
    reasons : tuple of str
        Sentences, each with its figures.
    from_size, to_size : float or None
        Sizes between which the choice holds; None for an end that nothing sets.
    otherwise : str or None
        Entry to use at the sizes below `from_size`; None when nothing is settled there.
    otherwise_to : float or None
        Size up to which that holds.
    open_sizes : tuple of int
        Measured sizes, other than those near the crossover, at which nothing is settled.
    quicker : dict
        Sizes at which verdicts settle another entry as faster than the choice, by entry.
    """

    workload: str
    scope: Scope
    choice: str | None
    reasons: tuple[str, ...]
    from_size: float | None = None
    to_size: float | None = None
    otherwise: str | None = None
    otherwise_to: float | None = None
    open_sizes: tuple[int, ...] = ()
    quicker: dict[str, tuple[int, ...]] = {}


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
