"""RQ2: what the batch size does to throughput, memory and utilisation."""

from __future__ import annotations

import math

from breakeven.analysis.questions import quantities
from breakeven.analysis.questions.knee import Knee, knee, paired
from breakeven.analysis.questions.subjects import ByRound, Subjects, by_round, stretches
from breakeven.analysis.questions.utilisation import cpu_cores, gpu_share
from breakeven.model.questions import Answer, AnswerWord, Quantity
from breakeven.model.study import Study
from breakeven.stats.intervals import LOOKS, Mean

BY_STRETCH = "samples over seconds of steps without a pause"
BY_SLOTS = "batch size over the time of a step in its timed slots"
_ONE_SIZE = "one batch size shows no knee; more (--batch-sizes) would"
_ALL_PROCESSES = "peak of all processes of the run together, other entries' included"
_WORKER = "peak of the worker process over the whole case"
_BY_DRIVER = "peak that the driver counts for all processes together, other entries' included"
_ALLOCATOR = "peak of the framework's allocator"
_ONCE = "one figure for all rounds: the greatest"


def answers(subjects: Subjects, workload: str) -> list[Answer]:
    """Return throughput, memory and utilisation by size, and the knee of each entry."""
    found = []
    for entry in subjects.entries(workload):
        rates, method = throughputs(subjects, workload, entry)
        bend = knee(rates)
        found += [
            _at(subjects, subjects.study(workload, size, entry), rates.get(size, {}), method, bend)
            for size in subjects.sizes(workload, entry)
        ]
        found.append(_knee(workload, entry, rates, bend))
    return found


def throughputs(subjects: Subjects, workload: str, entry: str) -> tuple[dict[int, ByRound], str]:
    """Return samples a second by size and round, with how they were had.

    Steps without a pause are what a training does; they stand where they were run in as many
    rounds as a first verdict needs. Otherwise the timed slots do, one method for all sizes.
    """
    sizes = subjects.sizes(workload, entry)
    run = {
        s: by_round(subjects.study(workload, s, entry), lambda x: x.samples_per_s) for s in sizes
    }
    timed = {
        s: {r: s / step for r, step in subjects.step_s(workload, s, entry).items()} for s in sizes
    }
    enough = min(LOOKS[0], min(map(len, timed.values()), default=0))
    if all(len(found) >= max(1, enough) for found in run.values()):
        return run, BY_STRETCH
    return {s: found for s, found in timed.items() if found}, BY_SLOTS


def _at(subjects: Subjects, study: Study, rates: ByRound, method: str, bend: Knee | None) -> Answer:
    figures = [
        quantities.geometric("throughput", "1/s", rates, method=method)
        if rates
        else quantities.missing("throughput", "1/s", subjects.untimed(study))
    ]
    if bend is not None and study.size in bend.ratios:
        figures.append(_log_ratio("of_best", bend.ratios[study.size]))
    gpu = subjects.gpu(study.entry)
    if gpu is not None:
        figures += [_device_memory(subjects, study, gpu), *_allocator(subjects, study)]
        figures.append(gpu_share(subjects, study, gpu))
    figures += [_host_memory(subjects, study), cpu_cores(subjects, study)]
    return Answer(
        question="batch",
        workload=study.workload,
        entry=study.entry,
        size=study.size,
        figures=tuple(figures),
    )


def _knee(workload: str, entry: str, rates: dict[int, ByRound], bend: Knee | None) -> Answer:
    blank = Answer(question="batch", workload=workload, entry=entry)
    if bend is None:
        return Answer(question="batch", workload=workload, entry=entry, why=_ONE_SIZE)
    sizes = sorted(rates)
    n = min(r.n for r in bend.ratios.values())
    at = Quantity(
        name="knee",
        unit="batch",
        value=float(bend.size),
        low=None if bend.low is None else float(bend.low),
        high=None if bend.high is None else float(bend.high),
        n=n,
        why=quantities.ONE_ROUND if bend.low is None else None,
    )
    growth = paired(rates[sizes[-1]], rates[sizes[-2]])
    best = quantities.geometric("best_throughput", "1/s", rates[bend.best])
    last = Quantity(name="best_batch", unit="batch", value=float(bend.best), n=n)
    return Answer(
        question="batch",
        workload=blank.workload,
        entry=blank.entry,
        word=_word(bend),
        figures=(at, best, last, _log_ratio("last_growth", growth)),
        why=_open(bend, sizes[-1]),
    )


def _word(bend: Knee) -> AnswerWord:
    """Return whether the knee was reached; undecided where an interval lets it be either."""
    if not bend.reached and bend.low is not None and not bend.sure:
        return "undecided"
    return "reached" if bend.reached else "not_reached"


def _open(bend: Knee, largest: int) -> str | None:
    """Return what keeps a knee from being sure."""
    if not bend.reached and (bend.sure or bend.low is None):
        return f"throughput still grows at the largest batch, {largest}"
    if not bend.reached:
        return f"throughput may have stopped growing at batch {bend.low} already; more rounds tell"
    if bend.high == largest:
        return f"the interval reaches the largest batch, {largest}: throughput may still grow there"
    return None


def _log_ratio(name: str, found: Mean) -> Quantity:
    """Return a ratio from the mean of its logarithm."""
    return Quantity(
        name=name,
        unit="1",
        value=math.exp(found.value),
        low=None if found.low is None else math.exp(found.low),
        high=None if found.high is None else math.exp(found.high),
        n=found.n,
        why=quantities.ONE_ROUND if found.low is None else None,
    )


def _device_memory(subjects: Subjects, study: Study, gpu: str) -> Quantity:
    """Return what the whole run took on the GPU; the entry's own stands beside it."""
    sensor = f"{gpu}.memory_bytes"
    found = subjects.peak_reading(study, sensor)
    if found:
        return quantities.mean("device_memory", "bytes", found, method=_BY_DRIVER)
    return subjects.lacking("device_memory", "bytes", sensor, study)


def _allocator(subjects: Subjects, study: Study) -> list[Quantity]:
    case = subjects.case(study.workload, study.size, study.entry)
    peak = None if case is None or case.memory is None else case.memory.device_peak_bytes
    if peak is None:
        return []
    return [quantities.single("allocator_peak", "bytes", float(peak), method=_ALLOCATOR, why=_ONCE)]


def _host_memory(subjects: Subjects, study: Study) -> Quantity:
    """Return the worker's own peak; without it that of the whole run, which says so."""
    case = subjects.case(study.workload, study.size, study.entry)
    peak = None if case is None or case.memory is None else case.memory.host_peak_bytes
    if peak is not None:
        return quantities.single("host_memory", "bytes", float(peak), method=_WORKER, why=_ONCE)
    found = subjects.peak_reading(study, "tree.rss_bytes")
    if found and stretches(study):
        return quantities.mean("host_memory", "bytes", found, method=_ALL_PROCESSES)
    return subjects.lacking("host_memory", "bytes", "tree.rss_bytes", study)
