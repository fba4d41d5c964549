"""Where an entry overtakes its base, with what it has to repay first."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.estimate import Estimate, Scope

CrossoverKind = Literal["bracket", "always", "never", "several", "undecided"]


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
