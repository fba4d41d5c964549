"""The time of a device behind a full queue, and what its events do not see."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import NamedTuple

from breakeven import units
from breakeven.backends.device_clock import DeviceClock
from breakeven.engine.loop import Call, Clock, no_collection

# The longest that the queue is held, whatever is to be issued behind it.
HOLD_MOST_S = 0.05
HOLD_MARGIN_S = 3e-4
# Half of the launches that a queue usually takes before it makes its caller wait.
CALLS_MOST = 256
BLOCKS_LEAST, BLOCKS_MOST = 3, 15
STREAM_BLOCKS = 9
# Events and synchronised wall time may disagree by this much, or by this share of the wall time.
APART_S, APART_SHARE = 20e-6, 0.10


class Reading(NamedTuple):
    """Seconds of one call, or why there is no such figure."""

    seconds: float | None
    why: str | None = None


class Queue:
    """Times calls that are issued while the device is held, so that it never waits for one.

    Parameters
    ----------
    wait : callable
        Returns when the whole device is idle.
    clock : callable
        Host seconds.
    """

    def __init__(self, tools: DeviceClock, wait: Call, clock: Clock) -> None:
        self._tools = tools
        self._wait = wait
        self._clock = clock

    def block(self, call: Call, count: int, hold_s: float) -> tuple[float, bool]:
        """Issue `count` calls behind a blocker, and wait once, at the end.

        Returns
        -------
        tuple of float, bool
            Device seconds of one call, between an event before the first and one after the last;
            whether the device was still held when the last was issued. If not, it may have waited
            for the host, and the seconds say nothing.
        """
        tools = self._tools
        with no_collection():
            tools.hold(hold_s)
            begin = tools.mark()
            for _ in range(count):
                call()
            end = tools.mark()
            full = not tools.passed(begin)
            self._wait()
        return tools.between(begin, end) / count, full

    def seconds(self, call: Call, issue_s: float, budget_s: float) -> Reading:
        """Return the device's seconds of one call: the median over blocks behind a full queue.

        Parameters
        ----------
        issue_s : float
            Seconds until a call returns, device idle before.
        budget_s : float
            What may be spent; a few blocks are taken in any case.
        """
        hold_s = _hold_for(1, issue_s)
        if hold_s > HOLD_MOST_S:
            said, most = units.seconds(issue_s), units.seconds(HOLD_MOST_S)
            return Reading(None, f"a call returns after {said}, and a queue is held for {most}")
        took, full = self.block(call, 1, hold_s)
        if not full:
            # The host may have been slow by chance, or memory was taken: once more, held longer.
            took, full = self.block(call, 1, min(2 * hold_s, HOLD_MOST_S))
        if not full:
            return Reading(
                None,
                "a call does not return while the device is held: it waits for the device itself, "
                "or issues more than a queue takes",
            )
        return self._filled(call, issue_s, budget_s, took)

    def _filled(self, call: Call, issue_s: float, budget_s: float, took: float) -> Reading:
        """Return the median of blocks of as many calls as fit, halved until they do fit."""
        most_s = min(HOLD_MOST_S, max(budget_s / BLOCKS_LEAST, _hold_for(1, issue_s)))
        count = int((most_s - HOLD_MARGIN_S) / (2 * max(issue_s, 1e-9)))
        count = min(count, CALLS_MOST, int(budget_s / (BLOCKS_LEAST + 1) / max(took, 1e-9)))
        count = max(1, count)
        times: list[float] = []
        begin, misses = self._clock(), 0
        while len(times) < BLOCKS_MOST:
            spent = self._clock() - begin
            if times and spent + count * took > budget_s and self._enough(times, took, budget_s):
                break
            one, full = self.block(call, count, _hold_for(count, issue_s))
            if full:
                times.append(one)
                continue
            misses += 1
            if misses > BLOCKS_MOST:
                return Reading(None, "the host was too slow to fill the queue")
            count = max(1, count // 2)
        return Reading(statistics.median(times))

    @staticmethod
    def _enough(times: list[float], took: float, budget_s: float) -> bool:
        """Tell whether no more blocks are due: one of a call beyond the budget, or some."""
        return took > budget_s or len(times) >= BLOCKS_LEAST


def _hold_for(count: int, issue_s: float) -> float:
    """Return seconds that leave twice the time that `count` calls need to be issued."""
    return 2 * count * issue_s + HOLD_MARGIN_S


def empty_kernel_s(tools: DeviceClock, wait: Call, clock: Clock, issue_s: float) -> float | None:
    """Return the device's seconds of a kernel that does nothing, behind a full queue.

    Parameters
    ----------
    issue_s : float
        Seconds until the launch of one returns.
    """
    return Queue(tools, wait, clock).seconds(tools.empty, issue_s, HOLD_MOST_S / 2).seconds


def other_stream(
    tools: DeviceClock, call: Call, wait: Call, clock: Clock, budget_s: float
) -> str | None:
    """Say what was seen when events miss a part of the time that the device needs.

    An event is reached when its own stream is; a wait for the whole device sees all streams. What
    events and waiting cost by themselves is read first, around nothing.
    """
    own_event, own_wall = _event_and_wall(tools, _nothing, wait, clock, budget_s)
    event, wall = _event_and_wall(tools, call, wait, clock, budget_s)
    apart = (wall - event) - max(0.0, own_wall - own_event)
    if apart <= max(APART_S, APART_SHARE * wall):
        return None
    return (
        f"the device works for {units.seconds(wall)}, and its events see {units.seconds(event)} "
        "of it: work on another stream"
    )


def _nothing() -> None:
    """Call nothing."""


def _event_and_wall(
    tools: DeviceClock, call: Call, wait: Call, clock: Clock, budget_s: float
) -> tuple[float, float]:
    """Return medians of the seconds between two events around a call, and until all is idle."""
    events: list[float] = []
    walls: list[float] = []
    with no_collection():
        while len(walls) < STREAM_BLOCKS and (sum(walls) < budget_s or len(walls) < BLOCKS_LEAST):
            start = clock()
            begin = tools.mark()
            call()
            end = tools.mark()
            wait()
            walls.append(clock() - start)
            events.append(tools.between(begin, end))
            if walls[-1] > budget_s:
                break
    return statistics.median(events), statistics.median(walls)


def issue_of(call: Call, wait: Call, clock: Callable[[], float]) -> float:
    """Return the median seconds until a call returns, device idle before."""
    times = []
    for _ in range(STREAM_BLOCKS):
        begin = clock()
        call()
        times.append(clock() - begin)
        wait()
    return statistics.median(times)
