"""The sampler beside a run, with marks of what went on meanwhile."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from breakeven.engine.clock import cpu_seconds, now, utc
from breakeven.engine.processes import deaf_to_interrupts
from breakeven.model.event import Remark, Sensed, Sink
from breakeven.model.remarks import SAMPLER
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Mark, Sensing
from breakeven.model.timeline import Series
from breakeven.sensors.sampler import Sampler, SamplingPlan

# Quick enough for a stretch of half a second, slow enough to cost nothing.
FAST_S, SLOW_S = 0.1, 1.0
# What stretches are read with enters no verdict: a run affords more than a watched program.
CORE_SHARE = 0.02


class Recorder:
    """Reads sensors while a run measures; times count from the run's start.

    Parameters
    ----------
    before : RunRecord
        The run so far: one that goes on has a timeline already, which is kept.
    folder : Path
        Where the sampler writes.
    on : bool
        Whether sensors are read; scripted times have nothing to do with this machine.
    """

    def __init__(self, before: RunRecord, folder: Path, *, on: bool) -> None:
        self._before = before
        self._marks: list[Mark] = list(before.sensing.marks) if before.sensing else []
        self.origin_s = now() - _elapsed_s(before)
        plan = SamplingPlan(
            fast_s=FAST_S,
            slow_s=SLOW_S,
            gpus=bool(before.machine.gpus),
            core_share=CORE_SHARE,
        )
        self._sampler = Sampler(plan, folder, os.getpid()) if on else None

    def __enter__(self) -> Self:
        """Start the sampler."""
        if self._sampler is not None:
            self._sampler.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the sampler, if `sensed` has not."""
        if self._sampler is not None:
            self._sampler.finish()

    def cpu_s(self) -> float:
        """Return the CPU time that the sampler has used, which is no stranger's."""
        pid = None if self._sampler is None else self._sampler.pid
        return 0.0 if pid is None else cpu_seconds(pid) or 0.0

    def since_start(self, at_s: float) -> float:
        """Return a moment of the monotonic clock as seconds since the run's start."""
        return at_s - self.origin_s

    def mark(
        self,
        kind: str,
        label: str,
        begin_s: float,
        end_s: float,
        *,
        workload: str | None = None,
        size: int | None = None,
        entry: str | None = None,
    ) -> None:
        """Note what went on between two moments of the monotonic clock."""
        self._marks.append(
            Mark(
                begin_s=self.since_start(begin_s),
                end_s=self.since_start(end_s),
                kind=kind,
                label=label,
                workload=workload,
                size=size,
                entry=entry,
            )
        )

    def sensed(self) -> Sensed | None:
        """End the sampler, and return what it read; None where sensors were left alone."""
        if self._sampler is None:
            return None
        found = self._sampler.finish().since(self.origin_s)
        sensing: Sensing = found.sensing(self._marks)
        return Sensed(timeline=joined(self._before.timeline, found.timeline), sensing=sensing)


def joined(early: tuple[Series, ...], late: tuple[Series, ...]) -> tuple[Series, ...]:
    """Return two recordings of one run as one: that of before an interruption comes first."""
    found = {s.sensor: s for s in early}
    for series in late:
        known = found.get(series.sensor)
        found[series.sensor] = series if known is None else _one_after_other(known, series)
    return tuple(found.values())


def _one_after_other(early: Series, late: Series) -> Series:
    merged = bool(early.low or late.low)
    last = max(early.t_s, default=-math.inf)
    kept = [i for i, t in enumerate(late.t_s) if t > last]

    def both(name: str) -> tuple[float | None, ...]:
        old = getattr(early, name) or early.value
        new = getattr(late, name) or late.value
        return (*old, *(new[i] for i in kept))

    return msgspec.structs.replace(
        early,
        t_s=(*early.t_s, *(late.t_s[i] for i in kept)),
        value=both("value"),
        low=both("low") if merged else (),
        high=both("high") if merged else (),
    )


def _elapsed_s(before: RunRecord) -> float:
    """Return the seconds since a run's start; 0 for one that has no timeline yet.

    The date tells, as the monotonic clock may have begun anew since.
    """
    if not before.timeline:
        return 0.0
    last = max((t for s in before.timeline for t in s.t_s[-1:]), default=0.0)
    begun = datetime.fromisoformat(before.started)
    return max(last, (utc() - begun).total_seconds())


@contextmanager
def recorded(sink: Sink, folder: Path, *, on: bool) -> Iterator[Recorder]:
    """Yield a recorder, and journal what it read however the block ends."""
    recorder = Recorder(sink.record(), folder, on=on)
    with recorder:
        try:
            yield recorder
        finally:
            with deaf_to_interrupts():
                sensed = recorder.sensed()
                if sensed is not None:
                    sink.append(sensed)
                if sensed is not None and sensed.sensing.ended_early is not None:
                    sink.append(Remark(text=f"{SAMPLER}: {sensed.sensing.ended_early}"))
