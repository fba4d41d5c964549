"""Where the time of a step goes: its phases, the idle time of the device, the copies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeGuard

from breakeven.analysis.questions import quantities
from breakeven.analysis.questions.subjects import ByRound, Subjects
from breakeven.model.questions import Answer, AnswerWord, Quantity, Unit
from breakeven.model.study import StepPhases, Study
from breakeven.model.trace import TraceSummary

PHASES = ("loader", "to_device", "forward", "backward", "optimiser", "to_host")
APART = "the device awaited after each phase, in a pass of its own"
OF_TRACE = "of the traced steps"
_NO_REST = "awaited, it takes as long as a whole step without awaiting"
_ONE_TRACE = "one trace gives no interval"
_IDLE = ("loader", "launch", "synchronise", "other")


def answers(subjects: Subjects, workload: str) -> list[Answer]:
    """Return the split of a step by entry and size, where it was looked at."""
    found = []
    for entry in subjects.entries(workload):
        for size in subjects.sizes(workload, entry):
            study = subjects.study(workload, size, entry)
            if study.phases or study.trace is not None:
                found.append(_answer(study))
    return found


def _answer(study: Study) -> Answer:
    figures = [*_phases(study), *_traced(study.trace)]
    trace = study.trace
    return Answer(
        question="step",
        workload=study.workload,
        entry=study.entry,
        size=study.size,
        word=_largest(study),
        figures=tuple(figures),
        why=None if trace is None else trace.why or "; ".join(trace.faults) or None,
    )


def _largest(study: Study) -> AnswerWord | None:
    """Return what the largest part of a step goes to.

    A sound trace tells what the device itself did or waited for; without one the phases tell what
    the step went through, and its launches are a part of the computing.
    """
    trace = study.trace
    if _sound(trace) and trace.idle is not None and trace.kernel_share is not None:
        copies = math.fsum(
            c.seconds for c in trace.copies if c.direction in {"to_device", "to_host"}
        )
        parts: dict[AnswerWord, float] = {
            "compute": trace.kernel_share * trace.span_s,
            "copy": copies,
            "loader": trace.idle.loader_s,
            "launch": trace.idle.launch_s,
            "wait": trace.idle.synchronise_s,
        }
        return max(parts, key=lambda part: parts[part])
    kept = _kept(study)
    if not kept:
        return None
    loader, there, back = (
        math.fsum(_of(kept, name).values()) for name in ("loader", "to_device", "to_host")
    )
    copy = there + back
    rest = math.fsum(map(_sum, kept)) - loader - copy
    phases: dict[AnswerWord, float] = {"compute": rest, "loader": loader, "copy": copy}
    return max(phases, key=lambda part: phases[part])


def _sound(trace: TraceSummary | None) -> TypeGuard[TraceSummary]:
    return trace is not None and trace.why is None and not trace.faults and trace.span_s > 0


def _kept(study: Study) -> list[StepPhases]:
    """Return the phases that count: those of scouting only where there are no others."""
    return [p for p in study.phases if p.round > 0] or list(study.phases)


def _phases(study: Study) -> list[Quantity]:
    """Return each phase in seconds and as a share, what the awaiting cost, and two ceilings."""
    kept = _kept(study)
    if not kept:
        return []
    found = []
    for name in PHASES:
        seconds = _of(kept, name)
        if seconds:
            found.append(quantities.mean(f"{name}", "s", seconds, method=APART))
            shares = {p.round: seconds[p.round] / p.step_s for p in kept if p.round in seconds}
            found.append(quantities.mean(f"{name}_share", "share", shares, method=APART))
    found.append(quantities.geometric("awaited_step", "s", {p.round: p.step_s for p in kept}))
    found.append(quantities.geometric("plain_step", "s", {p.round: p.plain_step_s for p in kept}))
    sums = {p.round: _sum(p) / p.step_s for p in kept}
    found.append(quantities.mean("phases_of_step", "1", sums, method=APART))
    for name, phase in (("without_loader", "loader"), ("without_copy", "to_device")):
        if any(_of(kept, phase).values()):
            ceilings = _ceilings(kept, phase)
            found.append(
                quantities.missing(name, "1", _NO_REST)
                if ceilings is None
                else quantities.geometric(name, "1", ceilings)
            )
    return found


def _of(kept: list[StepPhases], name: str) -> ByRound:
    return {p.round: v for p in kept if (v := getattr(p, f"{name}_s")) is not None}


def _sum(p: StepPhases) -> float:
    return math.fsum(v for name in PHASES if (v := getattr(p, f"{name}_s")) is not None)


def _ceilings(kept: list[StepPhases], phase: str) -> ByRound | None:
    """Return by what factor a step would be quicker if a phase took no time: no gain is larger.

    It is reckoned on the step without awaiting. None where a phase, awaited, takes as long as that
    in some round: steps overlap then, and nothing says what would be left.
    """
    seconds = _of(kept, phase)
    mine = [(p, seconds[p.round]) for p in kept if p.round in seconds]
    if any(taken >= p.plain_step_s for p, taken in mine):
        return None
    return {p.round: p.plain_step_s / (p.plain_step_s - taken) for p, taken in mine}


def _traced(trace: TraceSummary | None) -> list[Quantity]:
    """Return the device's idle split, its copies and its kernels, of a trace that can be used."""
    if not _sound(trace):
        return []
    shares = [(name, seconds / trace.span_s) for name, seconds in _spans(trace)]
    found = [_once(name, "share", value, OF_TRACE) for name, value in shares]
    if trace.kernels and trace.steps:
        found.append(_once("kernels", "1", trace.kernels / trace.steps, OF_TRACE))
    for name in ("fp64_share", "tensor_core_share"):
        value = getattr(trace, name)
        if value is not None:
            found.append(_once(name, "share", value, "by names of kernels"))
    if trace.plain_step_s and trace.traced_step_s:
        cost = trace.traced_step_s / trace.plain_step_s
        found.append(_once("profiler_cost", "1", cost, "traced step over plain step"))
    return found


def _once(name: str, unit: Unit, value: float, method: str) -> Quantity:
    return quantities.single(name, unit, value, method=method, why=_ONE_TRACE)


def _spans(trace: TraceSummary) -> Iterator[tuple[str, float]]:
    """Yield names with seconds of the traced span."""
    if trace.idle is not None:
        for name in _IDLE:
            yield f"idle_{name}", getattr(trace.idle, f"{name}_s")
    for way in ("to_device", "to_host"):
        mine = [c for c in trace.copies if c.direction == way]
        if mine:
            yield f"copies_{way}", math.fsum(c.seconds for c in mine)
            pageable = math.fsum(c.seconds for c in mine if c.memory == "pageable")
            yield f"copies_{way}_pageable", pageable
