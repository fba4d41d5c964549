"""Energy of each device over a window: from a meter, or not at all, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from breakeven.analysis.readings import Cut, cut, integral
from breakeven.model.sensing import Absent, Energy, EnergyMethod
from breakeven.model.timeline import Series

MOST_UNCERTAIN = 0.05
"""Share of the figure that the meter's steps at both ends may leave open; beyond it, no figure."""
FEWEST_CHANGES = 4
"""A meter that changed less often in a window has no period that could be told from it."""
COUNTERS: dict[str, EnergyMethod] = {"gpu": "counter", "cpu": "powercap"}
MEMORY = "memory.energy_j"
POWERS = ("power_w", "power_average_w", "power_plain_w")
"""In order of preference: of the moment, its average, whatever the plain call means here."""
SETTLED_S = {"power_w": 0.0, "power_average_w": 1.0, "power_plain_w": 1.0}
"""An average over a second lags behind its edges by so much."""
_NO_SENSOR = "no sensor tells energy or power"
_NO_IDLE = "no idle stretch was measured, so there is nothing to take off"
_BAD_IDLE = "the idle stretch cannot be read: {why}"
_FEW = "the meter changed {count} times in {window:.2g} s, too few to tell how often it does"
_SHORT = (
    "a window of {window:.2g} s is too short: the meter's figure changes every {period:.2g} s, "
    "which leaves {open:.0%} open"
)
_LONGER = "repeat the work until it takes {seconds:.2g} s or more"
_STOPPED = "its readings stop before the window's end"
_BEGAN_ANEW = "its counter began anew within the window"
_LATE = "its readings begin after the window's start"


class _Told(NamedTuple):
    """What a meter says of a window, or why it says nothing."""

    joules: float | None = None
    begin_s: float = 0.0
    end_s: float = 0.0
    period_s: float | None = None
    uncertainty_j: float | None = None
    why: str | None = None
    fix: str | None = None


def energies(
    timeline: Sequence[Series],
    begin_s: float,
    end_s: float,
    idle: tuple[float, float] | None = None,
    absent: Iterable[Absent] = (),
) -> tuple[Energy, ...]:
    """Return the energy of every GPU in a timeline, then that of the CPU.

    Counters go before power over time. A counter is read at its own steps: from the first change
    in the window to the last. What is open at each end is then one step at most, by which the
    energy may lag behind; the larger of the two is the uncertainty. Where that is more than 5 % of
    the figure there is none, only the reason. (Steps and windows as in "Part-time Power
    Measurements: nvidia-smi's Lack of Attention", SC'24, arXiv 2312.02741.)

    Parameters
    ----------
    begin_s, end_s : float
        The window, on the timeline's clock.
    idle : tuple of float or None
        Beginning and end of a stretch before, the device open and nothing running on it.
    absent : iterable of Absent
        What could not be read, for the reasons.

    Returns
    -------
    tuple of Energy
        One each device; ``net_j`` beside ``gross_j``, never without it.
    """
    by_name = {series.sensor: series for series in timeline}
    missing = tuple(absent)
    names = [s.sensor.partition(".")[0] for s in timeline] + [
        a.sensor.partition(".")[0] for a in missing
    ]
    gpus = sorted({n for n in names if n.startswith("gpu") and n[3:].isdigit()}, key=_number)
    return tuple(
        _of_device(device, by_name, (begin_s, end_s), idle, missing) for device in [*gpus, "cpu"]
    )


def _number(device: str) -> int:
    return int(device[3:])


def _of_device(
    device: str,
    by_name: dict[str, Series],
    window: tuple[float, float],
    idle: tuple[float, float] | None,
    absent: tuple[Absent, ...],
) -> Energy:
    counter = _counter(device, by_name)
    power = next((s for p in POWERS if (s := by_name.get(f"{device}.{p}")) is not None), None)
    length = window[1] - window[0]
    told: _Told | None = None
    if counter is not None:
        told = _counted(counter, *window)
        if told.joules is not None or power is None:
            method = COUNTERS[device.rstrip("0123456789")]
            return _energy(device, method, told, length, counter, power, idle)
    if power is not None:
        integrated = _integrated(power, *window)
        if integrated.joules is not None or told is None:
            return _energy(device, "integrated", integrated, length, None, power, idle)
    if told is not None:
        return Energy(device=device, window_s=length, why=told.why, fix=told.fix)
    reason = _reason(device, absent)
    return Energy(
        device=device,
        window_s=length,
        why=_NO_SENSOR if reason is None else reason.why,
        fix=None if reason is None else reason.fix,
    )


def _counter(device: str, by_name: dict[str, Series]) -> Series | None:
    """Return a device's counter; of the CPU with that of its memory, where there is one."""
    counter, memory = by_name.get(f"{device}.energy_j"), by_name.get(MEMORY)
    if device != "cpu" or counter is None or memory is None:
        return counter
    # Both are read at once. Times that only one has are those of before the other was sure.
    beside = dict(zip(memory.t_s, memory.value, strict=True))
    rows = [
        (t_s, None if value is None or other is None else value + other)
        for t_s, value in zip(counter.t_s, counter.value, strict=True)
        if t_s in beside
        for other in (beside[t_s],)
    ]
    if not rows:
        return counter
    return Series(
        sensor=counter.sensor, t_s=tuple(t for t, _ in rows), value=tuple(v for _, v in rows)
    )


def _reason(device: str, absent: tuple[Absent, ...]) -> Absent | None:
    """Return why there is no meter: said of its energy, of the device, or of all GPUs."""
    wanted = (f"{device}.energy_j", device, f"{device}.power_w", device.rstrip("0123456789"))
    return next((a for name in wanted for a in absent if a.sensor == name), None)


def _energy(
    device: str,
    method: EnergyMethod,
    told: _Told,
    length: float,
    counter: Series | None,
    power: Series | None,
    idle: tuple[float, float] | None,
) -> Energy:
    if told.joules is None:
        return Energy(
            device=device,
            window_s=length,
            update_period_s=told.period_s,
            why=told.why,
            fix=told.fix,
        )
    span = told.end_s - told.begin_s
    idle_w, why = _idle_power(counter, power, idle)
    beside = None
    if method != "integrated" and power is not None:
        beside = _integrated(power, told.begin_s, told.end_s).joules
    return Energy(
        device=device,
        method=method,
        window_s=span,
        gross_j=told.joules,
        idle_w=idle_w,
        net_j=None if idle_w is None else told.joules - idle_w * span,
        update_period_s=told.period_s,
        uncertainty_j=told.uncertainty_j,
        integrated_j=beside,
        why=why,
    )


def _idle_power(
    counter: Series | None, power: Series | None, idle: tuple[float, float] | None
) -> tuple[float | None, str | None]:
    """Return the mean power of the idle stretch by the same meter; else why there is none."""
    if idle is None:
        return None, _NO_IDLE
    told = _Told(why=_NO_SENSOR)
    if counter is not None:
        told = _counted(counter, *idle)
    elif power is not None:
        told = _integrated(power, *idle)
    if told.joules is None:
        return None, _BAD_IDLE.format(why=told.why)
    return told.joules / (told.end_s - told.begin_s), None


def _changes(found: Cut) -> list[int]:
    """Return the places of samples whose value is not that of the sample before."""
    return [i for i in range(1, len(found.t_s)) if found.value[i] != found.value[i - 1]]


def _period(found: Cut, changes: Sequence[int]) -> float:
    """Return the mean time between two changes: no less than that between two samples."""
    return (found.t_s[changes[-1]] - found.t_s[changes[0]]) / (len(changes) - 1)


def _counted(counter: Series, begin_s: float, end_s: float) -> _Told:
    """Return what a counter grew by, from its first change in the window to its last."""
    found = cut(counter, begin_s, end_s)
    changes = _changes(found)
    if any(found.value[i] < found.value[i - 1] for i in changes):
        return _Told(why=_BEGAN_ANEW)
    if len(changes) < FEWEST_CHANGES:
        return _few(len(changes), end_s - begin_s)
    first, last = changes[0], changes[-1]
    period = _period(found, changes)
    if (
        stopped := _uncovered(found.t_s[first], found.t_s[last], begin_s, end_s, period)
    ) is not None:
        return _Told(why=stopped)
    joules = found.value[last] - found.value[first]
    # A step is what the counter had not told yet a moment before.
    steps = [found.value[i] - found.value[i - 1] for i in changes]
    uncertainty = max(steps[0], steps[1], steps[-1])
    told = _Told(joules, found.t_s[first], found.t_s[last], period, uncertainty)
    return _enough(told, end_s - begin_s)


def _integrated(power: Series, begin_s: float, end_s: float) -> _Told:
    """Return power over time; at each end the power of one update may be missed or be too much."""
    found = cut(power, begin_s, end_s)
    changes = _changes(found)
    if len(changes) < FEWEST_CHANGES:
        return _few(len(changes), end_s - begin_s)
    period = _period(found, changes)
    lag = max(period, SETTLED_S.get(power.sensor.partition(".")[2], 0.0))
    if (stopped := _uncovered(found.t_s[0], found.t_s[-1], begin_s, end_s, period)) is not None:
        return _Told(why=stopped)
    joules = integral(found, begin_s, end_s)
    uncertainty = lag * max(found.value[0], found.value[-1], joules / (end_s - begin_s))
    return _enough(_Told(joules, begin_s, end_s, period, uncertainty), end_s - begin_s)


def _few(count: int, window_s: float) -> _Told:
    why = _FEW.format(count=count, window=window_s)
    return _Told(why=why, fix=_LONGER.format(seconds=2.0))


def _uncovered(
    first_s: float, last_s: float, begin_s: float, end_s: float, period_s: float
) -> str | None:
    """Return which end of a window has no readings: a meter that ended says nothing of the rest."""
    allowed = max(3 * period_s, 0.02 * (end_s - begin_s))
    if last_s < end_s - allowed:
        return _STOPPED
    return _LATE if first_s > begin_s + allowed else None


def _enough(told: _Told, window_s: float) -> _Told:
    """Return the same, or why it is too uncertain to be told."""
    assert told.joules is not None
    assert told.period_s is not None
    assert told.uncertainty_j is not None
    if told.joules > 0 and told.uncertainty_j <= MOST_UNCERTAIN * told.joules:
        return told
    share = told.uncertainty_j / told.joules if told.joules > 0 else 1.0
    return _Told(
        period_s=told.period_s,
        why=_SHORT.format(window=window_s, period=told.period_s, open=share),
        fix=_LONGER.format(seconds=window_s * share / MOST_UNCERTAIN),
    )
