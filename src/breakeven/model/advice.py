"""What holds for small, middle and large sizes, and which entry to use."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.estimate import Scope


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
