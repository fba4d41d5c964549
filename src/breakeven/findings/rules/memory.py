"""Rules about memory: what is kept, what grows, what is in pieces, what is full."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.gates import always
from breakeven.findings.growth import line_through
from breakeven.findings.rule import RunRule, Seen, StepRule
from breakeven.findings.scene import Scene, Window
from breakeven.findings.sites import by_line, repeated
from breakeven.findings.threshold import Threshold, figure
from breakeven.model.finding import Location
from breakeven.model.profiled import Counter

KEPT = Threshold("held for reuse", 64 * 2**20, "bytes")
UNUSED = Threshold("used share of what is held", 0.10)
IN_PIECES = Threshold("held but unused share", 0.30, "share", "stormlog")
GROWTH = Threshold("growth of a step", 1e6, "bytes")
STRAIGHT = Threshold("R2 of the line through memory at the ends of steps", 0.6, "ratio", "stormlog")
FROM_POINTS = 20
WARM_SHARE = 0.2
CHURN = Threshold("allocations of the driver in a steady step", 0.1, "count")
FULL = Threshold("peak of device memory", 0.90, "share", "torch-tb-profiler, gpuprof and fournex")
HALF = Threshold("peak of device memory", 0.50, "share", "alloc")

USED = ("allocated_bytes", "used_bytes")
HELD = ("reserved_bytes", "total_bytes")
_RETRIES = ("alloc_retries", "ooms", "num_alloc_retries", "num_ooms")
_DRIVER = ("device_alloc", "device_allocs", "num_device_alloc")
_CHURNERS = ("cudamalloc", "cudafree", "empty_cache", "free_all_blocks")


def _pool(scene: Scene) -> Iterator[Seen]:
    """Most of the pool is held and hardly any used: memory that was given back is kept."""
    used, held = counter(scene, USED), counter(scene, HELD)
    if used is None or held is None or not used.value or not held.value:
        return
    kept, mine = held.value[-1] - used.value[-1], used.value[-1] / max(held.value[-1], 1.0)
    if kept < KEPT.value or mine > UNUSED.value:
        return
    yield Seen(
        message=(
            f"The pool holds {units.size_bytes(held.value[-1])} of which "
            f"{units.size_bytes(used.value[-1])} is used: the rest is kept for reuse, not lost."
        ),
        evidence=("counter",),
        figures=(KEPT.figure(kept), UNUSED.figure(mine)),
        location=_freed(scene),
    )


def _freed(scene: Scene) -> Location | None:
    """Return the line that gave most memory back."""
    if scene.profiled is None:
        return None
    freed = [s for s in scene.profiled.sites if s.doing == "free"]
    return max(freed, key=lambda s: s.bytes or 0).location if freed else None


def _pieces(scene: Scene) -> Iterator[Seen]:
    """Tell of an allocation that failed, or was tried again, while much was held unused."""
    tries = counter(scene, _RETRIES)
    used, held = counter(scene, USED), counter(scene, HELD)
    if tries is None or not tries.value or max(tries.value) <= 0:
        return
    if used is None or held is None:
        return
    pairs = [
        (h, u) for h, u in zip(held.value, used.value, strict=False) if h > 0 and h >= KEPT.value
    ]
    if not pairs:
        return
    most, mine = max(pairs, key=lambda p: (p[0] - p[1]) / p[0])
    share, places = (most - mine) / most, _asked(scene)
    if share < IN_PIECES.value:
        return
    yield Seen(
        message=(
            f"An allocation failed or was tried again while {units.size_bytes(most)} was held and "
            f"{units.size_bytes(mine)} used: free memory lies in pieces."
        ),
        evidence=("counter",),
        figures=(IN_PIECES.figure(share), figure("tries and failures", max(tries.value), "count")),
        location=places[0] if places else None,
        also=places[1:],
    )


def _asked(scene: Scene) -> tuple[Location, ...]:
    """Return the lines at which an allocation failed, the outermost first; else the largest's."""
    if scene.profiled is None:
        return ()
    asked = [s for s in scene.profiled.sites if s.doing == "allocate"]
    failed = [s.location for s in asked if (s.name or "").endswith("MemoryError")]
    if failed:
        return tuple(sorted(failed, key=lambda place: -place.line))
    largest = max(asked, key=lambda s: max(s.sizes, default=s.bytes or 0), default=None)
    return () if largest is None else (largest.location,)


def _grows(window: Window) -> Iterator[Seen]:
    """Tell of a straight line upwards through what is used at the ends of steps."""
    ordered = sorted(window.scene.counters, key=lambda c: c.name.endswith("rss_bytes"))
    for found in ordered:
        if not found.name.endswith((*USED, "rss_bytes")) or window.profiled is None:
            continue
        values = found.value[int(WARM_SHARE * len(found.value)) :]
        if len(values) < FROM_POINTS:
            continue
        fit = line_through(values)
        if fit.slope < GROWTH.value or fit.r_squared < STRAIGHT.value:
            continue
        yield Seen(
            message=(
                f"{found.name} grows by {units.size_bytes(fit.slope)} a step over "
                f"{len(values)} steps."
            ),
            evidence=("counter",),
            figures=(GROWTH.figure(fit.slope), STRAIGHT.figure(fit.r_squared)),
            location=window.profiled.steps_at,
            # A process that gathers results grows as well.
            severity="info" if found.name.endswith("rss_bytes") else None,
        )
        return


def _churn(window: Window) -> Iterator[Seen]:
    """Tell of the driver's allocator in steady steps, by the calling lines or its counter."""
    calls = [
        s
        for s in window.doing("allocate", "free")
        if any(word in (s.name or "").lower() for word in _CHURNERS)
    ]
    lines = [n for n in by_line(calls) if repeated(window, n) and window.steps > 1]
    for line in lines:
        share = window.share(line.host_s)
        yield Seen(
            message=(
                f"Line {line.location.line} reaches the driver's allocator {line.calls} times in "
                f"{window.steps} steps: {units.share(share)} of the time."
            ),
            evidence=("trace",) if window.trace is not None else ("counter",),
            figures=(CHURN.figure(line.calls / window.steps), figure("of the time", share)),
            location=line.location,
            share=share,
            claims=share,
        )
    found = counter(window.scene, _DRIVER)
    if lines or found is None or window.profiled is None or len(found.value) < FROM_POINTS:
        return
    steady = found.value[len(found.value) // 2 :]
    each = (steady[-1] - steady[0]) / max(1, len(steady) - 1)
    if each > CHURN.value:
        yield Seen(
            message=f"{units.significant(each, 2)} allocations of the driver in a steady step.",
            evidence=("counter",),
            figures=(CHURN.figure(each),),
            location=window.profiled.steps_at,
        )


def counter(scene: Scene, ends: tuple[str, ...]) -> Counter | None:
    """Return the first counter whose name ends in one of these."""
    return next((c for c in scene.counters if c.name.endswith(ends)), None)


def peaks(scene: Scene) -> Iterator[tuple[str, float, str | None]]:
    """Yield GPU, peak of its memory as a share, and whose it is."""
    gpus = {f"gpu{i}": g.memory_bytes for i, g in enumerate(scene.record.machine.gpus)}
    readings = () if scene.record.sensing is None else scene.record.sensing.readings
    trained = (r for study in scene.record.studies for s in study.stretches for r in s.readings)
    for reading in (*readings, *trained):
        name, _, what = reading.sensor.partition(".")
        if what == "memory_bytes" and (whole := gpus.get(name)):
            yield name, reading.high / whole, None
    largest = gpus.get("gpu0")
    for case in scene.record.cases:
        used = None if case.memory is None else case.memory.device_used_bytes
        if used and largest:
            yield "gpu0", used / largest, f"{case.workload} on {case.entry}, size {case.size}"


def _full(scene: Scene) -> Iterator[Seen]:
    name, share, whose = max(peaks(scene), key=lambda p: p[1], default=("", 0.0, None))
    if share > FULL.value:
        said = "" if whose is None else f" ({whose})"
        yield Seen(
            message=f"Up to {units.share(share)} of {name}'s memory was in use{said}.",
            evidence=("counter",),
            figures=(FULL.figure(share),),
        )


def _half_empty(scene: Scene) -> Iterator[Seen]:
    """Room on the card, while throughput still grows with the batch."""
    growing = [
        a
        for a in scene.record.questions
        if a.question == "batch" and a.size is None and a.word == "not_reached"
    ]
    found = [share for _, share, _ in peaks(scene)]
    if not growing or not found or max(found) >= HALF.value:
        return
    yield Seen(
        message=(
            f"At most {units.share(max(found))} of the device's memory was in use, and "
            f"{growing[0].entry} still gains from a larger batch."
        ),
        evidence=("counter",),
        figures=(HALF.figure(max(found)),),
        subject=f"{growing[0].workload} on {growing[0].entry}",
    )


MEMORY = (
    RunRule(CATALOGUE["BE501"], "memory", _pool),
    RunRule(CATALOGUE["BE502"], "memory", _pieces),
    StepRule(CATALOGUE["BE503"], "memory", always, _grows),
    StepRule(CATALOGUE["BE504"], "memory", always, _churn, "stall"),
    RunRule(CATALOGUE["BE505"], "memory", _full),
    RunRule(CATALOGUE["BE506"], "memory", _half_empty),
)
