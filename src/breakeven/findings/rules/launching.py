"""Rules about launches, batches, shapes, and threads."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.gates import always, stalled
from breakeven.findings.rule import RunRule, Seen, StepRule
from breakeven.findings.scene import Scene, Window
from breakeven.findings.sites import by_line, repeated
from breakeven.findings.threshold import Threshold, figure
from breakeven.model.profiled import Site
from breakeven.model.questions import Answer

LAUNCH = Threshold("idle for launches, of a step", 0.20, "share", "gpu-idle")
KERNEL = Threshold("mean kernel", 25e-6, "s", "gpu-idle, tried on an A100")
DOUBLED = Threshold("step with twice the batch over the step", 1.2, "ratio")
CALLS = Threshold("calls of a routine at one line", 100, "count")
HALF_BUSY = Threshold("device time over host time of the calls", 0.5, "ratio")
TUNED = Threshold("steps of over 3 times the quickest quarter", 0.30, "share", "fournex")
TUNED_TIMES = 3.0
SIZES = Threshold("different sizes of what a line makes in steps", 4, "count")
THREADS = Threshold("threads that want to run over usable cores", 1.5, "ratio")
KNEE = Threshold("throughput at twice the batch", 1.5, "ratio")
_ROUTINES = ("solve", "inv", "cholesky", "svd", "eig", "qr", "lstsq", "det", "fft")
MINE = 0.8
"""Share of the cores that the script itself must use, so that the load is its own."""
_POOL = "processes: "
_TUNER = ("torch.backends.cudnn.benchmark", "cudnn.benchmark")


def _launches(window: Window) -> Iterator[Seen]:
    """Kernels shorter than their launches; twice the batch for the same time proves it."""
    if not window.gpu:
        return
    trial = window.trials.get("doubled_batch")
    twice = None
    if trial is not None and trial.plain_s is not None and trial.tried_s is not None:
        twice = trial.tried_s.value / trial.plain_s.value if trial.plain_s.value > 0 else None
    launch, kernel = _of_trace(window)
    by_trace = launch is not None and launch >= LAUNCH.value
    small = kernel is None or kernel <= KERNEL.value
    if not ((by_trace and small) or (twice is not None and twice < DOUBLED.value)):
        return
    figures = []
    said = []
    if launch is not None:
        said.append(f"the device waits for launches for {units.share(launch)} of the time")
        figures.append(LAUNCH.figure(launch))
    if kernel is not None:
        said.append(f"a kernel takes {units.seconds(kernel)} on average")
        figures.append(KERNEL.figure(kernel))
    if twice is not None:
        said.append(f"twice the batch takes {units.ratio(twice)} the time")
        figures.append(DOUBLED.figure(twice))
    text = "; ".join(said)
    yield Seen(
        message=f"{text[:1].upper()}{text[1:]}.",
        evidence=("trial",) if twice is not None and twice < DOUBLED.value else ("trace",),
        figures=tuple(figures),
        location=None if window.profiled is None else window.profiled.steps_at,
        share=launch,
        claims=launch or 0.0,
    )


def _of_trace(window: Window) -> tuple[float | None, float | None]:
    """Return the share of launches in the span, and the mean kernel in seconds."""
    trace = window.trace
    if trace is None or window.idle is None:
        return None, None
    kernel = None
    if trace.kernels and trace.kernel_share is not None:
        kernel = trace.kernel_share * trace.span_s / trace.kernels
    idle = 1.0 - (trace.busy_share or 0.0)
    launch = window.share(window.idle.launch_s)
    if idle > 0 and window.share(window.idle.loader_s) >= idle / 2:
        return None, kernel
    return launch, kernel


def _one_by_one(window: Window) -> Iterator[Seen]:
    """Tell of a routine called for each of many small problems, the device idle between."""
    for line in by_line(window.doing("launch")):
        routine = next((r for r in _ROUTINES if r in line.names), None)
        if routine is None or line.calls < CALLS.value or line.host_s <= 0:
            continue
        filled = line.device_s / line.host_s
        if filled >= HALF_BUSY.value:
            continue
        share = window.share(line.host_s - line.device_s)
        yield Seen(
            message=(
                f"Line {line.location.line} calls {routine} {units.whole(line.calls)} times; the "
                f"device works for {units.share(filled)} of that."
            ),
            evidence=("trace",) if window.trace is not None else ("counter",),
            figures=(CALLS.figure(line.calls), HALF_BUSY.figure(filled)),
            location=line.location,
            share=share,
            claims=share,
        )


def _many_launches(window: Window) -> Iterator[Seen]:
    """Without a trace: lines whose calls keep the host longer than the device."""
    if window.trace is not None or not window.gpu:
        return
    lines = [n for n in by_line(window.doing("launch")) if n.device_s and n.host_s]
    calls = sum(s.calls for n in lines for s in n.sites)
    host, device = sum(n.host_s for n in lines), sum(n.device_s for n in lines)
    if calls < CALLS.value or device >= HALF_BUSY.value * host:
        return
    share, mean = window.share(host - device), device / calls
    if share < LAUNCH.value or mean > KERNEL.value:
        return
    yield Seen(
        message=(
            f"{units.whole(calls)} calls keep the host for {units.seconds(host)} and the device "
            f"for {units.seconds(device)}: {units.seconds(mean)} of work each."
        ),
        evidence=("counter",),
        figures=(LAUNCH.figure(share), KERNEL.figure(mean)),
        location=max(lines, key=lambda n: n.host_s).location,
        share=share,
        claims=share,
    )


def _built(window: Window) -> Iterator[Seen]:
    """Kernels that are built in steps."""
    for line in by_line(s for s in window.doing("compile") if s.in_step):
        if window.steps < 2 or line.calls < 2 or not repeated(window, line):
            continue
        share = window.share(line.host_s)
        yield Seen(
            message=(
                f"Line {line.location.line} builds a kernel {line.calls} times in {window.steps} "
                f"steps: {units.share(share)} of the time."
            ),
            evidence=("counter",),
            figures=(figure("building, of a step", share),),
            location=line.location,
            share=share,
            claims=share,
        )


def _tuned(window: Window) -> Iterator[Seen]:
    """Tell of autotuning that is on while steps differ: by their times, or by their sizes."""
    switch, found = window.setting(*_TUNER), _slow_steps(window.steps_s[1:])
    if switch is None or window.profiled is None:
        return
    sizes = max((len(s.sizes) for s in _made_in_steps(window)), default=0)
    slow, lost = found or (0.0, 0.0)
    if slow >= TUNED.value:
        said = f"{units.share(slow)} of the steps take over {TUNED_TIMES:.0f} times as long as the"
        said += f" quickest: {units.share(lost)} of the time"
    elif sizes >= SIZES.value:
        said = f"arrays of {sizes} and more sizes are made in the steps, each tuned for anew"
    else:
        return
    busiest = max(by_line(window.doing("launch")), key=lambda n: n.device_s, default=None)
    yield Seen(
        message=f"{switch.name} is on and {said}.",
        evidence=("counter",),
        figures=(TUNED.figure(slow), SIZES.figure(sizes)),
        location=window.profiled.steps_at if busiest is None else busiest.location,
        share=lost or None,
    )


def _made_in_steps(window: Window) -> Iterator[Site]:
    made = window.doing("random", "allocate", "to_device")
    return (s for s in made if s.in_step and s.calls >= SIZES.value)


def _slow_steps(steps: tuple[float, ...]) -> tuple[float, float] | None:
    """Return the share of slow steps, and the share of time that they lose."""
    if len(steps) < 5:
        return None
    quick = statistics.quantiles(steps, n=4)[0]
    if quick <= 0:
        return None
    slow = [s for s in steps if s > TUNED_TIMES * quick]
    return len(slow) / len(steps), sum(s - quick for s in slow) / sum(steps)


def _threads(scene: Scene) -> Iterator[Seen]:
    """Tell of processes times threads beyond the cores, or of a load that says so."""
    seen, sensing = scene.profiled, scene.record.sensing
    if seen is None:
        return
    pool = next((s for s in seen.sites if (s.name or "").startswith(_POOL)), None)
    each = next((s.value for s in seen.settings if s.name == "torch.threads"), "")
    number = (pool.name or "").removeprefix(_POOL) if pool is not None else ""
    if pool is not None and each.isdigit() and number.isdigit():
        want = int(number) * int(each)
        if want >= THREADS.value * scene.cores:
            yield Seen(
                message=(
                    f"{number} processes of {each} threads each share {scene.cores} cores, as far "
                    "as the script's own process tells."
                ),
                evidence=("counter",),
                figures=(THREADS.figure(want / scene.cores),),
                location=pool.location,
            )
            return
    readings = () if sensing is None else sensing.readings
    load = next((r.high for r in readings if r.sensor == "host.load_1m"), 0.0)
    own = next((r.mean for r in readings if r.sensor == "tree.cpu_cores"), 0.0)
    if load >= THREADS.value * scene.cores and own >= MINE * scene.cores:
        yield Seen(
            message=f"Up to {load:.0f} threads wanted to run on {scene.cores} cores.",
            evidence=("counter",),
            figures=(THREADS.figure(load / scene.cores),),
            severity="info",
        )


def _knees(scene: Scene) -> Iterator[Seen]:
    for answer in _batches(scene, "not_reached"):
        growth, best = answer.figure("last_growth"), answer.figure("best_batch")
        if growth is None or growth.value is None or growth.value < KNEE.value or best is None:
            continue
        yield Seen(
            message=(
                f"{answer.entry} still gains {units.ratio(growth.value)} from the last step up, at "
                f"batch {best.value:.0f}."
            ),
            evidence=("trial",),
            figures=(KNEE.figure(growth.value),),
            subject=f"{answer.workload} on {answer.entry}",
        )


def _past(scene: Scene) -> Iterator[Seen]:
    for answer in _batches(scene, "reached"):
        knee, sizes = answer.figure("knee"), _sizes(scene, answer)
        if knee is None or knee.value is None or not sizes or sizes[-1] < 2 * knee.value:
            continue
        yield Seen(
            message=(
                f"{answer.entry} gains nothing from batch {knee.value:.0f} on; {sizes[-1]} was "
                "measured as well."
            ),
            evidence=("trial",),
            figures=(figure("knee", knee.value, "count"),),
            subject=f"{answer.workload} on {answer.entry}",
        )


def _batches(scene: Scene, word: str) -> Iterator[Answer]:
    devices = {e.id: e.device for e in scene.record.entries}
    for answer in scene.record.questions:
        on_gpu = devices.get(answer.entry or "", "cpu").startswith("cuda")
        if answer.question == "batch" and answer.size is None and answer.word == word and on_gpu:
            yield answer


def _sizes(scene: Scene, answer: Answer) -> list[int]:
    return sorted(
        s.size
        for s in scene.record.studies
        if (s.workload, s.entry) == (answer.workload, answer.entry)
    )


LAUNCHING = (
    StepRule(CATALOGUE["BE306"], "launching", stalled, _one_by_one, "stall"),
    StepRule(CATALOGUE["BE304"], "launching", stalled, _launches, "stall"),
    StepRule(CATALOGUE["BE304"], "launching", stalled, _many_launches, "stall"),
    StepRule(CATALOGUE["BE310"], "launching", always, _built, "stall"),
    StepRule(CATALOGUE["BE309"], "launching", always, _tuned),
    RunRule(CATALOGUE["BE307"], "launching", _knees),
    RunRule(CATALOGUE["BE308"], "launching", _past),
    RunRule(CATALOGUE["BE312"], "wrong measurement", _threads),
)
