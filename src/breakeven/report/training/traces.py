"""What traces say: the operators that cost most, and the copies."""

from __future__ import annotations

from collections.abc import Callable

from breakeven import units
from breakeven.model.trace import Operator, TraceSummary
from breakeven.report import cells
from breakeven.report.evidence import NONE
from breakeven.report.training.told import Told
from breakeven.report.training.trim import trimmed
from breakeven.report.view import Table

MOST = 15
"""Operators shown by either time."""


def all_of(told: Told) -> tuple[Table, ...]:
    """Return the tables of both sides' traces at the batch size that is told of."""
    found = [
        table
        for entry in told.sides(told.size)
        if (trace := _trace(told, entry)) is not None
        for table in _operators(told, entry, trace)
    ]
    found.append(copies(told))
    slim = [trimmed(t, keys=1) for t in found if t.rows]
    return tuple(t for t in slim if t.rows)


def _trace(told: Told, entry: str) -> TraceSummary | None:
    for s in told.evidence.record.studies:
        if (s.workload, s.size, s.entry) == (told.workload, told.size, entry):
            return s.trace
    return None


def _operators(told: Told, entry: str, trace: TraceSummary) -> list[Table]:
    who = f"{told.label(entry)}, batch {told.size}"
    tables = []
    if any(o.device_self_s for o in trace.operators):
        tables.append(_top(trace, f"Operators by device time ({who})", lambda o: o.device_self_s))
    tables.append(_top(trace, f"Operators by host time ({who})", lambda o: o.host_self_s))
    return tables


def _top(trace: TraceSummary, title: str, key: Callable[[Operator], float | None]) -> Table:
    """Return the operators that took most of one kind of time, all traced steps together."""
    columns = ("operator", "calls", "device, itself", "host, itself", "memory, itself")
    ranked = sorted(trace.operators, key=lambda o: key(o) or 0.0, reverse=True)
    kept = [o for o in ranked if key(o)][:MOST]
    body = [
        (o.name, units.whole(o.calls), cells.seconds(o.device_self_s), units.seconds(o.host_self_s),
         NONE if o.self_bytes is None else units.size_bytes(o.self_bytes))
        for o in kept
    ]  # fmt: skip
    caption = (
        f"Over {trace.steps} traced steps ({units.seconds(trace.span_s)}); itself: without the "
        f"operators that it called. {len(kept)} of {len(trace.operators)} operators."
    )
    return cells.table(title, caption, columns, body, text=(0,))


def copies(told: Told) -> Table:
    """Return the copies by direction and kind of memory, a step."""
    columns = ("batch", "entry", "direction", "host memory", "copies a step", "bytes a step",
               "time a step", "rate")  # fmt: skip
    body = []
    for s in told.evidence.record.studies:
        if s.workload != told.workload or s.trace is None or not s.trace.steps:
            continue
        steps = s.trace.steps
        body += [
            (str(s.size), s.entry, c.direction.replace("_", " "), c.memory,
             units.significant(c.number / steps), units.size_bytes(c.bytes / steps),
             units.seconds(c.seconds / steps),
             units.rate(c.bytes / c.seconds, "B/s") if c.seconds > 0 else NONE)
            for c in s.trace.copies
        ]  # fmt: skip
    caption = (
        "Copies in the traced steps; pageable memory is copied through a buffer of the driver."
    )
    return cells.table("Copies", caption, columns, body, text=(1, 2, 3))
