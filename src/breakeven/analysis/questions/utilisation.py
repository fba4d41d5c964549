"""RQ1: how busy the GPU and the CPU are while either side works."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.analysis.questions import quantities
from breakeven.analysis.questions.subjects import Subjects, of_sensor
from breakeven.model.questions import Answer, Quantity
from breakeven.model.study import Study

BY_DRIVER = "share of the driver's windows in which at least one kernel ran"
BY_TRACE = "union of kernels and copies over the traced steps"
BY_KERNELS = "union of kernels over the traced steps"
BY_TREE = "CPU time of the process and its children over wall time"
BY_SLOTS = "CPU time of the worker over wall time of its timed slots"
ONE_TRACE = "one trace gives no interval"


def answers(subjects: Subjects, workload: str) -> list[Answer]:
    """Return how busy both sides were, an answer for each entry and batch size."""
    return [
        _answer(subjects, subjects.study(workload, size, entry))
        for entry in subjects.entries(workload)
        for size in subjects.sizes(workload, entry)
    ]


def _answer(subjects: Subjects, study: Study) -> Answer:
    figures = []
    if (gpu := subjects.gpu(study.entry)) is not None:
        figures += [gpu_share(subjects, study, gpu), *_traced(study)]
    cores = cpu_cores(subjects, study)
    usable = subjects.record.machine.cpu.cores_usable
    figures += [cores, _share(cores, usable)]
    figures.append(of_sensor(subjects, study, "cpu.busy_share", "cpu_busy", "share"))
    return Answer(
        question="utilisation",
        workload=study.workload,
        entry=study.entry,
        size=study.size,
        figures=tuple(figures),
        why=study.why,
    )


def gpu_share(subjects: Subjects, study: Study, gpu: str) -> Quantity:
    """Return the driver's utilisation: the share of time with a kernel, not how full it was."""
    sensor = f"{gpu}.utilisation_share"
    return of_sensor(subjects, study, sensor, "gpu_utilisation", "share", BY_DRIVER)


def cpu_cores(subjects: Subjects, study: Study) -> Quantity:
    """Return the cores that the process tree used; without the sensor, those of timed slots."""
    tree = of_sensor(subjects, study, "tree.cpu_cores", "cpu_cores", "cores", BY_TREE)
    if tree.value is not None:
        return tree
    times = subjects.times
    where = (study.workload, study.size, study.entry, "transfer")
    found = {}
    for r in times.rounds_of(study.workload, study.size, study.entry, "transfer"):
        slots = times.slots(*where, [r])  # type: ignore[arg-type]
        used = [s.conditions.cores_used for s in slots if s.voided is None]
        known = [u for u in used if u is not None]
        if known:
            found[r] = sum(known) / len(known)
    return quantities.mean("cpu_cores", "cores", found, method=BY_SLOTS) if found else tree


def _share(cores: Quantity, usable: int) -> Quantity:
    """Return the same as a share of the cores that may be used; exact, so the interval scales."""
    return replace(quantities.scaled(cores, 1 / usable, "cpu_share"), unit="share")


def _traced(study: Study) -> list[Quantity]:
    trace = study.trace
    kinds = (("gpu_busy", "busy_share", BY_TRACE), ("gpu_kernels", "kernel_share", BY_KERNELS))
    if trace is None or trace.why is not None or trace.faults:
        said = "no trace was taken" if trace is None else trace.why or "; ".join(trace.faults)
        return [quantities.missing(name, "share", said) for name, _, _ in kinds]
    return [
        quantities.single(name, "share", value, method=method, why=ONE_TRACE)
        for name, field, method in kinds
        if (value := getattr(trace, field)) is not None
    ]
