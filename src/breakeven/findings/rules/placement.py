"""Rules about where the work ran, and whether a measurement can be believed."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.rule import RunRule, Seen
from breakeven.findings.scene import Scene
from breakeven.findings.threshold import Threshold, figure
from breakeven.findings.trials import gain
from breakeven.model.estimate import Estimate
from breakeven.model.profiled import Profiled, Timing
from breakeven.model.verdict import Verdict

PENDING = Threshold("work pending at the clock, of the work that was started", 0.2)
PENDING_S = Threshold("work pending at the clock", 20e-6, "s")
FIRST = Threshold("first step over the median", 3.0, "ratio", "gpuprof")
FEW_CALLS = 3
LEAST_STEP_S = 1e-4
"""Steps that are shorter are turns of a small loop, whose first is always slow."""
INSIDE = Threshold("copies' share of the timed span", 0.10)
_INTEGERS = ("int", "uint")
_PRODUCT_WORDS = ("matmul", "dot", "@", "product")


def _unused(scene: Scene) -> Iterator[Seen]:
    """Tell of a GPU that did nothing; only where the script means to use one is that a fault."""
    seen = scene.profiled
    gpus = scene.record.machine.gpus
    if seen is None or not gpus or not _none_ran(seen):
        return
    if not {"torch", "cupy"} & set(seen.frameworks):
        return
    meant = "cupy" in seen.frameworks or any(scene.smells("wrong-device"))
    names = ", ".join(n for n in seen.frameworks if n != "numpy")
    yield Seen(
        message=f"{names} ran and {gpus[0].name} stood ready, but no kernel was seen on it.",
        evidence=("trace",) if seen.trace is not None and seen.trace.why is None else ("counter",),
        figures=(figure("kernels", 0.0, "count"),),
        severity=None if meant else "info",
    )


def _none_ran(seen: Profiled) -> bool:
    """Return whether it is known that nothing ran on a device."""
    if seen.kernels is not None:
        return seen.kernels == 0
    asked = {s.name: s.value for s in seen.settings}
    return asked.get("torch.cuda.is_initialized") == "False" and "cupy" not in seen.frameworks


def _pending(scene: Scene) -> Iterator[Seen]:
    """Work that had not ended when the script read its clock the second time."""
    for timing in scene.timings:
        pending, started = timing.pending_s, timing.device_s
        if pending is None or pending < PENDING_S.value:
            continue
        # Where the work is not known, a wait that is small beside what was read is our own.
        share = pending / max(timing.host_s if started is None else started, pending)
        if share < PENDING.value:
            continue
        read = timing.host_s
        said = f"The clock at line {timing.end.line} was read {units.seconds(pending)} before the"
        said += f" GPU had ended: {units.seconds(read)} instead of {units.seconds(read + pending)}"
        yield Seen(
            message=f"{said}.",
            evidence=("trace",),
            figures=(PENDING.figure(share), PENDING_S.figure(pending)),
            location=timing.end,
            also=(timing.begin,),
        )


def _cold(scene: Scene) -> Iterator[Seen]:
    """Tell of a first use inside a span that the script timed few times."""
    for timing in scene.timings:
        if not timing.first or timing.calls > FEW_CALLS or not _of_device(scene, timing):
            continue
        warm = _warm(scene)
        said = f"The span that ends at line {timing.end.line} holds the first use of a library or"
        said += f" kernel and was timed {_times(timing.calls)}"
        figures = [figure("calls of the span", timing.calls, "count")]
        if warm is not None:
            said += f"; warm, it is {units.ratio(warm.value)} as fast"
            figures.append(FIRST.figure(warm.value))
        yield Seen(
            message=f"{said}.",
            evidence=("trace",) if warm is None else ("trial",),
            figures=tuple(figures),
            location=timing.end,
            also=(timing.begin,),
            gain=warm,
        )


def _warm(scene: Scene) -> Estimate | None:
    """Return how many times faster the span was when it ran again."""
    trials = () if scene.profiled is None else scene.profiled.trials
    return gain(next((t for t in trials if t.name == "warm"), None))


def _of_device(scene: Scene, timing: Timing) -> bool:
    """Return whether a span starts work of a device; start-up of a CPU library is small."""
    used = scene.profiled is not None and bool(scene.profiled.kernels)
    return bool(timing.device_s) or (timing.device_s is None and used)


def _times(calls: int) -> str:
    return "once" if calls == 1 else f"{calls} times"


def _first_step(scene: Scene) -> Iterator[Seen]:
    """Tell the first step apart; no fault unless the script times it."""
    seen = scene.profiled
    if seen is None or len(seen.steps_s) < 5:
        return
    median = statistics.median(seen.steps_s[1:])
    if median < LEAST_STEP_S or seen.steps_s[0] / median < FIRST.value:
        return
    yield Seen(
        message=(
            f"The first step takes {units.seconds(seen.steps_s[0])}, later ones "
            f"{units.seconds(median)}: start-up."
        ),
        evidence=("counter",),
        figures=(FIRST.figure(seen.steps_s[0] / median),),
        location=seen.steps_at,
        severity="info",
    )


def _copies_inside(scene: Scene) -> Iterator[Seen]:
    """Tell of copies inside a span that the script timed."""
    seen = scene.profiled
    for timing in scene.timings:
        whole = timing.host_s * timing.calls
        if seen is None or whole <= 0 or timing.begin.path != timing.end.path:
            continue
        inside = [
            s
            for s in seen.sites
            if s.doing in {"to_device", "to_host"}
            and (s.bytes or 0) > 1024
            and s.location.path == timing.begin.path
            and timing.begin.line <= s.location.line <= timing.end.line
        ]
        spent = sum(max(s.host_s or 0.0, s.device_s or 0.0) for s in inside)
        share = min(1.0, spent / whole)
        if share >= INSIDE.value:
            yield Seen(
                message=f"Copies take {units.share(share)} of the time that the script reads.",
                evidence=("counter",),
                figures=(INSIDE.figure(share),),
                location=inside[0].location,
                also=(timing.begin, timing.end),
            )


def _once(scene: Scene) -> Iterator[Seen]:
    """Tell of a span that was timed once, outside any repeated step."""
    seen = scene.profiled
    for timing in scene.timings:
        if seen is None or timing.calls != 1 or timing.first or seen.steps_s:
            continue
        yield Seen(
            message=f"The span that ends at line {timing.end.line} was timed once.",
            evidence=("counter",),
            figures=(figure("calls of the span", 1, "count"),),
            location=timing.end,
            also=(timing.begin,),
        )


def _integers(scene: Scene) -> Iterator[Seen]:
    """Products of integers on the host: no BLAS does them."""
    seen = scene.profiled
    if seen is None or not (seen.kernels or len(seen.timings) > 1):
        # Nothing is compared: then no side is handicapped.
        return
    for site in seen.sites:
        named = any(w in (site.name or "").lower() for w in _PRODUCT_WORDS)
        if site.doing == "host_work" and named and (site.dtype or "").startswith(_INTEGERS):
            yield Seen(
                message=(
                    f"Line {site.location.line} multiplies {site.dtype} on the host, which no BLAS "
                    "does: not the same work as floats on the device."
                ),
                evidence=("counter",),
                location=site.location,
            )


def _few_cores(scene: Scene) -> Iterator[Seen]:
    """Comparisons that were withheld because the CPU side ran on fewer cores than it had."""
    held = [v for v in scene.record.verdicts if v.reason == "cores"]
    for workload in dict.fromkeys(v.workload for v in held):
        mine = [v for v in held if v.workload == workload]
        yield Seen(
            message=(
                f"{len(mine)} comparisons of {workload} are withheld: the CPU side ran on fewer "
                "cores than it had."
            ),
            evidence=("counter",),
            figures=(figure("comparisons withheld", len(mine), "count"),),
            subject=workload,
        )


def _too_small(scene: Scene) -> Iterator[Seen]:
    """No size at which a GPU is faster: the CPU is the right place."""
    for workload in dict.fromkeys(v.workload for v in scene.record.verdicts):
        mine = [
            v
            for v in scene.record.verdicts
            if v.workload == workload and v.base_kind == "best-cpu" and _gpu(scene, v)
        ]
        if not mine or any(v.word not in {"slower", "equivalent", "some_loss"} for v in mine):
            continue
        sizes = sorted({v.size for v in mine})
        best = max((v for v in mine if v.ratio is not None), key=_ratio, default=None)
        said = f"At no size up to {sizes[-1]} is the GPU faster than the best CPU setting"
        if best is not None and best.ratio is not None:
            said += f"; at best {units.ratio(best.ratio)}, {best.entry} at {best.size}"
        yield Seen(
            message=f"{said}.",
            evidence=("trial",),
            figures=(figure("largest size", sizes[-1], "count"),),
            subject=workload,
            severity="info",
        )


def _ratio(verdict: Verdict) -> float:
    return verdict.ratio or 0.0


def _gpu(scene: Scene, verdict: Verdict) -> bool:
    entry = next((e for e in scene.record.entries if e.id == verdict.entry), None)
    return entry is not None and entry.device.startswith("cuda") and entry.variant == "default"


PLACEMENT = (
    RunRule(CATALOGUE["BE106"], "never on the GPU", _unused),
    RunRule(CATALOGUE["BE101"], "wrong measurement", _pending),
    RunRule(CATALOGUE["BE102"], "wrong measurement", _cold),
    RunRule(CATALOGUE["BE102"], "wrong measurement", _first_step),
    RunRule(CATALOGUE["BE104"], "wrong measurement", _copies_inside),
    RunRule(CATALOGUE["BE105"], "wrong measurement", _once),
    RunRule(CATALOGUE["BE108"], "wrong measurement", _integers),
    RunRule(CATALOGUE["BE108"], "wrong measurement", _few_cores),
    RunRule(CATALOGUE["BE109"], "never on the GPU", _too_small),
)
