"""How near a case comes to what its device reaches, with times of sizes that were not measured."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.estimate import Scope

BoundBy = Literal["compute", "memory", "link", "launch", "residual"]


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
