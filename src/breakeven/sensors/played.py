"""A recording of a sampler played as if its machine were here."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Tier
from breakeven.sensors.recording import Recording

VARIABLE = "BREAKEVEN_REPLAY_SENSORS"
_OVER = "the recording that is played has ended"


class Played:
    """Gives each recorded reading when its time has come, counted from when this was made.

    Parameters
    ----------
    recording : Recording
        What is played, as fast as it was recorded.
    clock : callable
        Seconds.
    """

    def __init__(
        self, recording: Recording, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._clock = clock
        self._shift = clock() - recording.began_s
        self._end_s = recording.ended_s + self._shift
        rows = [
            Sample(series.sensor, value, t_s + self._shift)
            for series in recording.timeline
            for t_s, value in zip(series.t_s, series.value, strict=True)
        ]
        self._rows = sorted(rows, key=_moment)
        self._next = 0
        self._names = tuple(series.sensor for series in recording.timeline)
        self._absent = tuple(
            a if a.since_s is None else _later(a, a.since_s + self._shift) for a in recording.absent
        )

    @property
    def names(self) -> tuple[str, ...]:
        """What was recorded."""
        return self._names

    def read(self, tier: Tier) -> Sequence[Sample]:
        """Return what has come since the last reading; everything comes in the fast tier."""
        if tier != "fast":
            return ()
        now, first = self._clock(), self._next
        while self._next < len(self._rows) and _moment(self._rows[self._next]) <= now:
            self._next += 1
        return self._rows[first : self._next]

    def absent(self) -> tuple[Absent, ...]:
        """Return what was absent by now, then as well that the recording is over."""
        now = self._clock()
        told = [a for a in self._absent if a.since_s is None or a.since_s <= now]
        if now > self._end_s:
            told.append(Absent(sensor="recording", why=_OVER, since_s=self._end_s))
        return tuple(told)

    def slower(self) -> dict[str, float]:
        """Return nothing: playing is cheap."""
        return {}

    def close(self) -> None:
        """Do nothing: nothing is open."""


def _moment(sample: Sample) -> float:
    assert sample.t_s is not None
    return sample.t_s


def _later(absent: Absent, since_s: float) -> Absent:
    return Absent(sensor=absent.sensor, why=absent.why, fix=absent.fix, since_s=since_s)
