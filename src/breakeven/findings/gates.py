"""May a rule speak of some steps? A busy device silences those about stalls."""

from __future__ import annotations

from breakeven import units
from breakeven.findings.scene import Scene, Window
from breakeven.findings.threshold import Threshold

BUSY = Threshold("busy share of the device", 0.8, "share", "gpu-idle")
FEW_STEPS = Threshold("steps", 5, "count")
VOIDED = Threshold("voided slots", 0.25, "share", "the gate of verdicts")
_FAULTY = "the trace has impossible orders ({})"


def always(_window: Window) -> str | None:
    """Let a rule speak whatever was seen."""
    return None


def stalled(window: Window) -> str | None:
    """Let rules about stalls speak where the device was idle, or where nobody knows."""
    if window.busy is not None and window.busy >= BUSY.value:
        return busy_words(window.busy)
    return None


def without_kernels(window: Window) -> str | None:
    """Let rules about copies speak where kernels do not fill the time."""
    if window.kernels is not None and window.kernels >= BUSY.value:
        return busy_words(window.kernels)
    return None


def on_device(window: Window) -> str | None:
    """Let rules about the device's own time speak where a trace shows it."""
    if not window.gpu or window.trace is None:
        return "no trace shows what the device did"
    return None


def busy_words(share: float) -> str:
    """Return why a stall costs nothing."""
    return f"the device is busy for {units.share(share)} of the time"


def hindrances(scene: Scene) -> tuple[str, ...]:
    """Return what kept the rules from seeing enough, in words; empty where they saw enough."""
    found = [*_of_script(scene), *_of_traces(scene), *_of_rounds(scene)]
    if (share := voided_share(scene)) > VOIDED.value:
        found.append(f"the machine was busy: {units.share(share)} of the slots do not count")
    if scene.record.interrupted:
        found.append("the run was interrupted")
    return tuple(dict.fromkeys(found))


def voided_share(scene: Scene) -> float:
    """Return the share of measured slots that do not count for a busy machine."""
    slots = [
        slot
        for case in scene.record.cases
        for block in case.rounds
        if block.round > 0
        for slot in block.slots
    ]
    void = sum(s.voided in {"busy", "gpu_busy"} for s in slots)
    return void / len(slots) if slots else 0.0


def _of_rounds(scene: Scene) -> list[str]:
    """Return that nothing was measured, or that a function ran on no other library."""
    record, found = scene.record, []
    if record.cases and not any(b.round > 0 for c in record.cases for b in c.rounds):
        found.append("no round was measured, only sizes scouted")
    if record.ported and all(p.reach in {"failed", "preview"} for p in record.ported):
        found.append("the function ran on no other library")
    return found


def _of_script(scene: Scene) -> list[str]:
    seen = scene.profiled
    if seen is None:
        return []
    found = []
    if seen.exit_code not in {0, None}:
        found.append(f"the script ended with {seen.exit_code}")
    if seen.pass_why is not None:
        found.append(seen.pass_why)
    if seen.found_by is None:
        found.append("no repeated step was found")
    elif len(seen.steps_s) < FEW_STEPS.value:
        found.append(f"only {len(seen.steps_s)} steps were seen, {FEW_STEPS.value} are needed")
    return found


def _of_traces(scene: Scene) -> list[str]:
    traces = [study.trace for study in scene.record.studies]
    if scene.profiled is not None and {"torch", "cupy"} & set(scene.profiled.frameworks):
        # Of a script without a GPU's library there is nothing that a trace would see.
        traces.append(scene.profiled.trace)
    found = []
    for trace in traces:
        if trace is None:
            continue
        if trace.faults:
            found.append(_FAULTY.format("; ".join(trace.faults)))
        elif trace.why is not None:
            found.append(f"no trace: {trace.why}")
    return found
