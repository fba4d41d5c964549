"""What a backend lends so that the time of its device can be read: events, a blocker, graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

Call = Callable[[], object]


class DeviceClock(msgspec.Struct, frozen=True, kw_only=True):
    """Tools of one device; all of them work on the stream that calls are issued to.

    Attributes
    ----------
    hold : callable
        Keeps the stream busy for so many seconds with one small kernel that ends by itself.
    mark : callable
        Records an event, and returns it.
    passed : callable
        Whether the device has reached an event; does not wait.
    between : callable
        Seconds between two events that the device has passed.
    empty : callable
        Issues a kernel of one thread that does nothing.
    capture : callable
        Captures a call as a graph, after warming it up on a stream of its own, and returns what
        replays it. What it raises may leave the library unfit for further work.
    sending : callable
        Host array in; what copies its values to the device, from page-locked memory that they were
        put into once, comes out.
    landing : callable
        Device array in; what copies it to page-locked memory, made ready once, comes out.
    l2_bytes : int or None
        Size of the last cache before its memory.
    """

    hold: Callable[[float], None]
    mark: Callable[[], Any]
    passed: Callable[[Any], bool]
    between: Callable[[Any, Any], float]
    empty: Call
    capture: Callable[[Call], Call]
    sending: Callable[[Any], Call]
    landing: Callable[[Any], Call]
    l2_bytes: int | None = None
