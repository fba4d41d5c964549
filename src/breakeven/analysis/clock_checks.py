"""Clocks and floors of a self-test, each held against another clock or a bound."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven import units
from breakeven.model.run import Floors
from breakeven.model.selftest import Check, DeviceReading, Readings

EMPTY_CALL_S, MESSAGE_S, SYNCHRONISE_S, EVENT_PAIR_S, EMPTY_KERNEL_S = 1e-6, 5e-3, 5e-5, 5e-5, 2e-5
RESOLUTION_S, RATE_ERROR = 1e-6, 1e-3
DEVICE_ERROR, DEVICE_ERROR_S = 0.02, 1e-6


def timer_checks(readings: Readings) -> Iterator[Check]:
    """Yield how finely the host clock steps, and how fast it runs beside the hardware's."""
    timer = readings.timer
    if timer is None:
        return
    coarse = timer.resolution_s > RESOLUTION_S
    yield Check(
        name="timer",
        title="host clock steps finely, never back",
        word="failed" if coarse or timer.backward else "passed",
        figure=f"{units.seconds(timer.resolution_s)}, {timer.backward} of {timer.reads} back",
        target=f"under {units.seconds(RESOLUTION_S)}, none back",
        value=timer.resolution_s,
        limit=RESOLUTION_S,
        why=f"the host clock ran backward {timer.backward} times"
        if timer.backward
        else f"the host clock steps by {units.seconds(timer.resolution_s)}"
        if coarse
        else None,
        remedy="have the system use its finest clock source (clocksource tsc on Linux)"
        if coarse or timer.backward
        else None,
    )
    off = None if timer.rate is None else abs(timer.rate - 1.0)
    wrong = off is not None and off > RATE_ERROR
    yield Check(
        name="clock_rate",
        title="host clock beside the hardware's",
        word="unknown" if off is None else "failed" if wrong else "passed",
        figure="no other clock" if off is None else f"{units.significant(100 * off, 2)} % apart",
        target=f"within {units.significant(100 * RATE_ERROR, 1)} %",
        value=off,
        limit=RATE_ERROR,
        why="this system has no clock that nothing adjusts"
        if off is None
        else f"the host clock runs {units.significant(100 * off, 2)} % off the hardware's"
        if wrong
        else None,
        remedy="stop what sets the clock (time service, suspended virtual machine), and run again"
        if wrong
        else None,
    )


def floor_checks(floors: dict[str, Floors]) -> Iterator[Check]:
    """Yield each floor that was measured, the slowest entry's."""
    parts = (
        ("empty_call", "floor: an empty call", EMPTY_CALL_S, "empty_call_s"),
        ("message", "floor: a message to a worker", MESSAGE_S, "message_s"),
        ("synchronise", "floor: waiting for an idle GPU", SYNCHRONISE_S, "synchronise_s"),
        ("event_pair", "floor: two events on the GPU", EVENT_PAIR_S, "event_pair_s"),
        ("empty_kernel", "floor: an empty kernel", EMPTY_KERNEL_S, "empty_kernel_s"),
    )
    for name, title, limit, field in parts:
        found = {e: getattr(f, field) for e, f in floors.items()}
        known = {e: s for e, s in found.items() if s is not None}
        if not known:
            continue
        slowest = max(known, key=lambda e: known[e])
        value = known[slowest]
        failed = value > limit
        yield Check(
            name=name,
            title=title,
            word="failed" if failed else "passed",
            figure=units.seconds(value) if value > 0 else "under its clock's step",
            target=f"under {units.seconds(limit)}",
            value=value,
            limit=limit,
            why=f"{title.removeprefix('floor: ')} takes {units.seconds(value)} ({slowest})"
            if failed
            else None,
            remedy="stop what slows every call (tracer, debugger, virtual machine without its "
            "own clock), and run again"
            if failed
            else None,
        )


def device_checks(readings: Readings) -> Iterator[Check]:
    """Yield each reading of a device clock beside a trace, or why there is none."""
    title, target = "device clock beside a trace", "within 2 %, or 1 us a kernel"
    if not readings.device:
        yield Check(
            name="device_clock",
            title=title,
            word="unknown",
            figure="not tried",
            target=target,
            why=readings.device_why or "no GPU takes part",
        )
    for one in readings.device:
        yield _one_device(one, title, target)


def _one_device(one: DeviceReading, title: str, target: str) -> Check:
    where = f"{one.backend}, {one.workload} {one.size}"
    name = f"device_clock_{one.backend}_{one.size}"
    if one.ours_s is None or one.traced_s is None:
        return Check(
            name=name,
            title=f"{title} ({where})",
            word="unknown",
            figure="no figure",
            target=target,
            why=one.why or "one of the two could not be read",
        )
    apart = one.ours_s - one.traced_s
    bound = device_bound_s(one.traced_s, one.kernels)
    failed = abs(apart) > bound
    figure = f"{units.seconds(one.ours_s)} against {units.seconds(one.traced_s)}"
    return Check(
        name=name,
        title=f"{title} ({where})",
        word="failed" if failed else "passed",
        figure=figure,
        target=target,
        value=apart,
        limit=bound,
        why=f"the device clock of {where} says {figure} in the trace" if failed else None,
        remedy="run again when the GPU is idle; where it stays, report it" if failed else None,
    )


def device_bound_s(traced_s: float, kernels: int = 1) -> float:
    """Return how far a device time may be from the trace: 2 %, or 1 us for each of its kernels.

    A queue has a gap between a kernel and the next, which a trace does not count.
    """
    return max(DEVICE_ERROR * traced_s, DEVICE_ERROR_S * max(1, kernels))
