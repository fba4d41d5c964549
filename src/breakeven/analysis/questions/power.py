"""RQ3: how power and temperature move, what held clocks down, and energy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec.structs import replace

from breakeven.analysis.questions import quantities
from breakeven.analysis.questions.energy import figures as energy_figures
from breakeven.analysis.questions.subjects import ByRound, Subjects, of_sensor, stretches
from breakeven.analysis.times import WARM_SCOPES
from breakeven.model.held import reasons_of
from breakeven.model.questions import Answer, AnswerWord, Quantity, Unit
from breakeven.model.run import Slot
from breakeven.model.study import Study
from breakeven.model.timeline import Series

STEADY_C = 1.0
"""Degrees by which the last third of a stretch may differ from its middle one and be steady."""

_END = 0.1
_THIRDS = 3
_LEAST = 6
BY_SAMPLES = "share of the samples while steps ran"
BY_SLOTS = "share of timed slots after which the driver gave this reason"
_NOT_LOOKED = "the driver's reasons were not read"


def answers(subjects: Subjects, workload: str) -> list[Answer]:
    """Return power, temperature and energy by entry and batch size."""
    return [
        _answer(subjects, subjects.study(workload, size, entry))
        for entry in subjects.entries(workload)
        for size in subjects.sizes(workload, entry)
    ]


def _answer(subjects: Subjects, study: Study) -> Answer:
    gpu = subjects.gpu(study.entry)
    figures: list[Quantity] = []
    if gpu is not None:
        power = f"{gpu}.power_w"
        figures += _ends(subjects, study, power, "power", "W")
        figures.append(of_sensor(subjects, study, power, "power", "W"))
        figures += _of_limit(subjects, study, figures[-1])
        figures += _held(subjects, study, gpu)
    sensor = "cpu.temperature_c" if gpu is None else f"{gpu}.temperature_c"
    figures += _ends(subjects, study, sensor, "temperature", "C")
    drift = _drift(subjects, study, sensor)
    figures.append(drift)
    figures += energy_figures(subjects, study)
    return Answer(
        question="power",
        workload=study.workload,
        entry=study.entry,
        size=study.size,
        word=_word(drift),
        figures=tuple(figures),
        why=drift.why,
    )


def _ends(subjects: Subjects, study: Study, sensor: str, name: str, unit: Unit) -> list[Quantity]:
    """Return a sensor at the start and at the end of the steps: means of a tenth of the stretch."""
    found = []
    for end in ("start", "end"):
        values = _over_stretches(subjects, study, sensor, _tenth(end))
        found.append(
            quantities.mean(f"{name}_{end}", unit, values)
            if values
            else subjects.lacking(f"{name}_{end}", unit, sensor, study)
        )
    return found


def _drift(subjects: Subjects, study: Study, sensor: str) -> Quantity:
    """Return by how much the last third of a stretch is warmer than the middle one."""
    values = _over_stretches(subjects, study, sensor, _third)
    if not values:
        return subjects.lacking("temperature_drift", "C", sensor, study)
    return quantities.mean("temperature_drift", "C", values)


def _word(drift: Quantity) -> AnswerWord | None:
    if drift.value is None:
        return None
    if drift.low is None or drift.high is None:
        return "undecided"
    low, high = drift.low, drift.high
    if low >= -STEADY_C and high <= STEADY_C:
        return "steady"
    if low > 0 and drift.value > STEADY_C:
        return "rising"
    return "falling" if high < 0 and drift.value < -STEADY_C else "undecided"


def _tenth(end: Literal["start", "end"]) -> Callable[[Sequence[float]], float | None]:
    def mean(values: Sequence[float]) -> float | None:
        count = max(1, round(len(values) * _END))
        kept = values[:count] if end == "start" else values[-count:]
        return math.fsum(kept) / len(kept)

    return mean


def _third(values: Sequence[float]) -> float | None:
    if len(values) < _LEAST:
        return None
    third = len(values) // _THIRDS
    middle, last = values[third : 2 * third], values[2 * third :]
    return math.fsum(last) / len(last) - math.fsum(middle) / len(middle)


def _over_stretches(
    subjects: Subjects,
    study: Study,
    sensor: str,
    figure: Callable[[Sequence[float]], float | None],
) -> ByRound:
    series = next((s for s in subjects.record.timeline if s.sensor == sensor), None)
    if series is None:
        return {}
    found: dict[int, list[float]] = {}
    for stretch in stretches(study):
        values = _within(series, stretch.begin_s, stretch.end_s)
        value = figure(values) if values else None
        if value is not None:
            found.setdefault(stretch.round, []).append(value)
    return {r: math.fsum(v) / len(v) for r, v in found.items()}


def _within(series: Series, begin_s: float, end_s: float) -> list[float]:
    return [
        value
        for t, value in zip(series.t_s, series.value, strict=True)
        if begin_s <= t <= end_s and value is not None
    ]


def _of_limit(subjects: Subjects, study: Study, power: Quantity) -> list[Quantity]:
    """Return the mean power as a share of what the GPU may draw."""
    device = subjects.times.entries[study.entry].device
    index = int(device.partition(":")[2] or "0")
    limit = next((g.power_limit_w for g in subjects.record.machine.gpus if g.index == index), None)
    if limit is None or power.value is None:
        return []
    return [replace(quantities.scaled(power, 1 / limit, "power_of_limit"), unit="share")]


def _held(subjects: Subjects, study: Study, gpu: str) -> list[Quantity]:
    """Return how often each reason held the clocks down.

    Samples taken while steps ran tell it; without them the readings after each timed slot do, by
    when the GPU may be idle again.
    """
    read, method = _sampled(subjects, study, f"{gpu}.held_by"), BY_SAMPLES
    if not read:
        read, method = _after_slots(subjects, study), BY_SLOTS
    if not read:
        return [quantities.missing("held", "share", _NOT_LOOKED)]
    kinds = sorted({kind for found in read.values() for reasons in found for kind in reasons})
    by_kind: list[tuple[str, str | None]] = [("held", None), *((f"held_{k}", k) for k in kinds)]
    return [
        quantities.mean(
            name, "share", {r: _share(found, kind) for r, found in read.items()}, method=method
        )
        for name, kind in by_kind
    ]


_Reasons = dict[int, list[tuple[str, ...]]]


def _sampled(subjects: Subjects, study: Study, sensor: str) -> _Reasons:
    series = next((s for s in subjects.record.timeline if s.sensor == sensor), None)
    if series is None:
        return {}
    found: _Reasons = {}
    for stretch in stretches(study):
        masks = _within(series, stretch.begin_s, stretch.end_s)
        if masks:
            found.setdefault(stretch.round, []).extend(reasons_of(int(m)) for m in masks)
    return found


def _after_slots(subjects: Subjects, study: Study) -> _Reasons:
    where = (study.workload, study.size, study.entry)
    slots: dict[int, list[Slot]] = {}
    for scope in WARM_SCOPES:
        for r in subjects.times.rounds_of(*where, scope):
            slots.setdefault(r, []).extend(subjects.times.slots(*where, scope, [r]))
    read = {
        r: [s.conditions.gpu.reasons for s in found
            if s.conditions.gpu is not None and s.conditions.gpu.reasons is not None]
        for r, found in slots.items()
    }  # fmt: skip
    return {r: found for r, found in read.items() if found}


def _share(found: Sequence[tuple[str, ...]], kind: str | None) -> float:
    hit = sum(bool(reasons) if kind is None else kind in reasons for reasons in found)
    return hit / len(found)
