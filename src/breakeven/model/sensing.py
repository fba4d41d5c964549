"""What sensors say over time: what went on meanwhile, what could not be read, what it cost."""

from __future__ import annotations

from typing import Literal

import msgspec

EnergyMethod = Literal["counter", "integrated", "powercap"]


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """What was going on in a stretch of a timeline.

    Attributes
    ----------
    begin_s, end_s : float
        Seconds since the run's start.
    kind : str
        ``idle``, ``steps``, ``trace``, ``epochs``, ``phase`` or ``command``.
    label : str
        In words, such as ``"torch-cuda, batch 64"``.
    """

    begin_s: float
    end_s: float
    kind: str
    label: str
    workload: str | None = None
    size: int | None = None
    entry: str | None = None


class Absent(msgspec.Struct, frozen=True, kw_only=True):
    """A sensor that could not be read, or no longer.

    Attributes
    ----------
    sensor : str
        As `Series.sensor`, or a family of them (``"gpu0"``, ``"cpu.energy_j"``).
    why : str
        What the system said.
    fix : str or None
        How to get it, where there is a way.
    since_s : float or None
        From when on; None where it never was.
    """

    sensor: str
    why: str
    fix: str | None = None
    since_s: float | None = None


class SamplerCost(msgspec.Struct, frozen=True, kw_only=True):
    """What sampling cost, and what it missed.

    Attributes
    ----------
    fast_s, slow_s : float
        Periods of the two tiers as planned.
    samples : int
        Samples of the fast tier that were taken.
    late : int
        Deadlines of the fast tier that were passed over because a sample took too long.
    cpu_s, wall_s : float
        CPU time of the sampler's process; time that it ran.
    rss_bytes : int or None
        Peak of its resident memory.
    slower : dict
        Seconds between readings by sensor, of those that are read less often than planned because
        a reading takes too much CPU time.
    """

    fast_s: float
    slow_s: float
    samples: int
    late: int
    cpu_s: float
    wall_s: float
    rss_bytes: int | None = None
    slower: dict[str, float] = {}

    @property
    def core_share(self) -> float:
        """CPU time of the sampler over wall time: share of one core."""
        return self.cpu_s / self.wall_s if self.wall_s > 0 else 0.0


class Energy(msgspec.Struct, frozen=True, kw_only=True):
    """Energy of one device over one window; None where it could not be measured, with the reason.

    Attributes
    ----------
    device : str
        ``"gpu0"``, or ``"cpu"``: its packages, with memory where the system counts it.
    method : str or None
        ``counter`` (the driver's energy counter), ``integrated`` (power over time), ``powercap``.
    window_s : float
        Between the readings of both ends.
    gross_j : float or None
        What the meter saw.
    idle_w : float or None
        Power in the idle stretch before, device open, nothing running on it.
    net_j : float or None
        Gross less idle power over the window.
    update_period_s : float or None
        How often the meter's figure changes, as found here.
    uncertainty_j : float or None
        Half-width of what the meter's steps at both ends leave open.
    integrated_j : float or None
        Beside a counter: power over time in the same window.
    why, fix : str or None
        Why there is no figure, or no net one, and how to get it.
    """

    device: str
    window_s: float
    method: EnergyMethod | None = None
    gross_j: float | None = None
    idle_w: float | None = None
    net_j: float | None = None
    update_period_s: float | None = None
    uncertainty_j: float | None = None
    integrated_j: float | None = None
    why: str | None = None
    fix: str | None = None


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """Mean, least and greatest of a sensor's samples in one stretch."""

    sensor: str
    mean: float
    low: float
    high: float
    samples: int


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """A command that ran under the sensors.

    Attributes
    ----------
    command : tuple of str
        Its words.
    wall_s : float
        From its start to its end.
    exit_code : int or None
        None when a signal ended it, or when it was a block of Python code.
    signal : str or None
        Name of the signal that ended it.
    cpu_s : float or None
        CPU time that it used, with its children that it waited for, by the system's account.
    peak_rss_bytes : int or None
        Peak of the resident memory of the largest of those processes, by the system's account;
        None where it was not above what the watcher itself held, which the system counts in.
    """

    command: tuple[str, ...]
    wall_s: float
    exit_code: int | None = None
    signal: str | None = None
    cpu_s: float | None = None
    peak_rss_bytes: int | None = None


class Sensing(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a timeline but its readings.

    Attributes
    ----------
    source : str
        ``sensors``, or ``replay`` for a recording.
    marks, absent, energies : tuple
        What went on; what could not be read; energy of the whole.
    cost : SamplerCost or None
        None where the sampler ended before it could say.
    thinned : int
        How often neighbouring samples were merged so that a long recording keeps its size.
    ended_early : str or None
        Why the recording ends before what it watched did.
    watched : Watched or None
        The command, where one was watched.
    unix_s : float or None
        Unix time of the timeline's zero: by it, traces of the same machine are laid beside it.
    readings : tuple of Reading
        Mean, least and greatest of each sensor over the whole of what was watched.
    """

    source: Literal["sensors", "replay"] = "sensors"
    marks: tuple[Mark, ...] = ()
    absent: tuple[Absent, ...] = ()
    energies: tuple[Energy, ...] = ()
    cost: SamplerCost | None = None
    thinned: int = 0
    ended_early: str | None = None
    watched: Watched | None = None
    unix_s: float | None = None
    readings: tuple[Reading, ...] = ()
