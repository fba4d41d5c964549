"""The parts of one step, timed and marked for a profiler."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from breakeven.workloads.training.base import PHASES, Clock, Phases, Wait

PREFIX = "breakeven."


class Stopwatch:
    """Reads the clock around each part of a step, the device awaited before it is read.

    Parameters
    ----------
    wait : callable
        Returns when the device is idle.
    clock : callable
        Seconds.
    """

    def __init__(self, wait: Wait, clock: Clock) -> None:
        self._wait, self._clock = wait, clock
        self._parts: dict[str, float] = {}
        self._step_s = 0.0

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Time everything within, from an idle device to an idle device."""
        self._wait()
        begin = self._clock()
        yield
        self._step_s = self._clock() - begin

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time one part, and let a profiler see it as ``breakeven.NAME``."""
        from torch.profiler import record_function

        assert name in PHASES
        mark = record_function(PREFIX + name)
        begin = self._clock()
        with mark:
            yield
            self._wait()
        self._parts[name] = self._clock() - begin

    def phases(self) -> Phases:
        """Return what was timed."""
        parts = {f"{name}_s": seconds for name, seconds in self._parts.items()}
        return Phases(step_s=self._step_s, **parts)
