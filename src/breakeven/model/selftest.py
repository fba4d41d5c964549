"""What `breakeven selftest` found: is this machine, with this tool, fit to be believed?"""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.machine import BackendInfo, Machine
from breakeven.model.run import Entry, Floors
from breakeven.model.verdict import Verdict

SCHEMA = "breakeven.selftest/1"
CheckWord = Literal["passed", "failed", "unknown"]
Fitness = Literal["fit", "not_fit", "unknown"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was tried.

    Attributes
    ----------
    name : str
        Short and stable: ``other_processes``, ``same_code``, ``planted_1.20``, ...
    title : str
        The same for people.
    word : str
        ``passed``, ``failed``, or ``unknown``: it could not be told, which is no fault.
    figure, target : str
        What was found, with its unit; what it must be.
    value, limit : float or None
        The same two as numbers, in the unit that they are written in; None where there is no
        single number.
    why, remedy : str or None
        What it means where it did not pass; what to do about it.
    """

    name: str
    title: str
    word: CheckWord
    figure: str
    target: str
    value: float | None = None
    limit: float | None = None
    why: str | None = None
    remedy: str | None = None


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison whose right answer is known beforehand.

    Attributes
    ----------
    planted : float
        How many times as long the entry takes as its base, by construction: 1 for the same code
        measured twice.
    verdict : Verdict
        What the ordinary rule said at the look that settled it; its ratio is base time over entry
        time, so 1 / planted is right.
    measured, low, high : float or None
        How many times as long the entry took, over all rounds, with the interval at the level
        that a verdict hangs on; None where a gate withholds the figure.
    rounds : int
        Rounds behind them.
    holds : bool or None
        Whether they agree with what was planted: a stricter interval, since many places are looked
        at together, with 1 % for the wall clock beside it; None where there is no figure.
    rounds_needed : int or None
        Rounds that would find it at this noise; None when it was found, or 20 would not do.
    """

    planted: float
    verdict: Verdict
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    rounds: int = 0
    holds: bool | None = None
    rounds_needed: int | None = None


class Together(msgspec.Struct, frozen=True, kw_only=True):
    """All trials of one entry at once: what one place leaves open, many may contradict.

    Attributes
    ----------
    places : int
        Sizes and scopes behind it.
    measured, low, high : float
        How many times as long the entry took, the mean over places in each round; the interval
        over rounds at the level that a verdict hangs on.
    holds : bool
        Whether it holds what was planted, with 1 % for the wall clock beside it.
    """

    entry: str
    base: str
    planted: float
    places: int
    rounds: int
    measured: float
    low: float
    high: float
    holds: bool


class TimerReading(msgspec.Struct, frozen=True, kw_only=True):
    """The host clock, watched.

    Attributes
    ----------
    resolution_s : float
        Smallest step between two readings that differ.
    backward : int
        Readings that were below the one before.
    reads : int
        Readings taken in a row for the two figures above.
    rate : float or None
        Its seconds over those of the hardware clock that nothing adjusts; None where the system
        has no such clock.
    watched_s : float
        Seconds over which the rate was watched.
    """

    resolution_s: float
    backward: int
    reads: int
    rate: float | None = None
    watched_s: float = 0.0


class DeviceReading(msgspec.Struct, frozen=True, kw_only=True):
    """One call on a GPU by our device clock, beside the kernels in a trace of it.

    Attributes
    ----------
    ours_s : float or None
        Behind a full queue, by events.
    traced_s : float or None
        Sum of kernel durations of one call, as the driver's tracing records them.
    kernels : int
        Kernels of one call.
    why : str or None
        Why a figure is missing.
    """

    backend: str
    workload: str
    size: int
    ours_s: float | None = None
    traced_s: float | None = None
    kernels: int = 0
    why: str | None = None


class Readings(msgspec.Struct, frozen=True, kw_only=True):
    """What was read beside the ordinary record of the rounds.

    Attributes
    ----------
    steal_cores : float or None
        Cores' worth of time that the hypervisor gave to others; None where the system does not
        tell.
    device_why : str or None
        Why no device clock was tried at all.
    """

    timer: TimerReading | None = None
    steal_cores: float | None = None
    device: tuple[DeviceReading, ...] = ()
    device_why: str | None = None


class SelfTest(msgspec.Struct, frozen=True, kw_only=True):
    """One self-test: what was tried, and whether this machine is fit to be believed.

    Attributes
    ----------
    fit : str
        ``fit``, ``not_fit``, or ``unknown`` where too little was measured.
    believed_from : float or None
        Smallest ratio of two times that it may be believed for; None unless fit.
    answer : str
        The same as one sentence.
    rounds : int
        Most rounds that count at one place.
    """

    id: str
    started: str
    finished: str
    command: tuple[str, ...]
    machine: Machine
    fit: Fitness
    answer: str
    schema: str = SCHEMA
    believed_from: float | None = None
    interrupted: bool = False
    budget_s: float = 0.0
    rounds: int = 0
    backends: tuple[BackendInfo, ...] = ()
    entries: tuple[Entry, ...] = ()
    checks: tuple[Check, ...] = ()
    trials: tuple[Trial, ...] = ()
    together: tuple[Together, ...] = ()
    floors: dict[str, Floors] = {}
    readings: Readings = Readings()
    remarks: tuple[str, ...] = ()
