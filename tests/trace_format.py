"""A checker of the JSON trace event format, as far as Perfetto and Chrome rely on it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

Event = dict[str, Any]

_PHASES = frozenset("BEXiICbensftMPNODRcv")
_SCOPES = {"g", "p", "t"}
_METADATA = {
    "process_name": ("name", str),
    "process_labels": ("labels", str),
    "process_sort_index": ("sort_index", int),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}
_UNIT = {"ms", "ns"}


def faults(document: Any) -> list[str]:  # noqa: ANN401  anything that a file may hold
    """Return what a reader of the format would stumble over; empty when nothing."""
    if not isinstance(document, dict):
        return ["the document is no object"]
    events = document.get("traceEvents")
    if not isinstance(events, list):
        return ["traceEvents is no list"]
    found = []
    if document.get("displayTimeUnit", "ms") not in _UNIT:
        found.append("displayTimeUnit is neither ms nor ns")
    for number, event in enumerate(events):
        found += [f"event {number}: {fault}" for fault in _of_event(event)]
    return found or [*_order(events), *_nesting(events), *_names(events)]


def _of_event(event: Any) -> Iterator[str]:  # noqa: ANN401
    if not isinstance(event, dict):
        yield "is no object"
        return
    phase = event.get("ph")
    if not isinstance(phase, str) or phase not in _PHASES:
        yield f"has phase {phase!r}"
        return
    if not isinstance(event.get("name"), str) or not event["name"]:
        yield "has no name"
    yield from _owner(event)
    if phase != "M" and not _number(event.get("ts")):
        yield f"has time {event.get('ts')!r}"
    elif event.get("ts", 0) < 0:
        yield "lies before 0"
    if "args" in event and not isinstance(event["args"], dict):
        yield "has arguments that are no object"
    elif phase in "XCiIM":
        yield from _by_phase(phase, event)


def _owner(event: Event) -> Iterator[str]:
    for key in ("pid", "tid"):
        value = event.get(key)
        if isinstance(value, bool) or not isinstance(value, int | str):
            yield f"has {key} {value!r}"
        elif isinstance(value, int) and not 0 <= value < 2**32:
            yield f"has {key} {value}, which 32 bits do not hold"


def _by_phase(phase: str, event: Event) -> Iterator[str]:
    arguments = event.get("args", {})
    if phase == "X" and not (_number(event.get("dur")) and event["dur"] >= 0):
        yield f"has duration {event.get('dur')!r}"
    if phase == "C" and not arguments:
        yield "is a counter of nothing"
    if phase == "C" and not all(_number(v) for v in arguments.values()):
        yield f"counts {arguments!r}"
    if phase in "iI" and event.get("s", "t") not in _SCOPES:
        yield f"has scope {event.get('s')!r}"
    if phase == "M":
        key, kind = _METADATA.get(event["name"], ("", object))
        if key and not isinstance(arguments.get(key), kind):
            yield f"names {key} as {arguments.get(key)!r}"


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _order(events: list[Event]) -> Iterator[str]:
    """Give counters whose readings do not come in the order of their times."""
    last: dict[tuple[Any, str], float] = {}
    for event in events:
        if event["ph"] == "C":
            key = (event["pid"], event["name"])
            if event["ts"] < last.get(key, -math.inf):
                yield f"counter {event['name']} goes back in time at {event['ts']}"
            last[key] = event["ts"]


def _nesting(events: list[Event]) -> Iterator[str]:
    """Give slices of one thread that overlap without lying in each other: they are not drawn."""
    lanes: dict[tuple[Any, Any], list[tuple[float, float, str]]] = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            span = (event["ts"], -(event["ts"] + event["dur"]), event["name"])
            lanes[event["pid"], event["tid"]].append(span)
    for lane, spans in lanes.items():
        open_until: list[float] = []
        for begin, minus_end, name in sorted(spans):
            while open_until and open_until[-1] <= begin:
                open_until.pop()
            if open_until and -minus_end > open_until[-1]:
                yield f"slice {name} of {lane} ends after the slice that it lies in"
            open_until.append(-minus_end)


def _names(events: list[Event]) -> Iterator[str]:
    """Give processes that hold counters and have no name, or have several."""
    named: dict[Any, set[str]] = defaultdict(set)
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            named[event["pid"]].add(event["args"]["name"])
    for pid, found in named.items():
        if len(found) > 1:
            yield f"process {pid} has the names {sorted(found)}"
    for pid in {e["pid"] for e in events if e["ph"] == "C"}:
        if pid not in named:
            yield f"process {pid} holds counters and has no name"
