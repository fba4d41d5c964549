"""A timeline as tracks of a trace: sensors as counters, marks as slices, findings as markers."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from breakeven.errors import InputError
from breakeven.model.finding import Finding
from breakeven.model.quantities import device_name, gpu_index, is_core, quantity
from breakeven.model.sensing import Mark, Sensing
from breakeven.model.timeline import Series

Event = dict[str, Any]
Document = dict[str, Any]

# No process of Linux has a number over 2^22; the format's are 32 bits wide.
_FIRST_PID = 0x42450000
_PIDS, _LANES_FROM = 4096, 2048
_ABSOLUTE_FROM_US = 1e14
# Nanoseconds since 1970 are under a tenth of this.
_BEYOND = 1e20
_MARKS = "breakeven: what went on"


class Placed(NamedTuple):
    """A finding at a moment of the timeline, seconds since the run's start."""

    t_s: float
    finding: Finding


def document(
    timeline: Sequence[Series], sensing: Sensing | None, findings: Sequence[Placed] = ()
) -> Document:
    """Return a timeline as a trace of its own, in the JSON form that Chrome and Perfetto read.

    Times are microseconds since the run's start; ``baseTimeNanoseconds`` is that moment's Unix
    time, as in a trace of PyTorch, where the run stored it.
    """
    # A sampler begins a little before what it watches: no time of a trace is below 0.
    early = min([0.0, *_begins(timeline, sensing)])
    base: Document = {}
    if sensing is not None and sensing.unix_s is not None:
        base["baseTimeNanoseconds"] = round((sensing.unix_s + early) * 1e9)
    made = list(_events(timeline, sensing, findings, -early * 1e6, _FIRST_PID))
    return {"schemaVersion": 1, "displayTimeUnit": "ms", **base, "traceEvents": made}


def merged(
    trace: Document,
    timeline: Sequence[Series],
    sensing: Sensing | None,
    findings: Sequence[Placed] = (),
) -> Document:
    """Return a trace of the same machine with the timeline's tracks beside its own, on one clock.

    Parameters
    ----------
    trace : dict
        As PyTorch's profiler writes it; its own events stay as they are.

    Raises
    ------
    InputError
        If either side does not say when it was, or if they have no moment in common.
    """
    known = trace.get("traceEvents")
    if not isinstance(known, list):
        raise InputError(
            "it is no trace: it has no list of traceEvents",
            "give a trace file as PyTorch's profiler or Chrome writes it",
        )
    if sensing is None or sensing.unix_s is None:
        raise InputError(
            "the run did not store the time of day at which its timeline begins",
            "watch it again with this version",
        )
    own = _objects(trace)
    offset_us = sensing.unix_s * 1e6 - _unix_us(trace, own)
    _check_in_common(own, timeline, offset_us)
    first = _FIRST_PID
    while any(e.get("pid") in range(first, first + _PIDS) for e in own):
        first += _PIDS
    return {
        **trace,
        "traceEvents": [*known, *_events(timeline, sensing, findings, offset_us, first)],
    }


def joined(trace: Document, others: Sequence[Document]) -> Document:
    """Return several traces of one machine as one, on the clock of the first.

    Raises
    ------
    InputError
        If one of them does not say when it was made.
    """
    events: list[Any] = list(_objects(trace))
    zero_us = _unix_us(trace, _objects(trace)) if others else 0.0
    for other in others:
        own = _objects(other)
        shift_us = _unix_us(other, own) - zero_us
        events += [e | {"ts": _ts(e) + shift_us} if "ts" in e else e for e in own]
    return {**trace, "traceEvents": events}


def read(path: Path) -> Document:
    """Return a trace file, gzip or not.

    Raises
    ------
    InputError
        If it cannot be read, or is no JSON object.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from error
    try:
        made = json.loads(
            gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw,
            parse_constant=lambda _name: None,
            parse_float=_finite,
        )
    except (gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
        raise InputError(f"{path} is no trace: {error}", "give a Chrome trace file") from error
    except RecursionError as error:
        raise InputError(
            f"{path} is no trace: its values are nested too deeply", "give a Chrome trace file"
        ) from error
    if isinstance(made, list):
        return {"traceEvents": made}
    if not isinstance(made, dict) or not isinstance(made.get("traceEvents"), list):
        raise InputError(
            f"{path} is no trace: it has no list of traceEvents",
            "give a trace file as PyTorch's profiler or Chrome writes it",
        )
    return made


def _finite(text: str) -> float | None:
    """Return a number of JSON; None for one beyond what there is, as for NaN: neither is JSON."""
    found = float(text)
    return found if math.isfinite(found) else None


def encoded(made: Document, *, packed: bool) -> bytes:
    """Return a trace as bytes; the same trace gives the same bytes, packed (gzip) or not."""
    raw = json.dumps(made, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode(
        "utf-8", "replace"
    )
    return gzip.compress(raw, mtime=0) if packed else raw


def _begins(timeline: Sequence[Series], sensing: Sensing | None) -> Iterator[float]:
    yield from (s.t_s[0] for s in timeline if s.t_s)
    yield from (m.begin_s for m in (sensing.marks if sensing else ()))


def _objects(trace: Document) -> list[Event]:
    found = trace.get("traceEvents")
    return [e for e in found if isinstance(e, dict)] if isinstance(found, list) else []


def _unix_us(trace: Document, events: Sequence[Event]) -> float:
    """Return the Unix time of a trace's zero, microseconds."""
    base = _number(trace.get("baseTimeNanoseconds"))
    if base is not None:
        return base / 1e3
    # Before it had a base, PyTorch wrote Unix time.
    if any(_ts(e) > _ABSOLUTE_FROM_US for e in events if e.get("ph") == "X"):
        return 0.0
    raise InputError(
        "the trace does not say at what time of day it was made (baseTimeNanoseconds)",
        "make it with torch.profiler",
    )


def _ts(event: Event) -> float:
    return _number(event.get("ts")) or 0.0


def _number(value: object) -> float | None:
    """Return a time; None for what is none, such as a number beyond all times."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < _BEYOND else None


def _check_in_common(events: Sequence[Event], timeline: Sequence[Series], offset_us: float) -> None:
    spans = [
        (_ts(e), _ts(e) + (_number(e.get("dur")) or 0.0)) for e in events if e.get("ph") == "X"
    ]
    times = [t for s in timeline for t in (s.t_s[:1] + s.t_s[-1:])]
    if not spans or not times:
        return
    begin, end = min(s[0] for s in spans), max(s[1] for s in spans)
    first, last = min(times) * 1e6 + offset_us, max(times) * 1e6 + offset_us
    if end < first or begin > last:
        apart = (first - end if end < first else begin - last) / 1e6
        raise InputError(
            f"trace and timeline have no moment in common: {apart:.0f} s lie between them",
            "give the trace of something that ran while the sensors were read",
        )


def _events(
    timeline: Sequence[Series],
    sensing: Sensing | None,
    findings: Sequence[Placed],
    offset_us: float,
    first_pid: int,
) -> Iterator[Event]:
    devices = sorted({quantity(s.sensor).device for s in timeline}, key=_order)
    # Cores of the CPU share a process: a machine may have hundreds.
    tracks = list(dict.fromkeys("cpu" if is_core(d) else d for d in devices))
    pids = {name: first_pid + 1 + i for i, name in enumerate(tracks)}
    marks, absent = (sensing.marks, sensing.absent) if sensing else ((), ())
    lost = [a for a in absent if a.since_s is not None]
    if marks or findings or lost:
        yield from _named(first_pid, _MARKS, 0)
    for i, name in enumerate(tracks):
        yield from _named(pids[name], f"breakeven: {device_name(name)}", 1 + i)
    points: list[Event] = []
    for s in timeline:
        device = quantity(s.sensor).device
        points += _counter(s, pids["cpu" if is_core(device) else device], offset_us)
    for lane, group in enumerate(_lanes(marks)):
        # Perfetto names a thread by its number alone: it is of no other process.
        tid = first_pid + _LANES_FROM + lane
        yield _meta("thread_name", first_pid, tid, {"name": f"marks {lane + 1}"})
        points += [_slice(m, first_pid, tid, offset_us) for m in group]
    for a in lost:
        fix = {"fix": a.fix} if a.fix else {}
        points.append(
            _marker(f"{a.sensor} no longer read", a.since_s or 0.0, first_pid, offset_us)
            | {"args": {"why": a.why} | fix}
        )
    for placed in findings:
        points.append(
            _marker(
                f"{placed.finding.code} {placed.finding.title}", placed.t_s, first_pid, offset_us
            )
            | {"args": _about(placed.finding)}
        )
    yield from sorted(points, key=_ts)


def _order(device: str) -> tuple[int, int, str]:
    """Return the place of a device: GPUs first, then what was watched, the CPU, the machine."""
    index = gpu_index(device)
    if index is not None:
        return (0, index, device)
    ranks = {"tree": 1, "cpu": 2}
    return (3 if is_core(device) else ranks.get(device, 4), 0, device)


def _named(pid: int, name: str, place: int) -> Iterator[Event]:
    yield _meta("process_name", pid, pid, {"name": name})
    yield _meta("process_sort_index", pid, pid, {"sort_index": -1000 + place})


def _meta(name: str, pid: int, tid: int, arguments: Event) -> Event:
    return {"ph": "M", "name": name, "ts": 0, "pid": pid, "tid": tid, "args": arguments}


def _counter(s: Series, pid: int, offset_us: float) -> Iterator[Event]:
    """Give the readings of one sensor; one that failed is left out, as a counter holds no gap."""
    about = quantity(s.sensor)
    name = f"{device_name(about.device)} {about.name}"
    key = about.unit or "value"
    for t, value in zip(s.t_s, s.value, strict=True):
        if value is not None and math.isfinite(value):
            yield {
                "ph": "C", "name": name, "cat": "sensor", "ts": _us(t, offset_us), "pid": pid,
                "tid": pid, "args": {key: value * about.scale},
            }  # fmt: skip


def _slice(mark: Mark, pid: int, tid: int, offset_us: float) -> Event:
    begin, end = _us(mark.begin_s, offset_us), _us(mark.end_s, offset_us)
    about = {"workload": mark.workload, "size": mark.size, "entry": mark.entry}
    return {
        "ph": "X", "name": mark.label, "cat": mark.kind, "ts": begin,
        "dur": max(end - begin, 0), "pid": pid, "tid": tid,
        "args": {k: v for k, v in about.items() if v is not None},
    }  # fmt: skip


def _marker(name: str, t_s: float, pid: int, offset_us: float) -> Event:
    """Return an instant that is drawn across all tracks."""
    return {
        "ph": "i", "s": "g", "name": name, "cat": "finding", "ts": _us(t_s, offset_us),
        "pid": pid, "tid": pid,
    }  # fmt: skip


def _about(finding: Finding) -> Event:
    place = finding.location
    known = {
        "severity": finding.severity,
        "evidence": ", ".join(finding.evidence),
        "where": None if place is None else f"{place.path}:{place.line}",
        "gain_ceiling": finding.gain_ceiling,
        "fix": finding.fix,
        "effort": finding.effort,
        "verify": finding.verify,
    }
    return {k: v for k, v in known.items() if v is not None}


def _us(t_s: float, offset_us: float) -> int:
    """Return whole microseconds: slices that lie in each other still do once they are rounded."""
    return round(t_s * 1e6 + offset_us)


def _lanes(marks: Sequence[Mark]) -> list[list[Mark]]:
    """Return marks in lanes of which each holds such as lie apart or one in another.

    Slices of one thread that overlap otherwise are refused by Perfetto.
    """
    lanes: list[list[Mark]] = []
    open_until: list[list[float]] = []
    for mark in sorted(marks, key=lambda m: (m.begin_s, -m.end_s)):
        for lane, ends in zip(lanes, open_until, strict=True):
            while ends and ends[-1] <= mark.begin_s:
                ends.pop()
            if not ends or mark.end_s <= ends[-1]:
                lane.append(mark)
                ends.append(mark.end_s)
                break
        else:
            lanes.append([mark])
            open_until.append([mark.end_s])
    return lanes
