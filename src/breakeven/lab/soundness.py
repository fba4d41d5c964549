"""What in a stored run cannot be, right as the type of every field may be."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from breakeven.model.run import RunRecord
from breakeven.model.timeline import Series

# Nothing measured comes near it, and its square is a number still.
BEYOND = 1e100


def contradiction(record: RunRecord) -> str | None:
    """Return the first thing in a record that cannot be; None where it is sound.

    What it holds was measured by programs, so a document that fails here was changed since.
    """
    return next(_wrong(record), None)


def _wrong(record: RunRecord) -> Iterator[str]:
    entries = {entry.id for entry in record.entries}
    for case in record.cases:
        if case.entry not in entries:
            yield f"it has times of {case.entry[:40]!r}, which is none of its entries"
        if case.size < 1:
            yield f"it has times of size {case.size}"
    if not all(start.calls_s for start in record.cold_starts):
        yield "it has a first call without a time"
    for series in record.timeline:
        yield from _uneven(series)
    for team in record.teams:
        if team.why is None and (team.seconds <= 0 or team.samples < 0 or team.processes < 1):
            yield f"it has {team.processes} processes that took {team.seconds} s"
    yield from (
        f"it has the number {value:.3g}, beyond anything that is measured"
        for value in _numbers(msgspec.to_builtins(record))
        if math.isfinite(value) and abs(value) > BEYOND
    )


def _uneven(series: Series) -> Iterator[str]:
    """Yield what is wrong with the readings of a sensor: times and values belong together."""
    count = len(series.t_s)
    if len(series.value) != count or {len(series.low), len(series.high)} - {0, count}:
        yield f"{series.sensor[:40]} has {count} times for {len(series.value)} readings"
    if bool(series.low) != bool(series.high):
        yield f"{series.sensor[:40]} has bounds on one side alone"
    if any(a > b for a, b in zip(series.t_s, series.t_s[1:], strict=False)):
        yield f"the times of {series.sensor[:40]} go backwards"


def _numbers(value: Any) -> Iterator[float]:  # noqa: ANN401  any JSON value
    if isinstance(value, dict):
        for inner in value.values():
            yield from _numbers(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _numbers(inner)
    elif isinstance(value, float):
        yield value
