"""One timed block, on a clock that is told when to move."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from breakeven.engine import loop
from breakeven.engine.loop import clear_garbage, issue_times, no_collection, repeats, warm_up


class Stage:
    """A clock, a call and a wait that write down what happened in what order."""

    def __init__(self, *durations: float, wait_s: float = 0.0) -> None:
        self.now = 0.0
        self.log: list[str] = []
        self._durations = list(durations)
        self._wait_s = wait_s
        self.calls = 0

    def clock(self) -> float:
        """Read the clock."""
        self.log.append("read")
        return self.now

    def call(self) -> None:
        """Let the next duration pass; the last one stays."""
        self.log.append("call")
        place = min(self.calls, len(self._durations) - 1)
        self.now += self._durations[place]
        self.calls += 1

    def wait(self) -> None:
        """Let the device finish."""
        self.log.append("wait")
        self.now += self._wait_s


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    """Give frozen objects back to the collector after a test."""
    yield
    gc.unfreeze()
    gc.enable()


def test_a_repeat_reads_calls_waits_and_reads() -> None:
    """The clock is read just before the call, and again once the device is idle."""
    stage = Stage(0.25, wait_s=0.25)
    assert repeats(stage.call, stage.wait, stage.clock, 1.0) == [0.5, 0.5]
    assert stage.log == ["read", "call", "wait", "read"] * 2


def test_issue_stops_the_clock_before_the_wait() -> None:
    """The issue clock stops when the call returns; the wait follows, untimed."""
    stage = Stage(0.25, wait_s=0.5)
    assert issue_times(stage.call, stage.wait, stage.clock, 1.0) == [0.25, 0.25]
    one = ["read", "call", "read", "wait"]
    # Before each repeat the time spent so far is looked at, from the second on.
    assert stage.log == ["read", "read", *one, "read", *one, "read"]


def test_a_slot_has_one_repeat_at_least() -> None:
    """A call longer than the slot is measured once; no time asked for is a repeat as well."""
    for seconds in (0.0, 1.0):
        stage = Stage(5.0)
        assert repeats(stage.call, stage.wait, stage.clock, seconds) == [5.0]
        assert issue_times(Stage(5.0).call, stage.wait, stage.clock, 0.0)


def test_a_clock_that_stands_still_ends_the_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeats that take no time do not go on for ever."""
    monkeypatch.setattr(loop, "MAX_REPEATS", 7)
    stage = Stage(0.0)
    assert repeats(stage.call, stage.wait, stage.clock, 1.0) == [0.0] * 7
    assert issue_times(stage.call, stage.wait, stage.clock, 1.0) == [0.0] * 7


def test_nothing_is_collected_inside_a_slot() -> None:
    """The collector is off during every repeat, and as it was afterwards."""
    seen: list[bool] = []
    stage = Stage(0.5)

    def call() -> None:
        seen.append(gc.isenabled())
        stage.call()

    gc.enable()
    repeats(call, stage.wait, stage.clock, 1.0)
    issue_times(call, stage.wait, stage.clock, 1.0)
    assert seen == [False] * 4
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    """What the user switched off is not switched on, not even by an error."""
    gc.disable()
    with no_collection():
        pass
    assert not gc.isenabled()
    gc.enable()
    with pytest.raises(ZeroDivisionError), no_collection():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_garbage_is_cleared_once_and_the_living_left_alone() -> None:
    """After clearing, later collections have next to nothing to look at."""
    knot: list[object] = []
    knot.append(knot)
    del knot
    clear_garbage()
    assert gc.get_freeze_count() > 1000
    assert gc.collect() < 100


def test_warm_up_calls_then_waits_then_reads() -> None:
    """Each block reads the clock, calls and waits, and reads it again."""
    stage = Stage(0.01)
    warm_up(stage.call, stage.wait, stage.clock, 1.0)
    assert stage.log[:5] == ["read", "read", "call", "wait", "read"]
    assert stage.log.count("call") == stage.log.count("wait") == stage.calls


def test_five_alike_blocks_are_steady() -> None:
    """A slow start is passed over: the last five blocks must vary by under 2 %."""
    stage = Stage(0.5, 0.2, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01)
    call_s, steady = warm_up(stage.call, stage.wait, stage.clock, 100.0)
    assert steady
    assert stage.calls == 8
    assert call_s == pytest.approx(0.01)


@pytest.mark.parametrize(("spread", "expected"), [(0.019, True), (0.03, False)])
def test_two_percent_parts_steady_from_not(spread: float, expected: bool) -> None:
    """Blocks that differ by 1.9 % are steady; by 3 % they never are."""
    stage = Stage(*[0.01 * (1 + spread * (i % 2)) for i in range(1000)])
    _, steady = warm_up(stage.call, stage.wait, stage.clock, 1.0)
    assert steady is expected


def test_warming_ends_in_time_and_says_that_it_is_not_steady() -> None:
    """Work that gets slower and slower is given up after the time allowed."""
    stage = Stage(*[0.01 * 1.1**i for i in range(200)])
    call_s, steady = warm_up(stage.call, stage.wait, stage.clock, 1.0)
    assert not steady
    assert stage.now == pytest.approx(1.0, rel=0.2)
    assert call_s > 0.05


def test_a_long_call_is_not_warmed_for_long() -> None:
    """Calls beyond the time allowed are made three times, or once if they are three times it."""
    stage = Stage(1.5)
    warm_up(stage.call, stage.wait, stage.clock, 1.0)
    assert stage.calls == 3
    stage = Stage(4.0)
    call_s, _ = warm_up(stage.call, stage.wait, stage.clock, 1.0)
    assert (stage.calls, call_s) == (1, 4.0)


def test_short_calls_are_warmed_in_blocks_of_a_millisecond() -> None:
    """A block of calls shorter than a millisecond doubles until it lasts one."""
    stage = Stage(1e-5)
    call_s, steady = warm_up(stage.call, stage.wait, stage.clock, 1.0)
    assert steady
    assert call_s == pytest.approx(1e-5)
    # 1 + 2 + ... + 64 calls to find that 128 last a millisecond, then five blocks.
    assert stage.calls == 127 + 5 * 128
