"""The host clock, watched."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from breakeven.engine.timers import TimerWatch, hardware_seconds


def played(readings: Iterator[float]) -> Callable[[], float]:
    """Return a clock that says one reading after the other."""
    return lambda: next(readings)


def steps(step: float, start: float = 0.0) -> Iterator[float]:
    """Yield a clock's readings, each a step after the last."""
    count = 0
    while True:
        yield start + count * step
        count += 1


def test_the_smallest_step_is_the_resolution() -> None:
    """A clock that steps by a millisecond, each step read twice, resolves a millisecond."""
    twice = (reading for reading in steps(1e-3) for _ in range(2))
    found = TimerWatch(played(twice), lambda: None).read(100)
    assert found.resolution_s == pytest.approx(1e-3)
    assert (found.backward, found.reads, found.rate) == (0, 100, None)


def test_steps_back_are_counted() -> None:
    """A reading below the one before is a step back."""
    readings = iter([0.0, 1.0, 2.0, 3.0, 2.5, 4.0, 3.5])
    assert TimerWatch(played(readings), lambda: None).read(4).backward == 2


def test_a_clock_that_runs_fast_is_seen_beside_the_hardware_s() -> None:
    """Twelve of its seconds in ten of the other's are a rate of 1.2."""
    clock, hardware = iter([0.0, 12.0]), iter([100.0, 110.0])
    watch = TimerWatch(lambda: next(clock, 12.0), lambda: next(hardware))
    found = watch.read(10)
    assert found.rate == pytest.approx(1.2)
    assert found.watched_s == 12.0


def test_a_clock_that_stands_still_resolves_nothing() -> None:
    """Without a single step the resolution is what was watched, never 0."""
    assert TimerWatch(lambda: 5.0, lambda: None).read(10).resolution_s == 1.0


def test_the_clock_of_this_machine_is_read() -> None:
    """It moves forward and steps in less than a millisecond."""
    found = TimerWatch().read(1000)
    assert 0 < found.resolution_s < 1e-3
    assert found.backward == 0
    assert (found.rate is None) == (hardware_seconds() is None)
