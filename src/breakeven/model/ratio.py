"""Ratios that are no verdicts, with both sides named, beside what a first answer takes."""

from __future__ import annotations

from typing import Literal

import msgspec

RatioKind = Literal["waiting", "batching", "graph", "hot_caches", "cold_caches", "float64"]
Side = Literal["awaited", "issued", "queued", "graph", "hot", "cold", "float64", "float32"]


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """One time of a call over another on resident data, with what it rests on.

    Attributes
    ----------
    kind : str
        What it tells: ``waiting``, ``batching``, ``graph`` (what calls of one entry would gain),
        ``hot_caches``, ``cold_caches`` (the best CPU entry over this one), ``float64`` (the time
        of float64 over that of float32).
    numerator, denominator : str
        Which time stands above, and which below: ``awaited`` (a call with the wait for its end),
        ``issued`` (until it returns), ``queued`` (each behind a full queue), ``graph`` (each
        replay), ``hot``, ``cold``, ``float64``, ``float32``.
    entry : str
        The entry that it is about.
    other : str or None
        The entry on the other side; None where both times are of `entry`.
    numerator_s, denominator_s : float or None
        The two times, medians; None where rounds were paired and neither stands alone.
    value : float
        Numerator over denominator.
    low, high : float or None
        Its 95 % interval over rounds; None with one reading, which has none.
    n : int
        Rounds behind it; 1 is indicative.
    at_least : bool
        Whether the denominator is at its floor, so that the ratio is a lower bound.
    """

    workload: str
    size: int
    entry: str
    kind: RatioKind
    numerator: Side
    denominator: Side
    value: float
    n: int
    numerator_s: float | None = None
    denominator_s: float | None = None
    low: float | None = None
    high: float | None = None
    other: str | None = None
    at_least: bool = False


class FirstAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What the first answer of a fresh process takes, by the state of its kernel caches.

    Attributes
    ----------
    caches : str
        ``"as found"`` or ``"emptied"``.
    import_s, context_s, first_call_s, last_call_s : float
        Medians over processes.
    seconds : float
        Import, context and first call together, the median over processes.
    low, high : float or None
        Its 95 % interval, from processes drawn again; None with one process.
    processes : int
        Fresh processes behind it.
    """

    workload: str
    backend: str
    caches: str
    import_s: float
    context_s: float
    first_call_s: float
    last_call_s: float
    seconds: float
    processes: int
    low: float | None = None
    high: float | None = None
