"""Rules about waiting for the device."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.gates import always, stalled
from breakeven.findings.rule import Seen, StepRule
from breakeven.findings.scene import Window
from breakeven.findings.sites import Line, by_line, reads, repeated
from breakeven.findings.threshold import Threshold, figure
from breakeven.findings.trials import gain, share_of
from breakeven.model.finding import Evidence

WAITS = Threshold("waiting at the line, of a step", 0.10, "share", "fournex")
IDLE_AFTER = Threshold("device idle after it, of a step", 0.02)
ELEMENTS = Threshold("reads of single values", 100, "count")
TINY_STEPS = Threshold("passes of a loop that reads a value in each", 1000, "count")
TINY_STEP_S = Threshold("one pass", 200e-6, "s")
SLOWEST = Threshold("slowest step in a hundred over the median", 2.0, "ratio", "gpuprof")
FROM_STEPS = 100
LEAST_STEP_S = 1e-4
"""Turns of a small loop that are shorter are stalled by anything."""
_COUNTED = ("nonzero", "mask", "unique", "index", "where", "compress", "argwhere")
_ASKED = ("synchronize", "synchronise")


def _is_count(line: Line) -> bool:
    return any(word in line.names for word in _COUNTED)


def _is_asked(line: Line) -> bool:
    return any(word in line.names for word in _ASKED) or all(
        s.doing == "synchronise" for s in line.sites
    )


def _by_element(window: Window, line: Line) -> bool:
    """Return whether a line reads an array value by value."""
    if line.calls / max(1, window.steps) >= ELEMENTS.value:
        return True
    step = window.step_s
    tiny = step is not None and step <= TINY_STEP_S.value
    return tiny and len(window.steps_s) >= TINY_STEPS.value and repeated(window, line)


def _elements(window: Window) -> Iterator[Seen]:
    """Single values read a hundred times in each step, or in each of a thousand tiny passes."""
    for line in reads(window):
        if _is_asked(line) or not _by_element(window, line):
            continue
        share = window.share(line.cost_s + line.idle_s)
        times = line.calls * max(1.0, len(window.steps_s) / max(1, window.steps))
        yield Seen(
            message=(
                f"Line {line.location.line} reads single values {units.whole(times)} times, "
                f"{units.seconds(line.cost_s / line.calls)} each: {units.share(share)} of the time."
            ),
            evidence=_evidence(window),
            figures=(
                ELEMENTS.figure(times),
                figure("of the time", share),
            ),
            location=line.location,
            share=share,
            claims=share,
        )


def _values(window: Window) -> Iterator[Seen]:
    yield from _waits(window, [n for n in _read_in_steps(window) if not _is_count(n)])


def _counts(window: Window) -> Iterator[Seen]:
    yield from _waits(window, [n for n in _read_in_steps(window) if _is_count(n)])


def _read_in_steps(window: Window) -> list[Line]:
    return [
        n
        for n in reads(window)
        if repeated(window, n) and not _is_asked(n) and not _by_element(window, n)
    ]


def _waits(window: Window, lines: list[Line]) -> Iterator[Seen]:
    """Tell of lines that wait; only the idle time after them is their cost.

    The wait itself is charged with the work that it waits for.
    """
    if not lines:
        return
    trial = window.trials.get("deferred_sync")
    tried = share_of(trial)
    for line in lines:
        waited, idle = window.share(line.host_s), window.share(line.idle_s)
        cost = idle if tried is None else max(tried, 0.0)
        costly = waited >= WAITS.value and idle >= IDLE_AFTER.value
        each = line.calls / max(1, window.steps)
        said = f"Line {line.location.line} waits for the device {units.significant(each, 2)} times"
        said += f" in a step, {units.share(waited)} of the time"
        said += f"; the device is then idle for {units.share(idle)}"
        yield Seen(
            message=f"{said}.",
            evidence=("trial",) if tried is not None else _evidence(window),
            figures=(WAITS.figure(waited), IDLE_AFTER.figure(idle)),
            location=line.location,
            share=cost,
            claims=idle,
            severity=None if costly else "info",
            gain=gain(trial),
        )


def _asked(window: Window) -> Iterator[Seen]:
    """Tell of waits in each step that no clock needs."""
    if window.profiled is not None and window.profiled.timings:
        return
    if any(s.in_step for s in window.doing("clock")):
        return
    lines = [
        n
        for n in by_line(window.doing("synchronise", "implicit_sync"))
        if _is_asked(n) and repeated(window, n)
    ]
    for line in lines:
        idle = window.share(line.idle_s)
        if idle < IDLE_AFTER.value:
            continue
        yield Seen(
            message=(
                f"Line {line.location.line} waits for the device in each step; it is then idle "
                f"for {units.share(idle)} of the time."
            ),
            evidence=_evidence(window),
            figures=(IDLE_AFTER.figure(idle),),
            location=line.location,
            share=idle,
            claims=idle,
        )


def _stalls(window: Window) -> Iterator[Seen]:
    """Tell of a few steps that take many times as long as the rest."""
    if len(window.steps_s) < FROM_STEPS or window.profiled is None:
        return
    later = sorted(window.steps_s[1:])
    median, slow = statistics.median(later), later[int(0.99 * (len(later) - 1))]
    if median < LEAST_STEP_S or slow / median < SLOWEST.value:
        return
    lost = sum(s - median for s in later if s > SLOWEST.value * median) / sum(later)
    yield Seen(
        message=(
            f"One step in a hundred takes {units.seconds(slow)} and more, the median "
            f"{units.seconds(median)}: {units.share(lost)} of the time."
        ),
        evidence=("counter",),
        figures=(SLOWEST.figure(slow / median), figure("time lost in slow steps", lost)),
        location=window.profiled.steps_at,
        share=lost,
        severity="info",
    )


def _evidence(window: Window) -> tuple[Evidence, ...]:
    return ("trace",) if window.trace is not None else ("counter",)


WAITING = (
    StepRule(CATALOGUE["BE305"], "waiting", stalled, _elements, "stall"),
    StepRule(CATALOGUE["BE301"], "waiting", stalled, _values, "stall"),
    StepRule(CATALOGUE["BE302"], "waiting", stalled, _counts, "stall"),
    StepRule(CATALOGUE["BE303"], "waiting", stalled, _asked, "stall"),
    StepRule(CATALOGUE["BE311"], "waiting", always, _stalls),
)
