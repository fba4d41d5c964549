"""What each line of the user's function called, with what it cost: bytes, waits, time."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from breakeven.model.finding import Location
from breakeven.model.ported import CallSite

Clock = Callable[[], float]


class Tally:
    """What one call at one line cost so far."""

    __slots__ = ("bridged", "calls", "seconds", "slow", "synchronised", "to_device", "to_host")

    def __init__(self) -> None:
        self.calls = self.to_device = self.to_host = self.synchronised = self.bridged = 0
        self.seconds = 0.0
        self.slow = False


class Ledger:
    """Counts calls by line and name.

    Parameters
    ----------
    files : set of str
        The user's own files: a call is told of the innermost line of these.
    """

    def __init__(self, files: set[str]) -> None:
        self.files = files
        self._clock: Clock | None = None
        self._wait: Callable[[], None] | None = None
        self.timed = False
        self._tallies: dict[tuple[str, int, str], Tally] = {}
        # The call in progress, or the last one: a failure is told of it.
        self.last: tuple[str, str, int] | None = None

    def time(self, clock: Clock | None, wait: Callable[[], None] | None) -> None:
        """Time each call from now on, the device awaited before and after it; None ends that."""
        self._clock, self._wait = clock, wait
        self.timed |= clock is not None

    def clear(self) -> None:
        """Forget all calls."""
        self._tallies.clear()
        self.last = None
        self.timed = self._clock is not None

    def at(self, name: str, depth: int = 2) -> Tally:
        """Return the tally of `name` at the user's line that is calling, one call more."""
        frame: FrameType | None = sys._getframe(depth)  # noqa: SLF001  the cheap way to the line
        while frame is not None and frame.f_code.co_filename not in self.files:
            frame = frame.f_back
        path, line = ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        key = (path, line, name)
        tally = self._tallies.get(key)
        if tally is None:
            tally = self._tallies[key] = Tally()
        tally.calls += 1
        self.last = (name, path, line)
        return tally

    def run(self, tally: Tally, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call, and time it where calls are timed."""
        if self._clock is None or self._wait is None:
            return call(*args, **kwargs)
        self._wait()
        begin = self._clock()
        result = call(*args, **kwargs)
        self._wait()
        tally.seconds += self._clock() - begin
        return result

    def sites(self) -> tuple[CallSite, ...]:
        """Return the calls, in the order in which their lines were first reached."""
        return tuple(
            CallSite(
                location=Location(
                    path=path, line=line, text=linecache.getline(path, line).strip() or None
                ),
                name=name,
                calls=tally.calls,
                seconds=tally.seconds if self.timed else None,
                to_device_bytes=tally.to_device,
                to_host_bytes=tally.to_host,
                synchronised=tally.synchronised,
                bridged=tally.bridged,
                slow=tally.slow,
            )
            for (path, line, name), tally in self._tallies.items()
        )
