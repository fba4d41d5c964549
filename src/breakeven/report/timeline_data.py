"""The lines of a timeline's pictures: each sensor in its unit, long ones thinned to a band."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from breakeven.model.quantities import device_name, gpu_index, is_core, quantity
from breakeven.model.timeline import Series

# Points of one line on a page 700 points wide.
MOST_POINTS = 240
_DIGITS = 6
_GIB = 2.0**30

Point = dict[str, Any]


class Line(NamedTuple):
    """One line of a picture.

    Attributes
    ----------
    label : str
        What the legend calls it.
    series : Series
        With at most `MOST_POINTS` readings; ``low`` and ``high`` are filled where samples were
        merged, here or by the sampler.
    scale : float
        A shown value is a reading times this.
    """

    label: str
    series: Series
    scale: float = 1.0


def thinned(series: Series, most: int = MOST_POINTS) -> Series:
    """Return a series of at most `most` readings: means of equal stretches of time, with the band.

    A stretch without a reading that succeeded stays a gap. The least and the greatest of all that
    was merged stand in ``low`` and ``high``.
    """
    if len(series.t_s) <= most:
        return series
    first, width = series.t_s[0], (series.t_s[-1] - series.t_s[0]) / most
    groups: list[list[int]] = [[] for _ in range(most)]
    for i, t in enumerate(series.t_s):
        groups[min(int((t - first) / width), most - 1)].append(i)
    merged = [_merged(series, group) for group in groups]
    return Series(
        sensor=series.sensor,
        t_s=tuple(first + (i + 0.5) * width for i in range(most)),
        value=tuple(m[0] for m in merged),
        low=tuple(m[1] for m in merged),
        high=tuple(m[2] for m in merged),
    )


def rate(series: Series) -> Series:
    """Return how fast a counter grew between neighbouring readings, at the middle of the two."""
    known = [(t, v) for t, v in zip(series.t_s, series.value, strict=True) if v is not None]
    pairs = [(a, b) for a, b in pairwise(known) if b[0] > a[0]]
    return Series(
        sensor=series.sensor,
        t_s=tuple((a[0] + b[0]) / 2 for a, b in pairs),
        # A counter that fell was set anew: what it counted meanwhile is not known.
        value=tuple((b[1] - a[1]) / (b[0] - a[0]) if b[1] >= a[1] else None for a, b in pairs),
    )


def cpu(timeline: Sequence[Series]) -> list[Line]:
    """Return cores busy: of the whole machine, and in the processes that were watched."""
    cores = sum(is_core(quantity(s.sensor).device) for s in timeline)
    found = [
        Line("the machine", s, float(cores))
        for s in _named(timeline, "cpu.busy_share")
        if cores
    ]  # fmt: skip
    return _drawable([*found, *(Line("watched", s) for s in _named(timeline, "tree.cpu_cores"))])


def of_gpus(timeline: Sequence[Series], what: str, scale: float = 1.0) -> list[Line]:
    """Return one quantity of each GPU, such as ``"power_w"``, in the order of their numbers."""
    mine = [
        (index, s)
        for s in timeline
        if (index := gpu_index(quantity(s.sensor).device)) is not None
        and s.sensor.endswith(f".{what}")
    ]
    mine.sort(key=lambda pair: pair[0])
    return _drawable(Line(device_name(f"gpu{index}"), s, scale) for index, s in mine)


def power(timeline: Sequence[Series]) -> list[Line]:
    """Return watts of each GPU, and of the CPU where its energy is counted."""
    counted = [Line("CPU", rate(thinned(s))) for s in _named(timeline, "cpu.energy_j")]
    return [*of_gpus(timeline, "power_w"), *_drawable(counted)]


def temperature(timeline: Sequence[Series]) -> list[Line]:
    """Return degrees of each GPU and of the CPU."""
    found = (Line("CPU", s) for s in _named(timeline, "cpu.temperature_c"))
    return [*of_gpus(timeline, "temperature_c"), *_drawable(found)]


def memory(timeline: Sequence[Series]) -> list[Line]:
    """Return GiB of the host's memory: in use altogether, and in the watched processes."""
    found = [Line("the machine", s, 1 / _GIB) for s in _named(timeline, "host.memory_bytes")]
    found += [Line("watched", s, 1 / _GIB) for s in _named(timeline, "tree.rss_bytes")]
    return _drawable(found)


def link(timeline: Sequence[Series]) -> list[Line]:
    """Return GB a second over the link of each GPU, from its byte counters."""
    return _drawable(
        Line(f"{words} {line.label}", rate(line.series), 1e-9)
        for what, words in (("to_device_bytes", "to"), ("to_host_bytes", "from"))
        for line in of_gpus(timeline, what)
    )


def points(lines: Sequence[Line], per_unit_s: float) -> list[Point]:
    """Return the points of lines, times in units of `per_unit_s`; a reading that failed is null."""
    return [point for line in lines for point in _points(line, per_unit_s)]


def banded(lines: Sequence[Line]) -> bool:
    """Return whether any line has samples merged into it."""
    return any(line.series.low for line in lines)


def _points(line: Line, per_unit_s: float) -> Iterator[Point]:
    s = line.series
    for i, (t, value) in enumerate(zip(s.t_s, s.value, strict=True)):
        point = {"t": _short(t / per_unit_s), "line": line.label}
        point["value"] = _scaled(value, line.scale)
        if s.low and s.high:
            point["low"] = _scaled(s.low[i], line.scale)
            point["high"] = _scaled(s.high[i], line.scale)
        yield point


def _named(timeline: Sequence[Series], sensor: str) -> list[Series]:
    return [s for s in timeline if s.sensor == sensor]


def _drawable(lines: Iterable[Line]) -> list[Line]:
    """Return the lines that have a reading, thinned."""
    kept = (line for line in lines if any(v is not None for v in line.series.value))
    return [line._replace(series=thinned(line.series)) for line in kept]


def _merged(series: Series, group: Sequence[int]) -> tuple[float | None, ...]:
    values = [v for i in group if (v := series.value[i]) is not None]
    if not values:
        return (None, None, None)
    lows = [v for i in group if series.low and (v := series.low[i]) is not None]
    highs = [v for i in group if series.high and (v := series.high[i]) is not None]
    return (math.fsum(values) / len(values), min([*values, *lows]), max([*values, *highs]))


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else _short(value * scale)


def _short(value: float) -> float:
    """Return a number with digits enough for a picture."""
    return float(f"{value:.{_DIGITS}g}")
