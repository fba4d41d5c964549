"""What coordinator and worker say to each other, framed and written whole."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable

import msgspec

from breakeven.engine.replies import (
    Captured,
    CeilingsAre,
    ColdCalls,
    Done,
    Failed,
    FloorsAre,
    Looked,
    Measured,
    Opened,
    Ready,
    Reply,
    Shot,
    Traced,
    Tried,
)
from breakeven.engine.requests import (
    CaptureGraph,
    CeilingPart,
    EndCase,
    LookAtGpu,
    Make,
    Measure,
    MeasureCeilings,
    MeasureCold,
    MeasureFloors,
    Request,
    SetUp,
    ShootNaively,
    Trace,
    TryFunction,
    WorkerConfig,
)

# One place to import what is said from, whichever side says it.
__all__ = [
    "CaptureGraph",
    "Captured",
    "CeilingPart",
    "CeilingsAre",
    "ColdCalls",
    "Done",
    "EndCase",
    "Failed",
    "FloorsAre",
    "LookAtGpu",
    "Looked",
    "Make",
    "Measure",
    "MeasureCeilings",
    "MeasureCold",
    "MeasureFloors",
    "Measured",
    "Opened",
    "Ready",
    "Reply",
    "Request",
    "SetUp",
    "ShootNaively",
    "Shot",
    "Trace",
    "Traced",
    "Tried",
    "TryFunction",
    "WorkerConfig",
    "decode_reply",
    "decode_request",
    "encode",
    "read",
    "write",
]
_LENGTH = struct.Struct(">I")
# Not JSON, which has no NaN and no infinity: the error of a wrong answer may be either.
encode = msgspec.msgpack.Encoder().encode
decode_request = msgspec.msgpack.Decoder(Request).decode
decode_reply = msgspec.msgpack.Decoder(Reply).decode


def write(descriptor: int, message: Request | Reply) -> None:
    """Write one message whole."""
    body = encode(message)
    data = memoryview(_LENGTH.pack(len(body)) + body)
    while data:
        data = data[os.write(descriptor, data) :]


def read(descriptor: int, wait: Callable[[], None] = lambda: None) -> bytes | None:
    """Read one message's body; None when the other side has closed the pipe.

    Parameters
    ----------
    wait : callable
        Returns once there is something to read; what it raises ends the reading.
    """
    head = _read_exactly(descriptor, _LENGTH.size, wait)
    return None if head is None else _read_exactly(descriptor, _LENGTH.unpack(head)[0], wait)


def _read_exactly(descriptor: int, count: int, wait: Callable[[], None]) -> bytes | None:
    parts = b""
    while len(parts) < count:
        wait()
        part = os.read(descriptor, count - len(parts))
        if not part:
            return None
        parts += part
    return parts
