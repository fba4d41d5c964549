"""Whom the questions are about: entries at batch sizes, with what was measured of each."""

from __future__ import annotations

import math
from collections.abc import Callable

from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.questions import quantities
from breakeven.model.questions import Quantity, Unit
from breakeven.model.run import Case
from breakeven.model.sensing import Absent
from breakeven.model.study import Reading, Stretch, Study
from breakeven.model.verdict import BEST_CPU, Verdict

TRAININGS = ("train", "infer")
ByRound = dict[int, float]
NO_STRETCH = "no steps were run under the sensors"


class Subjects:
    """The studies of a record, with its timed slots, sensors and verdicts at hand.

    Parameters
    ----------
    found : Comparisons
        Of the record.
    """

    def __init__(self, found: Comparisons) -> None:
        self.record = found.record
        self.times = found.times
        self.found = found
        self._studies = {(s.workload, s.size, s.entry): s for s in self.record.studies}
        self._verdicts = {
            (v.workload, v.size, v.entry): v
            for v in (c.verdict for c in found.all())
            if (v.scope, v.base_kind) == ("transfer", BEST_CPU)
        }

    def workloads(self) -> tuple[str, ...]:
        """Return the workloads that the questions are asked of."""
        studied = {s.workload for s in self.record.studies}
        return tuple(w for w in self.times.workloads() if w in studied or w in TRAININGS)

    def entries(self, workload: str) -> list[str]:
        """Return the entries that were studied, or measured in rounds; twins are left out."""
        return [
            e.id
            for e in self.record.entries
            if e.variant not in {"twin", "planted", "naive"} and self.sizes(workload, e.id)
        ]

    def sizes(self, workload: str, entry: str) -> list[int]:
        """Return the batch sizes at which an entry was studied or measured, ascending."""
        studied = {s for w, s, e in self._studies if (w, e) == (workload, entry)}
        timed = {s for s in self.times.sizes(workload) if self.step_s(workload, s, entry)}
        return sorted(studied | timed)

    def study(self, workload: str, size: int, entry: str) -> Study:
        """Return the study of an entry at a size; an empty one where there was none."""
        empty = Study(workload=workload, size=size, entry=entry, why="it was not studied")
        return self._studies.get((workload, size, entry), empty)

    def case(self, workload: str, size: int, entry: str) -> Case | None:
        """Return the timed case of an entry at a size; None where there is none."""
        return self.times.cases.get((workload, size, entry))

    def gpu(self, entry: str) -> str | None:
        """Return what the sensors call the GPU of an entry (``gpu0``); None on a CPU."""
        device = self.times.entries[entry].device
        return None if device == "cpu" else f"gpu{device.partition(':')[2] or '0'}"

    def step_s(self, workload: str, size: int, entry: str) -> ByRound:
        """Return seconds of a step as users wait for it (loader, copy, compute), by round."""
        return self.times.by_round(workload, size, entry, "transfer")

    def steps_per_epoch(self, study: Study) -> int | None:
        """Return the steps of an epoch: a fact of data and batch, the same for every entry."""
        known = (
            s.steps_per_epoch
            for s in (study, *self.record.studies)
            if (s.workload, s.size) == (study.workload, study.size)
        )
        return next((steps for steps in known if steps is not None), None)

    def untimed(self, study: Study) -> str:
        """Return why a step has no time: it failed, its slots were voided, or there are none."""
        case = self.case(study.workload, study.size, study.entry)
        if case is not None and case.status != "ok":
            return case.why or case.status
        where = (study.workload, study.size, study.entry)
        lost, _, reasons = self.times.lost_turns(*where, "transfer")
        if lost:
            return f"every timed slot was voided ({', '.join(sorted(reasons))})"
        return study.why or "no step was timed"

    def base(self, workload: str, size: int) -> str | None:
        """Return the best CPU entry at a size."""
        return self.found.plan.best_cpu(workload, size)

    def verdict(self, workload: str, size: int, entry: str) -> Verdict | None:
        """Return the verdict over the best CPU entry, the loader and the copies included."""
        return self._verdicts.get((workload, size, entry))

    def mean_reading(self, study: Study, sensor: str) -> ByRound:
        """Return the mean of a sensor while steps ran, by round; time weighs its stretches."""
        return _by_round(study, sensor, _weighted)

    def peak_reading(self, study: Study, sensor: str) -> ByRound:
        """Return the greatest reading of a sensor while steps ran, by round."""
        return _by_round(study, sensor, lambda found: max(r.high for _, r in found))

    def lacking(self, name: str, unit: Unit, sensor: str, study: Study) -> Quantity:
        """Return the quantity that a sensor did not give, with what the system said."""
        absent = self.absent(sensor)
        if absent is not None:
            return quantities.missing(name, unit, absent.why, absent.fix)
        if not study.stretches:
            return quantities.missing(name, unit, study.why or NO_STRETCH)
        return quantities.missing(name, unit, f"{sensor} was not read while steps ran")

    def absent(self, sensor: str) -> Absent | None:
        """Return what the sensors said of one that they could not read, itself or its family."""
        known = () if self.record.sensing is None else self.record.sensing.absent
        names = [sensor, sensor.partition(".")[0], sensor.partition(".")[0].rstrip("0123456789")]
        return next((a for name in names for a in known if a.sensor == name), None)


def of_sensor(
    subjects: Subjects, study: Study, sensor: str, name: str, unit: Unit, method: str | None = None
) -> Quantity:
    """Return the mean of a sensor over rounds, or why there is none."""
    found = subjects.mean_reading(study, sensor)
    if not found:
        return subjects.lacking(name, unit, sensor, study)
    return quantities.mean(name, unit, found, method=method)


def stretches(study: Study) -> list[Stretch]:
    """Return the stretches that count: those of scouting only where there are no others."""
    later = [s for s in study.stretches if s.round > 0]
    return later or list(study.stretches)


def by_round(study: Study, value: Callable[[Stretch], float | None]) -> ByRound:
    """Return the mean of a figure of stretches by round; those without it are left out."""
    found: dict[int, list[float]] = {}
    for stretch in stretches(study):
        figure = value(stretch)
        if figure is not None:
            found.setdefault(stretch.round, []).append(figure)
    return {r: math.fsum(values) / len(values) for r, values in found.items()}


_Read = list[tuple[Stretch, Reading]]


def _by_round(study: Study, sensor: str, merged: Callable[[_Read], float]) -> ByRound:
    found: dict[int, _Read] = {}
    for stretch in stretches(study):
        for reading in stretch.readings:
            if reading.sensor == sensor and reading.samples > 0:
                found.setdefault(stretch.round, []).append((stretch, reading))
    return {r: merged(read) for r, read in found.items()}


def _weighted(found: _Read) -> float:
    weights = [stretch.end_s - stretch.begin_s for stretch, _ in found]
    return math.fsum(w * r.mean for w, (_, r) in zip(weights, found, strict=True)) / math.fsum(
        weights
    )
