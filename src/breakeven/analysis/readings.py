"""A sensor's series in one stretch of time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from breakeven.model.timeline import Series


class Cut(NamedTuple):
    """The samples of a series that lie in a stretch, failed readings left out.

    Attributes
    ----------
    t_s, value, low, high : tuple of float
        Of each sample; least and greatest of what was merged into it.
    """

    t_s: tuple[float, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def cut(series: Series, begin_s: float, end_s: float) -> Cut:
    """Return the samples from `begin_s` to `end_s`, both ends included."""
    first, last = bisect_left(series.t_s, begin_s), bisect_right(series.t_s, end_s)
    rows = [
        (series.t_s[i], value, _beside(series.low, i, value), _beside(series.high, i, value))
        for i in range(first, last)
        if (value := series.value[i]) is not None
    ]
    if not rows:
        return Cut((), (), (), ())
    return Cut(*(tuple(column) for column in zip(*rows, strict=True)))


def _beside(column: Sequence[float | None], place: int, value: float) -> float:
    """Return the bound of one sample; where none were merged, its value."""
    found = column[place] if column else None
    return value if found is None else found


def integral(found: Cut, begin_s: float, end_s: float) -> float:
    """Return value times seconds from `begin_s` to `end_s`, straight between samples.

    Before the first sample and after the last the value is taken as it is there.

    Raises
    ------
    ValueError
        Without any sample.
    """
    if not found.t_s:
        raise ValueError("there is no sample to integrate")
    total = found.value[0] * max(0.0, found.t_s[0] - begin_s)
    total += found.value[-1] * max(0.0, end_s - found.t_s[-1])
    for i in range(len(found.t_s) - 1):
        width = found.t_s[i + 1] - found.t_s[i]
        total += width * (found.value[i] + found.value[i + 1]) / 2
    return total
