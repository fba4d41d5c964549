"""What the stop rule says between rounds: what is settled, with where the crossover lies so far."""

from __future__ import annotations

import msgspec

from breakeven.model.verdict import Scope, Word


class SizeState(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison at one size, so far.

    Attributes
    ----------
    rounds : int
        Rounds that count at this size.
    settled : bool
        Whether the word is ``faster``, ``slower`` or ``equivalent``, or is withheld for a reason
        that more rounds cannot mend.
    rounds_needed : int or None
        Rounds in all that would settle it at this noise; None when settled or unknown.
    """

    size: int
    rounds: int
    word: Word
    settled: bool
    why: str | None = None
    rounds_needed: int | None = None


class PairState(msgspec.Struct, frozen=True, kw_only=True):
    """The main comparison of a workload in one scope, with its crossover so far.

    Attributes
    ----------
    estimate : float or None
        Interpolated size of the crossing, from the rounds so far (scouting when there are none);
        None where the medians do not cross.
    low, high : float or None
        Bracket now; None for an end that is open.
    factor : float or None
        high / low; None while an end is open.
    closed : bool
        Whether the search may end: the bracket is within a factor of 1.2, or nothing crosses
        with every size settled.
    rounds : int
        Largest number of rounds that count at one of the sizes.
    """

    workload: str
    scope: Scope
    base_kind: str
    entry: str
    sizes: tuple[SizeState, ...]
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    factor: float | None = None
    closed: bool = False
    rounds: int = 0


class WorkloadState(msgspec.Struct, frozen=True, kw_only=True):
    """All comparisons of one workload, so far.

    Attributes
    ----------
    open_sizes : tuple of int
        Sizes at which some comparison is not settled.
    settled_sizes : tuple of int
        Sizes at which all are.
    bases : dict
        Best CPU entry by size, chosen on scouting.
    """

    workload: str
    open_sizes: tuple[int, ...]
    settled_sizes: tuple[int, ...]
    bases: dict[int, str]


class Settlement(msgspec.Struct, frozen=True, kw_only=True):
    """The whole run, so far.

    Attributes
    ----------
    rounds : int
        Highest round measured; 0 after scouting alone.
    next_look : int or None
        Smallest number of rounds above `rounds` at which verdicts are looked at; None beyond
        the last look.
    settled : bool
        Whether every comparison is settled, with every crossover closed.
    """

    pairs: tuple[PairState, ...]
    workloads: tuple[WorkloadState, ...]
    rounds: int
    next_look: int | None
    settled: bool
