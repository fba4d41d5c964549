"""What was recorded of a user's script: its steps, its lines, its traces and its trials."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.estimate import Estimate
from breakeven.model.finding import Location
from breakeven.model.trace import TraceSummary

Doing = Literal[
    "to_device",
    "to_host",
    "on_device",
    "synchronise",
    "implicit_sync",
    "launch",
    "host_work",
    "loader",
    "allocate",
    "free",
    "compile",
    "random",
    "clock",
]


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """What one line of the user's did, over the window that was looked at.

    Attributes
    ----------
    doing : str
        What it did there; a line that does several things has several sites.
    name : str or None
        Operator, kernel or function that did it.
    calls : int
        In the window.
    host_s : float or None
        Time of the host within it; None where it was not timed.
    device_s : float or None
        Time of the device in what it started; None where no device was seen.
    bytes : int or None
        That it moved or took; None where that is not known.
    sizes : tuple of int
        Bytes of single copies or allocations, the commonest few.
    dtype : str or None
        Of the arrays, where all had one.
    memory : str or None
        Of the host side of a copy: ``pageable`` or ``pinned``.
    idle_after_s : float or None
        Time for which the device had nothing to do right after.
    in_step : bool
        Whether it is repeated in each step.
    """

    location: Location
    doing: Doing
    name: str | None = None
    calls: int = 0
    host_s: float | None = None
    device_s: float | None = None
    bytes: int | None = None
    sizes: tuple[int, ...] = ()
    dtype: str | None = None
    memory: str | None = None
    idle_after_s: float | None = None
    in_step: bool = False


class Counter(msgspec.Struct, frozen=True, kw_only=True):
    """A counter of a library or of the system, read at the ends of steps.

    Attributes
    ----------
    name : str
        Such as ``torch.allocated_bytes``, ``cupy.pool_total_bytes``, ``torch.alloc_retries``.
    t_s, value : tuple of float
        When, seconds since the script's start, and what.
    """

    name: str
    t_s: tuple[float, ...]
    value: tuple[float, ...]


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """The step run another way, to see what would be gained.

    Attributes
    ----------
    name : str
        ``cached_batch``, ``doubled_batch``, ``deferred_sync``, ``tf32``, ``float32`` or ``warm``.
    plain_s, tried_s : Estimate or None
        A step without and with the change, seconds; None where it could not be tried.
    error : float or None
        Relative difference of the answers, where both gave one.
    why_not : str or None
        Why it was not tried.
    """

    name: str
    plain_s: Estimate | None = None
    tried_s: Estimate | None = None
    error: float | None = None
    why_not: str | None = None


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """A span that the script timed itself: two readings of a clock.

    Attributes
    ----------
    begin, end : Location
        Lines of the two readings.
    host_s : float
        What the script read, mean.
    device_s : float or None
        Work of the device that was started within it, mean.
    pending_s : float or None
        Work of the device that had not ended at the second reading, mean.
    first : bool
        Whether the first use of a library or kernel lay within it.
    """

    begin: Location
    end: Location
    calls: int
    host_s: float
    device_s: float | None = None
    pending_s: float | None = None
    first: bool = False


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A switch that matters, of the environment or of a library."""

    name: str
    value: str


class Profiled(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a script under sensors and, where one could be taken, a trace.

    Attributes
    ----------
    script : str
        Path, as it was given.
    arguments : tuple of str
        Of the script.
    frameworks : tuple of str
        Those that it imported: ``torch``, ``cupy``, ``numpy``.
    settings : tuple of Setting
        Switches that matter.
    exit_code : int or None
        Of the script; negative for a signal; None where it was stopped by us.
    wall_s : float
        Of the whole script.
    found_by : str or None
        What told its steps: ``loop``, ``optimiser``, ``trace``, ``iterator``; None where none were
        found.
    steps_s : tuple of float
        Each step of the untraced pass, seconds.
    steps_at : Location or None
        The line that is repeated.
    plain_step_s, traced_step_s : Estimate or None
        What tracing cost.
    kernels : int or None
        That were seen; None where nothing could see them.
    pass_why : str or None
        Why a pass was not made.
    """

    script: str
    arguments: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    exit_code: int | None = None
    wall_s: float = 0.0
    found_by: str | None = None
    steps_s: tuple[float, ...] = ()
    steps_at: Location | None = None
    plain_step_s: Estimate | None = None
    traced_step_s: Estimate | None = None
    kernels: int | None = None
    trace: TraceSummary | None = None
    sites: tuple[Site, ...] = ()
    timings: tuple[Timing, ...] = ()
    counters: tuple[Counter, ...] = ()
    trials: tuple[Trial, ...] = ()
    pass_why: str | None = None
