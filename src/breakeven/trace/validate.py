"""Orders of events that cannot be: nothing is concluded from a trace that holds one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from breakeven.trace.chrome import Trace, Work
from breakeven.trace.operators import launches
from breakeven.trace.steps import Steps
from breakeven.units import seconds

# Clocks of host and device are set against each other by the driver, to a few microseconds.
CLOCKS_S = 10e-6
# Old traces count whole microseconds: a begin and an end may each be one off.
STAMP_S = 2e-6
# From here on a kernel may begin before the one ahead of it on its stream has ended
# (programmatic dependent launch), though never end before it.
DEPENDENT_LAUNCH = 9
# Share of events that may be broken or without times before shares of time are in doubt.
LOST_SHARE = 0.001
NAME_LENGTH = 60


def faults(trace: Trace, steps: Steps) -> tuple[str, ...]:
    """Return what is impossible in a trace, each kind once with its number and first example."""
    found = [
        _lost(trace),
        _negative(trace),
        _before_launch(trace),
        _overlapping(trace),
        _outlived(trace),
        _disordered(steps),
    ]
    return tuple(fault for fault in found if fault is not None)


def _lost(trace: Trace) -> str | None:
    if trace.ended_early:
        return "the file stops in the middle"
    lost = trace.broken + trace.incomplete
    kept = len(trace.operators) + len(trace.annotations) + len(trace.calls) + len(trace.work)
    if lost > LOST_SHARE * kept:
        return f"{lost} of {lost + kept} events cannot be read or have no time"
    return None


def _told(many: list[str], what: str) -> str | None:
    """Return a fault in words: the first, and how many more there are."""
    more = f", and {len(many) - 1} more" if len(many) > 1 else ""
    return f"{what}: {many[0]}{more}" if many else None


def _short(name: str) -> str:
    """Return a name that fits into a sentence: those of kernels carry all their types."""
    return name if len(name) <= NAME_LENGTH else f"{name[:NAME_LENGTH].rstrip()}..."


def _negative(trace: Trace) -> str | None:
    everything: Iterable[Any] = (
        *trace.operators,
        *trace.annotations,
        *trace.calls,
        *trace.work,
    )
    return _told(
        [_short(e.name) for e in everything if e.end < e.begin], "an end lies before its begin"
    )


def _before_launch(trace: Trace) -> str | None:
    calls = launches(trace)
    early = []
    for work in trace.work:
        call = calls.get(-1 if work.correlation is None else work.correlation)
        if call is not None and work.begin < call.begin - CLOCKS_S:
            early.append(f"{_short(work.name)} by {seconds(call.begin - work.begin)}")
    return _told(early, "device work begins before the call that launched it")


def _overlapping(trace: Trace) -> str | None:
    streams: dict[tuple[int, int], list[Work]] = defaultdict(list)
    for work in trace.work:
        if work.kind == "kernel" and not work.in_graph:
            streams[work.device, work.stream].append(work)
    major = _capabilities(trace)
    crossed = []
    for (device, stream), kernels in streams.items():
        kernels.sort(key=lambda k: (k.begin, k.end))
        dependent = major.get(device, 0) >= DEPENDENT_LAUNCH
        for one, next_ in pairwise(kernels):
            limit = next_.end if dependent else next_.begin
            if limit < one.end - STAMP_S:
                crossed.append(f"{_short(next_.name)} within {_short(one.name)} on stream {stream}")
    return _told(crossed, "kernels of one stream overlap")


def _outlived(trace: Trace) -> str | None:
    """Return device work that ran on after a wait for the whole device, launched before it."""
    waits = sorted(
        (c for c in trace.calls if c.name in {"cudaDeviceSynchronize", "cuCtxSynchronize"}),
        key=lambda c: c.begin,
    )
    # Which device a call waits for is not written: with several, none can be told.
    if not waits or len({w.device for w in trace.work}) > 1:
        return None
    calls = launches(trace)
    asked = sorted(
        (calls[w.correlation].end, w)
        for w in trace.work
        if w.correlation is not None and w.correlation in calls
    )
    late, index, latest = [], 0, None
    for wait in waits:
        while index < len(asked) and asked[index][0] <= wait.begin:
            work = asked[index][1]
            latest = work if latest is None or work.end > latest.end else latest
            index += 1
        if latest is not None and latest.end > wait.end + CLOCKS_S:
            late.append(f"{_short(latest.name)} by {seconds(latest.end - wait.end)}")
    return _told(late, "device work ends after the wait for it")


def _disordered(steps: Steps) -> str | None:
    wrong = [
        f"step {later.number} after step {earlier.number}"
        for earlier, later in pairwise(steps.steps)
        if later.begin < earlier.end - STAMP_S or later.number != earlier.number + 1
    ]
    return _told(wrong, "steps are out of order")


def _capabilities(trace: Trace) -> dict[int, int]:
    """Return the major compute capability of each device, as far as the file tells."""
    listed = trace.header.get("deviceProperties")
    found = {}
    for properties in listed if isinstance(listed, list) else ():
        match properties:
            case {"id": int(device), "computeMajor": int(major)}:
                found[device] = major
            case _:
                pass
    return found
