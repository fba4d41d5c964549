"""What sensors read in one stretch, in few figures."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.analysis.readings import cut, integral
from breakeven.model.study import Reading
from breakeven.model.timeline import Series, kind_of

RATES = {
    ".to_device_bytes": ".to_device_bytes_per_s",
    ".to_host_bytes": ".to_host_bytes_per_s",
}
"""Counters whose growth over time says more than their sum; energy has a record of its own."""
HELD, SHARE = "_total_s", "_share"


def readings(timeline: Sequence[Series], begin_s: float, end_s: float) -> tuple[Reading, ...]:
    """Return mean, least and greatest of each sensor from `begin_s` to `end_s`.

    The mean is over time: samples that were merged, or that came late, stand for as long as they
    lasted. Byte counters become bytes a second under the name ``..._bytes_per_s``, seconds that
    clocks were held become a share of time under ``gpu0.held_thermal_share``; their least and
    greatest are those between two readings. Codes have no mean, and no reading. A sensor without
    a sample in the stretch has none either.
    """
    found = [one for series in timeline if (one := _reading(series, begin_s, end_s)) is not None]
    return tuple(found)


def _reading(series: Series, begin_s: float, end_s: float) -> Reading | None:
    kind = kind_of(series.sensor)
    if kind == "counter":
        return _rate(series, begin_s, end_s)
    there = cut(series, begin_s, end_s)
    if kind == "codes" or not there.t_s:
        return None
    first, last = there.t_s[0], there.t_s[-1]
    mean = integral(there, first, last) / (last - first) if last > first else there.value[0]
    return Reading(
        sensor=series.sensor,
        mean=mean,
        low=min(there.low),
        high=max(there.high),
        samples=len(there.t_s),
    )


def _rate(series: Series, begin_s: float, end_s: float) -> Reading | None:
    name = _rate_name(series.sensor)
    there = cut(series, begin_s, end_s)
    if name is None or len(there.t_s) < 2:
        return None
    steps = [
        (there.value[i + 1] - there.value[i]) / (there.t_s[i + 1] - there.t_s[i])
        for i in range(len(there.t_s) - 1)
    ]
    if min(steps) < 0:
        # It began anew: what lies between the two counts is lost.
        return None
    whole = (there.value[-1] - there.value[0]) / (there.t_s[-1] - there.t_s[0])
    return Reading(sensor=name, mean=whole, low=min(steps), high=max(steps), samples=len(steps))


def _rate_name(sensor: str) -> str | None:
    for ending, rate in RATES.items():
        if sensor.endswith(ending):
            return sensor.removesuffix(ending) + rate
    return sensor.removesuffix(HELD) + SHARE if sensor.endswith(HELD) else None
