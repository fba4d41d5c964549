"""The time of a device behind a full queue, on a device that takes the times it is told."""

from __future__ import annotations

import pytest

from breakeven.engine import device_times
from breakeven.engine.device_times import HOLD_MOST_S, Queue, empty_kernel_s, issue_of, other_stream
from engine.devices import Device


def _queue(device: Device) -> Queue:
    return Queue(device.tools, device.wait, device.clock)


def test_a_block_holds_marks_calls_marks_and_waits_once() -> None:
    """The blocker comes first, the events around all calls, and one wait at the very end."""
    device = Device()
    _queue(device).block(device.work(1e-4), 3, 1e-3)
    assert device.log == ["hold", "mark", "call", "call", "call", "mark", "passed?", "wait"]


def test_a_block_reads_the_work_and_not_the_launches() -> None:
    """Five calls of 2 us that take 50 us to issue read 2 us behind a blocker, more without."""
    device = Device(issue_s=5e-5)
    assert _queue(device).block(device.work(2e-6), 5, 1e-3) == (pytest.approx(2e-6), True)
    took, full = _queue(device).block(device.work(2e-6), 5, 1e-6)
    assert not full
    assert took > 2e-5


@pytest.mark.parametrize("seconds", [2e-6, 1e-4, 3e-3, 0.4])
def test_the_device_time_is_that_of_the_work(seconds: float) -> None:
    """Whatever a launch costs, the figure is the time that the device worked."""
    for issue_s in (1e-6, 3e-5, 2e-3):
        device = Device(issue_s)
        call = device.work(seconds)
        found = _queue(device).seconds(call, issue_of(call, device.wait, device.clock), 0.1)
        assert found.seconds == pytest.approx(seconds, rel=1e-6), found.why
        assert found.why is None


def test_no_wait_stands_inside_a_block() -> None:
    """Between a blocker and the next there is one wait, however many calls were issued."""
    device = Device()
    _queue(device).seconds(device.work(1e-5), 1e-5, 0.05)
    blocks = "".join(x[0] for x in device.log).split("h")[1:]
    assert len(blocks) >= 4
    for block in blocks:
        assert block.strip("c").count("w") == 1
        assert block.endswith("w")


def test_a_blocker_is_bounded_whatever_is_asked() -> None:
    """No blocker lasts longer than the bound, for quick and slow launches alike."""
    for issue_s in (1e-6, 1e-4, 2e-2):
        device = Device(issue_s)
        _queue(device).seconds(device.work(1e-6), issue_s, 10.0)
        assert device.holds
        assert max(device.holds) <= HOLD_MOST_S


def test_a_call_that_waits_for_the_device_forms_no_queue() -> None:
    """A call that reads its result back is told so, after two tries and without a figure."""
    device = Device()
    call = device.work(1e-3, waits=True)
    found = _queue(device).seconds(call, issue_of(call, device.wait, device.clock), 0.1)
    assert found.seconds is None
    assert "waits for the device itself" in str(found.why)
    assert len(device.holds) == 2


def test_a_call_that_outlasts_the_longest_blocker_is_not_tried() -> None:
    """A call that returns only after 40 ms needs a longer blocker than is ever used."""
    device = Device(issue_s=4e-2)
    found = _queue(device).seconds(device.work(1e-3), 4e-2, 0.1)
    assert found.seconds is None
    assert "40.0 ms" in str(found.why)
    assert device.holds == []


def test_fewer_calls_are_queued_where_the_host_falls_behind() -> None:
    """When issuing takes far longer than was read before, blocks are halved until they are full."""
    device = Device(issue_s=2e-4)
    found = _queue(device).seconds(device.work(1e-6), 2e-5, 0.1)
    assert found.seconds == pytest.approx(1e-6, rel=1e-6)
    sizes = [part.count("call") for part in _split(device.log)]
    assert sizes[-1] < max(sizes)


def test_a_host_that_never_fills_the_queue_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """After many blocks that came too late there is a reason instead of a figure."""
    device = Device()
    full = iter([True])
    monkeypatch.setattr(
        Queue, "block", lambda _self, _call, _count, _hold: (1e-5, next(full, False))
    )
    found = _queue(device).seconds(device.work(1e-6), 1e-5, 0.1)
    assert found == (None, "the host was too slow to fill the queue")


def _split(log: list[str]) -> list[list[str]]:
    parts: list[list[str]] = []
    for word in log:
        if word == "hold":
            parts.append([])
        elif parts:
            parts[-1].append(word)
    return parts


def test_the_floor_is_an_empty_kernel_in_a_queue() -> None:
    """Its launch costs 10 us and its work 2 us: the floor is the latter."""
    device = Device()
    assert empty_kernel_s(device.tools, device.wait, device.clock, 1e-5) == pytest.approx(2e-6)


def test_work_on_the_events_own_stream_is_seen_whole() -> None:
    """Events and waiting agree, for calls that wait themselves as well."""
    for seconds in (1e-6, 1e-4, 0.2):
        for waits in (False, True):
            device = Device()
            call = device.work(seconds, waits=waits)
            assert other_stream(device.tools, call, device.wait, device.clock, 0.1) is None


def test_work_on_another_stream_is_named() -> None:
    """A call of 1 ms on a side stream passes its events by: that is told with both figures."""
    device = Device()
    call = device.work(1e-3, stream="side")
    said = other_stream(device.tools, call, device.wait, device.clock, 0.1)
    assert said is not None
    assert "work on another stream" in said
    assert "1.01 ms" in said


@pytest.mark.parametrize(("aside_s", "seen"), [(1.9e-5, False), (2.5e-5, True)])
def test_twenty_microseconds_are_forgiven(aside_s: float, seen: bool) -> None:
    """Less than that may be the events' own doing; work aside of 25 us is not."""
    device = Device(issue_s=1e-9)
    call = device.work(aside_s, stream="side")
    found = other_stream(device.tools, call, device.wait, device.clock, 0.1)
    assert (found is not None) == seen


@pytest.mark.parametrize(("aside_s", "seen"), [(0.9e-3, False), (1.3e-3, True)])
def test_a_tenth_of_a_long_call_is_forgiven(aside_s: float, seen: bool) -> None:
    """Of a call of 10 ms, work aside must outlast it by a tenth to be named."""
    device = Device(issue_s=1e-9)
    main, side = device.work(1e-2), device.work(1e-2 + aside_s, stream="side")

    def both() -> None:
        main()
        side()

    found = other_stream(device.tools, both, device.wait, device.clock, 0.1)
    assert (found is not None) == seen


def test_a_long_call_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call beyond what may be spent is not repeated to compare its clocks."""
    monkeypatch.setattr(device_times, "_nothing", lambda: None)
    device = Device()
    other_stream(device.tools, device.work(3.0), device.wait, device.clock, 0.1)
    assert device.log.count("call") == 1
