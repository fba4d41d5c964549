"""Rules about how data comes to the GPU and back."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.gates import stalled, without_kernels
from breakeven.findings.rule import Seen, StepRule
from breakeven.findings.scene import Window
from breakeven.findings.sites import Line, by_line, journeys, repeated
from breakeven.findings.threshold import Threshold, figure
from breakeven.findings.trials import gain, share_of
from breakeven.model.finding import Evidence
from breakeven.model.profiled import Site

LOADER = Threshold("loader's share of a step", 0.20, "share", "gpu-idle, fournex and loadtune")
MILD = 0.05
CORES_FULL = Threshold("cores in use over usable ones", 0.85, "share", "loadtune")
COPIES = Threshold("copies that no kernel hides, of a step", 0.15, "share", "fournex")
TRIP = Threshold("round trip's share of a step", 0.05)
BLOCKED = Threshold("host time of the call over the copy's", 0.8, "ratio")
BLOCKED_SHARE = Threshold("pageable copies' share of a step", 0.05)
MADE = Threshold("making and moving, of a step", 0.01)
BACK = Threshold("copies to the host, of a step", 0.10)
_PIN = (
    "Page-lock the batches (pin_memory=True) and copy with non_blocking=True, or keep them there."
)
SMALLEST = 64 * 1024
"""Bytes of a copy below which page-locked memory brings nothing."""


def _loader(window: Window) -> Iterator[Seen]:
    """Tell of waiting for data: by a trial, else the trace, else the host's time in the loader."""
    trial = window.trials.get("cached_batch")
    found = share_of(trial)
    evidence: tuple[Evidence, ...] = ("trial",)
    if found is None and window.idle is not None:
        found, evidence = window.share(window.idle.loader_s), ("trace",)
    if found is None and window.phases:
        shares = [p.loader_s / p.step_s for p in window.phases if p.step_s > 0]
        found, evidence = statistics.median(shares) if shares else None, ("counter",)
    lines = by_line(window.doing("loader"))
    if found is None and lines:
        # What a loop waited for is clocked over all steps of the untraced pass.
        whole = sum(window.steps_s) or window.span_s
        waited = sum(line.host_s for line in lines)
        found, evidence = min(1.0, waited / whole) if whole > 0 else None, ("counter",)
    if found is None or found < MILD:
        return
    figures, full = [LOADER.figure(found)], _cores_full(window)
    said = f"The step waits for its data for {units.share(found)} of its time"
    if window.busy is not None:
        said += f", the device is busy for {units.share(window.busy)}"
        figures.append(figure("busy share of the device", window.busy))
    if full is not None:
        said += f"; {units.share(full)} of the cores are in use, so that more workers cannot help"
        figures.append(CORES_FULL.figure(full))
    yield Seen(
        message=f"{said}.",
        evidence=evidence,
        figures=tuple(figures),
        location=lines[0].location if lines else None,
        share=found,
        claims=found,
        severity=None if found >= LOADER.value else "info",
        gain=gain(trial),
        fix="Prepare less per sample, or once, before the loop." if full is not None else None,
    )


def _cores_full(window: Window) -> float | None:
    """Return the share of the cores in use, where it says that they are full."""
    record = window.scene.record
    sensing = record.sensing
    if sensing is None or window.profiled is None:
        return None
    used = next((r.mean for r in sensing.readings if r.sensor == "tree.cpu_cores"), None)
    share = None if used is None else used / window.scene.cores
    return share if share is not None and share >= CORES_FULL.value else None


def _to_device(window: Window) -> Iterator[Seen]:
    """Tell of copies of each step that no kernel hides; with sites they have a line."""
    back = {_place(line) for line in journeys(window, "to_host") if repeated(window, line)}
    lines = [n for n in journeys(window, "to_device") if repeated(window, n)]
    if not lines:
        yield from _copies_of_trace(window)
        return
    for line in lines:
        share = window.share(line.cost_s)
        if share < COPIES.value or back or _waits_for_pageable(line) or _made_there(window, line):
            continue
        each = line.bytes / max(1, line.calls)
        said = f"Line {line.location.line} copies {units.size_bytes(each)} to the device"
        said += f" {line.calls} times in {max(1, window.steps)} steps"
        yield Seen(
            message=f"{said}: {units.share(share)} of the time{_rate(line)}.",
            evidence=("trace",) if window.trace is not None else ("counter",),
            figures=(COPIES.figure(share), figure("bytes of a copy", each, "bytes")),
            location=line.location,
            share=share,
            claims=share,
        )


def _copies_of_trace(window: Window) -> Iterator[Seen]:
    """Tell of copies of a training's trace, whose lines are not known."""
    if window.trace is None or window.kernels is None or window.profiled is not None:
        return
    copies = [c for c in window.trace.copies if c.direction == "to_device"]
    seconds = sum(c.seconds for c in copies)
    hidden = max(0.0, seconds / window.span_s + window.kernels - (window.busy or 0.0))
    share = window.share(seconds) - hidden
    pageable = sum(c.seconds for c in copies if c.memory == "pageable") > seconds / 2
    if share < (BLOCKED_SHARE.value if pageable else COPIES.value):
        return
    each = sum(c.bytes for c in copies) / max(1, window.steps)
    kept = ", from memory that is not page-locked" if pageable else ""
    yield Seen(
        message=(
            f"Copies to the device take {units.share(share)} of the step that no kernel hides: "
            f"{units.size_bytes(each)} a step{kept}."
        ),
        evidence=("trace",),
        figures=(COPIES.figure(share), figure("bytes of a step", each, "bytes")),
        share=share,
        claims=share,
        severity=None if share >= COPIES.value else "info",
        fix=_PIN if pageable else None,
    )


def _rate(line: Line) -> str:
    seconds = line.device_s or line.host_s
    return f", {units.rate(line.bytes / seconds, 'B/s')}" if line.bytes and seconds else ""


def _place(line: Line) -> tuple[str, int]:
    return line.location.path, line.location.line


def _round_trip(window: Window) -> Iterator[Seen]:
    """Tell of data to the host and back in each step, with the host's work between."""
    out = [n for n in journeys(window, "to_host") if repeated(window, n)]
    back = [n for n in journeys(window, "to_device") if repeated(window, n)]
    if not out or not back:
        return
    first, last = out[0], back[0]
    between = [n for n in by_line(window.doing("host_work")) if _between(first, last, n)]
    work = sum(n.host_s for n in between)
    share = window.share(first.cost_s + last.cost_s + work)
    trips = min(first.calls, last.calls) / max(1, window.steps)
    if share < TRIP.value and trips < 2:
        return
    said = f"Line {first.location.line} brings {units.size_bytes(first.bytes / first.calls)} to the"
    said += f" host and line {last.location.line} sends {_each(last)} back, in each step"
    if work:
        said += f"; the host's own work between takes {units.share(window.share(work))} of the time"
    yield Seen(
        message=f"{said}: {units.share(share)} of the time.",
        evidence=("trace",) if window.trace is not None else ("counter",),
        figures=(TRIP.figure(share), figure("host's work between", window.share(work))),
        location=first.location,
        also=(last.location,) if last.location != first.location else (),
        share=share,
        claims=share,
        severity=None if share >= TRIP.value else "info",
    )


def _each(line: Line) -> str:
    return units.size_bytes(line.bytes / max(1, line.calls))


def _between(first: Line, last: Line, line: Line) -> bool:
    if line.location.path != first.location.path:
        return False
    low, high = sorted((first.location.line, last.location.line))
    return low <= line.location.line <= high


def _waits_for_pageable(line: Line) -> bool:
    """Return whether a line's copies from ordinary memory keep the host for as long as they run."""
    if not any(s.memory == "pageable" for s in line.sites) or not line.device_s:
        return False
    asked = "non_blocking" in line.names or "non_blocking" in (line.location.text or "")
    return asked and line.host_s >= BLOCKED.value * line.device_s


def _pageable(window: Window) -> Iterator[Seen]:
    """Tell of copies that were meant for the background and hold the host up."""
    for line in journeys(window, "to_device"):
        share, each = window.share(line.cost_s), line.bytes / max(1, line.calls)
        if not _waits_for_pageable(line) or not repeated(window, line) or each < SMALLEST:
            continue
        if share < BLOCKED_SHARE.value:
            continue
        yield Seen(
            message=(
                f"Line {line.location.line} copies {units.size_bytes(each)} from ordinary memory "
                f"and the host stays in the call: {units.share(share)} of the time{_rate(line)}."
            ),
            evidence=("trace",) if window.trace is not None else ("counter",),
            figures=(
                BLOCKED_SHARE.figure(share),
                BLOCKED.figure(line.host_s / line.device_s),
            ),
            location=line.location,
            share=share,
            claims=share,
        )


def _pinned_anew(window: Window) -> Iterator[Seen]:
    """Page-locking in steps."""
    for line in by_line(s for s in window.doing("allocate") if "pin" in (s.name or "").lower()):
        if repeated(window, line):
            share = window.share(line.host_s)
            yield Seen(
                message=(
                    f"Line {line.location.line} page-locks memory {line.calls} times, "
                    f"{units.share(share)} of the time."
                ),
                evidence=("counter",),
                figures=(figure("page-locking, of a step", share),),
                location=line.location,
                share=share,
                claims=share,
            )


def _made_there(window: Window, line: Line) -> bool:
    return _place(line) in _drawn(window)


def _drawn(window: Window) -> dict[tuple[str, int], Line]:
    """Return the lines at which the host draws or makes arrays."""
    made = [s for s in window.doing("random", "allocate") if _of_host(s)]
    return {_place(n): n for n in by_line(made)}


def _of_host(site: Site) -> bool:
    return not site.device_s and "(device)" not in (site.name or "") and site.memory != "pinned"


def _made_on_host(window: Window) -> Iterator[Seen]:
    """Random numbers drawn by the host and moved at the same line."""
    drawn = _drawn(window)
    for line in journeys(window, "to_device"):
        draw = drawn.get(_place(line))
        if draw is None or not repeated(window, line):
            continue
        share = window.share(line.cost_s + draw.host_s)
        if share < MADE.value:
            continue
        yield Seen(
            message=(
                f"Line {line.location.line} makes {_each(line)} on the host and moves it, "
                f"{line.calls} times: {units.share(share)} of the time."
            ),
            evidence=("trace",) if window.trace is not None else ("counter",),
            figures=(MADE.figure(share),),
            location=line.location,
            share=share,
            claims=share,
        )


def _to_host(window: Window) -> Iterator[Seen]:
    """Large results brought over in each step, where nothing returns."""
    if any(repeated(window, n) for n in journeys(window, "to_device")):
        return
    for line in journeys(window, "to_host"):
        share = window.share(line.cost_s)
        if share < BACK.value or not repeated(window, line):
            continue
        yield Seen(
            message=(
                f"Line {line.location.line} brings {_each(line)} to the host in each step: "
                f"{units.share(share)} of the time."
            ),
            evidence=("trace",) if window.trace is not None else ("counter",),
            figures=(BACK.figure(share),),
            location=line.location,
            share=share,
            claims=share,
        )


FEEDING = (
    StepRule(CATALOGUE["BE201"], "loader", stalled, _loader, "stall"),
    StepRule(CATALOGUE["BE208"], "copies", without_kernels, _made_on_host, "stall"),
    StepRule(CATALOGUE["BE204"], "copies", without_kernels, _round_trip, "stall"),
    StepRule(CATALOGUE["BE205"], "copies", without_kernels, _pageable, "stall"),
    StepRule(CATALOGUE["BE206"], "copies", without_kernels, _pinned_anew, "stall"),
    StepRule(CATALOGUE["BE203"], "copies", without_kernels, _to_device, "stall"),
    StepRule(CATALOGUE["BE209"], "copies", without_kernels, _to_host, "stall"),
)
