"""Where the time of a step goes, as facts with the most that a remedy could gain."""

from __future__ import annotations

from breakeven import units
from breakeven.model.questions import Answer
from breakeven.report import names
from breakeven.report.training import figures
from breakeven.report.training.told import Told

_PHASES = ("loader", "to_device", "forward", "backward", "optimiser", "to_host")
_SAID = {"to_device": "copy to the device", "to_host": "copy of the answers back"}
_MOST = {
    "loader": "Most of it waits for the loader",
    "launch": "Most of it goes to launching kernels: the device waits for the host",
    "copy": "Most of it goes to copies",
    "wait": "Most of it the host waits for the device",
    "compute": "Most of it is computing",
}
_NOTED = 0.05


def facts(told: Told) -> tuple[str, ...]:
    """Return what stands out of a step on both sides, at the batch size that is told of."""
    found = []
    for entry in told.sides(told.size):
        step = told.answer("step", entry, told.size)
        if step is not None:
            said = (_split(told, step), _idle(told, step), _copies(step), _compiling(told, step))
            found += [text for text in said if text]
    return tuple(found)


def _split(told: Told, step: Answer) -> str:
    """Return the shares of the phases, what most goes to, and the ceilings."""
    parts = [
        f"{_SAID.get(name, name)} {figures.shown(q)}"
        for name in _PHASES
        if (q := step.figure(f"{name}_share")) is not None
        and q.value is not None
        # Without a GPU a batch is handed over in no time: nothing is copied.
        and (q.value > _NOTED or (q.value > 0 and told.evidence.on_gpu(step.entry or "")))
    ]
    if not parts:
        return ""
    said = f"{told.label(step.entry or '')} at batch {step.size}, of a step: {names.joined(parts)}."
    if step.word is not None:
        said += f" {_MOST[step.word]}."
    gains = [
        f"without {what} it would be {figures.ratio(q)} as quick at most"
        for name, what in (("without_loader", "its loader"), ("without_copy", "its copy"))
        if (q := step.figure(name)) is not None and q.value is not None and q.value > 1 + _NOTED
    ]
    return said + (f" {'; '.join(gains)[0].upper()}{'; '.join(gains)[1:]}." if gains else "")


def _idle(told: Told, step: Answer) -> str:
    busy = told.figure("utilisation", step.entry, step.size, "gpu_busy")
    parts = [
        f"{figures.short(q)} {what}"
        for name, what in (
            ("idle_loader", "for the loader"),
            ("idle_launch", "for the next launch"),
            ("idle_synchronise", "while the host waited for it or for a copy"),
            ("idle_other", "for what none of these explains"),
        )
        if (q := step.figure(name)) is not None and q.value
    ]
    if busy is None or busy.value is None or not parts:
        return ""
    kernels = step.figure("kernels")
    count = "" if kernels is None else f", {figures.count(kernels)} kernels a step"
    return (
        f"In a trace of it the device was busy {figures.short(busy)}{count}; it was idle "
        f"{names.joined(parts)}."
    )


def _copies(step: Answer) -> str:
    copies = step.figure("copies_to_device")
    pageable = step.figure("copies_to_device_pageable")
    if copies is None or copies.value is None or copies.value < _NOTED:
        return ""
    of = "" if pageable is None or not pageable.value else (
        f", {figures.short(pageable)} of the step from pageable memory"
    )  # fmt: skip
    return f"Copies to the device take {figures.short(copies)} of the traced steps{of}."


def _compiling(told: Told, step: Answer) -> str:
    """Return what compiling took; empty where nothing was compiled."""
    key = (told.workload, step.size, step.entry)
    for study in told.evidence.record.studies:
        if (study.workload, study.size, study.entry) == key and study.compile_s is not None:
            return (
                f"Compiling took {units.seconds(study.compile_s)} with "
                f"{told.label(study.entry)}, which is part of no step."
            )
    return ""
