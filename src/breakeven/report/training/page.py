"""What a page shows of one training, put together from its answers."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven import units
from breakeven.model.questions import Question
from breakeven.report import names
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.training import figures, tables, traces
from breakeven.report.training.facts import facts
from breakeven.report.training.replies import replies
from breakeven.report.training.told import Told
from breakeven.report.training.view import (
    CurvePoint,
    EpochPoint,
    KneePoint,
    Line,
    StepBar,
    TrainingPage,
)
from breakeven.report.view import Table

_MEASURES: tuple[tuple[Question, str], ...] = (
    ("batch", "throughput"),
    ("batch", "device_memory"),
    ("batch", "host_memory"),
    ("utilisation", "gpu_utilisation"),
    ("utilisation", "cpu_share"),
)
_PHASES = ("loader", "to_device", "forward", "backward", "optimiser", "to_host")


def build(evidence: Evidence, workload: str) -> tuple[TrainingPage, tuple[Table, ...]] | None:
    """Return what is shown of a training, with its tables; None where there is nothing.

    Parameters
    ----------
    evidence : Evidence
        Of the record, whose answers were concluded when the run ended.
    """
    told = Told(evidence, workload)
    if not told:
        return None
    page = TrainingPage(
        replies=replies(told),
        facts=facts(told),
        lines=tuple(_lines(told)),
        curves=tuple(_curves(told)),
        knees=tuple(_knees(told)),
        bars=tuple(_bars(told)),
        epochs=tuple(_epochs(told)),
        told_size=told.size,
        whole=told.whole if told.trains else "",
    )
    return page, (*tables.all_of(told), *traces.all_of(told))


def _lines(told: Told) -> Iterator[Line]:
    """Yield what the screen shows: the best CPU entry of each batch, then every GPU entry."""
    sizes = sorted({s for e in told.entries for s in told.sizes(e)})
    for size in sizes:
        cpu = told.cpu(size)
        on_gpu = [e for e in told.entries if told.evidence.on_gpu(e) and size in told.sizes(e)]
        for entry in [*([cpu] if cpu is not None else []), *on_gpu]:
            yield _line(told, entry, size)


def _line(told: Told, entry: str, size: int) -> Line:
    time, batch = told.answer("time", entry, size), told.answer("batch", entry, size)
    power = told.answer("power", entry, size)
    ratio = None if time is None else time.figure("ratio")
    known = ratio is not None and ratio.value is not None
    on_gpu = told.evidence.on_gpu(entry)
    memory = "device_memory" if on_gpu else "host_memory"
    joules = "gpu_energy" if on_gpu else "cpu_energy"
    rate = None if batch is None else batch.figure("throughput")
    tail = told.figure("inference", entry, size, "p99")
    whole = None if time is None else time.figure("training")
    interval = ""
    if known and ratio is not None and ratio.low is not None and ratio.high is not None:
        interval = names.interval(ratio.low, ratio.high)
    return Line(
        size=size,
        entry=told.label(entry),
        rate=figures.short(rate).removesuffix("/s"),
        step=figures.short(None if time is None else time.figure("step")),
        whole=figures.short(whole if told.trains else tail),
        ratio=units.ratio(ratio.value) if ratio is not None and ratio.value is not None else "",
        interval=interval,
        word=_word(told, entry, size) if on_gpu else "",
        kernel=figures.short(told.figure("utilisation", entry, size, "gpu_utilisation"))
        if on_gpu
        else "",
        cores=figures.short(told.figure("utilisation", entry, size, "cpu_cores")),
        memory=figures.short(None if batch is None else batch.figure(memory)),
        energy=figures.short(None if power is None else power.figure(joules)),
    )


def _word(told: Told, entry: str, size: int) -> str:
    found = told.verdict(entry, size)
    if found is None:
        return NONE
    return "indicative" if told.evidence.quick else names.word(found.word)


def _shown(told: Told) -> list[str]:
    """Return the entries of pictures: every GPU entry, and the CPU entries that were ever best."""
    sizes = {s for e in told.entries for s in told.sizes(e)}
    best = {told.cpu(s) for s in sizes}
    return [e for e in told.entries if told.evidence.on_gpu(e) or e in best]


def _curves(told: Told) -> Iterator[CurvePoint]:
    for question, measure in _MEASURES:
        for entry in _shown(told):
            for size in told.sizes(entry):
                q = told.figure(question, entry, size, measure)
                if q is not None and q.value is not None:
                    yield CurvePoint(
                        measure=measure,
                        label=told.label(entry),
                        size=size,
                        value=q.value,
                        low=q.value if q.low is None else q.low,
                        high=q.value if q.high is None else q.high,
                        shown=figures.shown(q),
                    )


def _knees(told: Told) -> Iterator[KneePoint]:
    for entry in _shown(told):
        bend = told.answer("batch", entry, None)
        at = None if bend is None else bend.figure("knee")
        if bend is None or bend.word != "reached" or at is None or at.value is None:
            continue
        rate = told.figure("batch", entry, int(at.value), "throughput")
        if rate is not None and rate.value is not None:
            said = f"knee at {figures.short(at)}"
            yield KneePoint(label=told.label(entry), size=int(at.value), value=rate.value,
                            shown=said)  # fmt: skip


def _bars(told: Told) -> Iterator[StepBar]:
    for entry in reversed(told.sides(told.size)):
        whole = figures.short(told.figure("step", entry, told.size, "awaited_step"))
        for phase in _PHASES:
            q = told.figure("step", entry, told.size, phase)
            share = told.figure("step", entry, told.size, f"{phase}_share")
            if q is not None and share is not None and share.value:
                said = f"{figures.shown(q)}, {figures.short(share)} of the step"
                yield StepBar(label=told.label(entry), phase=phase, share=share.value, shown=said,
                              whole=whole)  # fmt: skip


def _epochs(told: Told) -> Iterator[EpochPoint]:
    for s in told.evidence.record.studies:
        if s.workload == told.workload and s.trainings and s.size == told.size:
            for e in s.trainings[0].epochs:
                yield EpochPoint(label=told.label(s.entry), size=s.size, epoch=e.epoch,
                                 correct=e.correct, total=e.total)  # fmt: skip
