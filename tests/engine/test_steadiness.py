"""The SM clock is read between blocks until it rests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from breakeven.engine.loop import warm_up
from breakeven.engine.steadiness import READ_EVERY_S, ClockSteadiness


class _Stage:
    """A clock that moves with each call, and an SM clock that follows a series."""

    def __init__(self, series: Sequence[float | None], call_s: float = 2e-3) -> None:
        self.now = 0.0
        self.calls = 0
        self._call_s = call_s
        self._series: Iterator[float | None] = iter(series)
        self._last: float | None = None
        self.reads: list[float] = []

    def call(self) -> None:
        self.calls += 1
        self.now += self._call_s

    def clock(self) -> float:
        return self.now

    def read(self) -> float | None:
        self.reads.append(self.now)
        self._last = next(self._series, self._last)
        return self._last

    def warm(self, most_s: float = 0.06) -> tuple[bool, bool | None]:
        """Warm up; return whether times and SM clock became steady."""
        gpu = ClockSteadiness(self.read, self.clock)
        _, steady = warm_up(self.call, lambda: None, self.clock, most_s, gpu)
        return steady, gpu.steady


def test_a_clock_that_rests_ends_the_warm_up() -> None:
    """Four readings alike, 5 ms apart, are enough."""
    stage = _Stage([1980.0] * 10)
    assert stage.warm() == (True, True)
    assert stage.now < 0.03
    gaps = [b - a for a, b in zip(stage.reads, stage.reads[1:], strict=False)]
    assert min(gaps) >= READ_EVERY_S


def test_steady_times_wait_for_the_clock() -> None:
    """The calls are alike from the start, yet the warm-up lasts until the clock has risen."""
    stage = _Stage([600.0, 900.0, 1200.0, 1600.0, 1900.0, *[1980.0] * 10])
    assert stage.warm(most_s=1.0) == (True, True)
    assert len(stage.reads) >= 8


def test_a_rising_clock_is_given_more_time_than_the_cap() -> None:
    """A ramp longer than the cap is waited for, by half a second at most."""
    ramp = [400.0 + 40.0 * k for k in range(40)]
    stage = _Stage([*ramp, *[1980.0] * 10])
    assert stage.warm() == (True, True)
    assert 0.06 < stage.now < 0.56


def test_a_ramp_without_end_is_given_up() -> None:
    """After the cap and half a second the clock counts as not steady."""
    stage = _Stage([100.0 * 1.05**k for k in range(1000)])
    assert stage.warm() == (True, False)
    assert stage.now == pytest.approx(0.56, abs=0.01)


def test_a_clock_that_sways_is_told_at_the_cap() -> None:
    """Up and down by a third is not steady, and is not waited for beyond the cap by much."""
    stage = _Stage([1500.0, 1980.0, 1500.0, 1300.0] * 100)
    assert stage.warm() == (True, False)
    assert stage.now < 0.2


def test_a_clock_that_cannot_be_read_holds_nothing_up() -> None:
    """It is asked once, and then left out of the question."""
    stage = _Stage([None] * 10)
    assert stage.warm() == (True, None)
    assert len(stage.reads) == 1


def test_no_reading_falls_into_a_block() -> None:
    """Readings take time; a block's own time holds none of it."""
    stage = _Stage([1980.0] * 100)

    def slow() -> float | None:
        stage.now += 0.5
        return stage.read()

    gpu = ClockSteadiness(slow, stage.clock)
    call_s, _ = warm_up(stage.call, lambda: None, stage.clock, 10.0, gpu)
    assert call_s == pytest.approx(2e-3)
