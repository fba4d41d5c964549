"""The events of a Chrome trace as typed records: operators, calls, device work, annotations."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from breakeven.trace.stream import Document

# Categories as kineto writes them, and as it wrote them before 2022.
_HOST = {"cpu_op": "operator", "Operator": "operator", "user_annotation": "annotation"}
_WORK: dict[str, Literal["kernel", "copy", "fill"]] = {
    "kernel": "kernel",
    "Kernel": "kernel",
    "gpu_memcpy": "copy",
    "Memcpy": "copy",
    "gpu_memset": "fill",
    "Memset": "fill",
}
_CALLS = frozenset({"cuda_runtime", "cuda_driver", "Runtime", "hip_runtime", "hip_driver"})
# Of 64 bits, with a sign; Python refuses to read numbers of thousands of digits.
_LONGEST_ID = 20
_DIGITS = re.compile(r"-?\d+")
# Spans that older versions of PyTorch filed among the operators.
_ANNOTATION_NAMES = ("ProfilerStep#", "enumerate(DataLoader)#", "Optimizer.")


class Span(NamedTuple):
    """An operator or an annotation on a host thread; seconds since the trace's origin."""

    name: str
    begin: float
    end: float
    thread: str
    external: int | None = None


class Call(NamedTuple):
    """A call into CUDA's runtime or driver on a host thread."""

    name: str
    begin: float
    end: float
    thread: str
    correlation: int | None = None


class Work(NamedTuple):
    """A kernel, copy or fill on a device.

    Attributes
    ----------
    correlation : int or None
        That of the call that asked for it.
    external : int or None
        That of the operator around that call.
    in_graph : bool
        One node of a CUDA graph, whose nodes may overlap on one stream.
    """

    kind: Literal["kernel", "copy", "fill"]
    name: str
    begin: float
    end: float
    device: int
    stream: int
    correlation: int | None = None
    external: int | None = None
    bytes: int | None = None
    in_graph: bool = False


class Allocation(NamedTuple):
    """Memory taken, or given back where ``bytes`` is negative."""

    at: float
    thread: str
    bytes: int
    on_device: bool


@dataclass(slots=True)
class Trace:
    """What one file holds.

    Attributes
    ----------
    origin_us : float
        Time stamp of the file, microseconds, from which all seconds count.
    header : dict of str to object
        What stands beside the events, such as the properties of the devices.
    incomplete : int
        Events of a kind that counts, without a name, a time or a duration.
    broken : int
        Pieces of the file that are no JSON.
    ended_early : bool
        The file stops in the middle.
    """

    operators: list[Span] = field(default_factory=list)
    annotations: list[Span] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)
    memory: list[Allocation] = field(default_factory=list)
    origin_us: float = 0.0
    header: dict[str, Any] = field(default_factory=dict)
    incomplete: int = 0
    broken: int = 0
    ended_early: bool = False


def read(path: Path) -> Trace:
    """Read a Chrome trace, plain or gzip, in one pass and without holding the file in memory.

    Raises
    ------
    InputError
        If the file cannot be opened, or is no Chrome trace.
    """
    document = Document(path)
    filing = _Filing()
    for event in document.events():
        filing.take(event)
    trace = filing.trace
    trace.header = document.header
    trace.broken = document.broken
    trace.ended_early = document.ended_early
    return trace


class _Filing:
    """Puts raw events into a trace, each in its place."""

    def __init__(self) -> None:
        self.trace = Trace()
        self._origin: float | None = None

    def take(self, event: dict[str, Any]) -> None:
        category, shape = event.get("cat"), event.get("ph")
        if shape == "i" and event.get("name") == "[memory]":
            self._memory(event)
        elif shape != "X" or not isinstance(category, str):
            return
        elif category in _HOST:
            self._host(event, _HOST[category])
        elif category in _CALLS:
            if (times := self._times(event)) is not None:
                args = _args(event)
                call = Call(_name(event), *times, _thread(event), _whole(args.get("correlation")))
                self.trace.calls.append(call)
        elif category in _WORK:
            self._work(event, _WORK[category])

    def _host(self, event: dict[str, Any], kind: str) -> None:
        if (times := self._times(event)) is None:
            return
        name = _name(event)
        span = Span(name, *times, _thread(event), _external(_args(event)))
        annotation = kind == "annotation" or name.startswith(_ANNOTATION_NAMES)
        (self.trace.annotations if annotation else self.trace.operators).append(span)

    def _work(self, event: dict[str, Any], kind: Literal["kernel", "copy", "fill"]) -> None:
        if (times := self._times(event)) is None:
            return
        args = _args(event)
        device, stream = _whole(args.get("device")), _whole(args.get("stream"))
        self.trace.work.append(
            Work(
                kind,
                _name(event),
                *times,
                device=device if device is not None else _whole(event.get("pid")) or 0,
                stream=stream if stream is not None else _whole(event.get("tid")) or 0,
                correlation=_whole(args.get("correlation")),
                external=_external(args),
                bytes=_whole(args.get("bytes")),
                in_graph=bool(_whole(args.get("graph node id"))),
            )
        )

    def _memory(self, event: dict[str, Any]) -> None:
        args = _args(event)
        taken, at = _whole(args.get("Bytes")), self._seconds(event.get("ts"))
        if taken is None or at is None:
            self.trace.incomplete += 1
            return
        device = _whole(args.get("Device Id"))
        on_device = device is not None and device >= 0 and args.get("Device Type") != 0
        self.trace.memory.append(Allocation(at, _thread(event), taken, on_device))

    def _times(self, event: dict[str, Any]) -> tuple[float, float] | None:
        begin, took = self._seconds(event.get("ts")), _number(event.get("dur"))
        if begin is None or took is None:
            self.trace.incomplete += 1
            return None
        return begin, begin + took * 1e-6

    def _seconds(self, stamp: object) -> float | None:
        at = _number(stamp)
        if at is None:
            return None
        if self._origin is None:
            self._origin = self.trace.origin_us = at
        # Stamps are microseconds since 1970 or near it: subtracted before they are scaled.
        return (at - self._origin) * 1e-6


def _args(event: dict[str, Any]) -> dict[str, Any]:
    args = event.get("args")
    return args if isinstance(args, dict) else {}


def _name(event: dict[str, Any]) -> str:
    return sys.intern(str(event.get("name", "?")))


def _thread(event: dict[str, Any]) -> str:
    return sys.intern(f"{event.get('pid')}/{event.get('tid')}")


def _external(args: dict[str, Any]) -> int | None:
    return _whole(args.get("External id", args.get("external id")))


def _number(value: object) -> float | None:
    if not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _whole(value: object) -> int | None:
    """Return an id or a size; streams were once written as ``stream 7``."""
    if isinstance(value, str):
        found = _DIGITS.search(value)
        return int(found[0]) if found and len(found[0]) <= _LONGEST_ID else None
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else None
