"""The answers as tables: one function a table, one row an entry at a batch size."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven import units
from breakeven.model.questions import Answer, Question
from breakeven.report import cells, names
from breakeven.report.evidence import NONE
from breakeven.report.training import figures, several
from breakeven.report.training.told import Told
from breakeven.report.training.trim import merged, trimmed
from breakeven.report.view import Table

_BEFORE = ("batch", "entry")
_PHASES = ("loader", "to_device", "forward", "backward", "optimiser", "to_host")


def all_of(told: Told) -> tuple[Table, ...]:
    """Return the tables that have rows, in reading order."""
    found = (
        time(told), load(told), power(told), energy(told), phases(told), idle(told),
        accuracy(told), latency(told), several.table(told),
    )  # fmt: skip
    slim = (trimmed(t) for t in found if t.rows)
    return tuple(t for t in slim if t.rows)


def _rows(told: Told, question: Question) -> Iterator[tuple[tuple[str, str], Answer]]:
    """Yield batch and entry with their answer, batches ascending; pairs are left out."""
    order = {e: i for i, e in enumerate(told.entries)}
    found = [
        a for a in told.all(question)
        if a.size is not None and a.entry is not None and (question == "time" or a.base is None)
    ]  # fmt: skip
    for a in sorted(found, key=lambda a: (a.size or 0, order.get(a.entry or "", len(order)))):
        yield (str(a.size), a.entry or ""), a


def time(told: Told) -> Table:
    """Return the time of a step, an epoch and the training, with throughput and the ratio."""
    training = ("epoch", told.whole) if told.trains else ()
    columns = (*_BEFORE, "step", f"{told.things}/s", "of the best", *training,
               "over the best CPU [95 %]", "rounds")  # fmt: skip
    body = []
    for where, a in _rows(told, "time"):
        batch = told.answer("batch", a.entry, a.size)
        rate, best = (None, None) if batch is None else (
            batch.figure("throughput"), batch.figure("of_best"))  # fmt: skip
        whole = [figures.shown(a.figure(n)) for n in ("epoch", "training")] if training else []
        step, ratio = a.figure("step"), a.figure("ratio")
        body.append((*where, figures.shown(step), figures.shown(rate).replace("/s", ""),
                     figures.short(best), *whole, figures.ratio(ratio),
                     str(step.n) if step is not None else NONE))  # fmt: skip
    caption = (
        "A step as users wait for it: loader, copy, compute. Epoch and training are steps times "
        "their number, so their interval is that of the step. Of the best: throughput over the "
        "best one of the entry. Intervals over rounds, 95 %."
    )
    if not told.trains:
        caption = (
            "A step as users wait for it: loader, copy, compute. Of the best: throughput over the "
            "best one of the entry. Intervals over rounds, 95 %."
        )
    return cells.table("Time by batch size", caption, columns, body, text=(1,))


def load(told: Told) -> Table:
    """Return how busy and how full both sides were."""
    columns = (*_BEFORE, "time with a kernel", "device busy (trace)", "kernels (trace)",
               "CPU cores", "whole CPU busy", "device memory", "allocator's peak",
               "host memory")  # fmt: skip
    body = []
    for where, a in _rows(told, "utilisation"):
        batch = told.answer("batch", a.entry, a.size)
        kinds = ("gpu_utilisation", "gpu_busy", "gpu_kernels", "cpu_cores", "cpu_busy")
        shares = [figures.shown(a.figure(n)) for n in kinds]
        memory = [figures.shown(None if batch is None else batch.figure(n)) for n in
                  ("device_memory", "allocator_peak", "host_memory")]  # fmt: skip
        body.append((*where, *shares, *memory))
    caption = (
        "Time with a kernel: share of the driver's windows in which at least one kernel ran, which "
        "says nothing about how full the GPU was. CPU cores: of the process and its children. "
        "Device memory is the peak that the driver counts for all processes of the run together, "
        "the allocator's that of the entry's own, the host's likewise where known; - was not "
        "read, or does not apply."
    )
    return cells.table("Load by batch size", caption, columns, body, text=(1,))


def power(told: Told) -> Table:
    """Return power, temperature and what held the clocks down."""
    columns = (*_BEFORE, "power", "of the limit", "at the start", "at the end", "temperature",
               "at its end", "drift", "it is", "clocks held", "remark")  # fmt: skip
    names_ = ("power", "power_of_limit", "power_start", "power_end", "temperature_start",
              "temperature_end", "temperature_drift")  # fmt: skip
    body = []
    for where, a in _rows(told, "power"):
        shown = [figures.shown(a.figure(n)) for n in names_]
        absent = dict.fromkeys(
            figures.why(f) for n in ("power", "temperature_start")
            if (f := a.figure(n)) is not None and f.value is None
        )  # fmt: skip
        body.append((*where, *shown, names.word(a.word or NONE), _held(a), "; ".join(absent)))
    caption = (
        "Start and end: means of the first and the last tenth of each stretch of steps. Drift: "
        "last third less middle third; steady within 1 degree, interval included. Clocks held: "
        "share of the samples while steps ran, or of the readings after timed slots."
    )
    return cells.table("Power and temperature", caption, columns, merged(body), text=(1, 9, 10, 11))


def _held(a: Answer) -> str:
    kinds = [f for f in a.figures if f.name.startswith("held_")]
    if not kinds:
        return figures.short(a.figure("held"))
    return ", ".join(
        f"{names.word(f.name.removeprefix('held_'))} {figures.short(f)}" for f in kinds
    )


def energy(told: Told) -> Table:
    """Return joules a step and a thousand samples, of each device that was measured."""
    columns = (*_BEFORE, "device", "a step", f"1000 {told.things}", "net of idle", "meter good to",
               "integrated / counter", "by", "remark")  # fmt: skip
    body = []
    for where, a in _rows(told, "power"):
        for kind, device in (("gpu", "GPU"), ("cpu", "CPU")):
            gross = a.figure(f"{kind}_energy")
            if gross is None:
                continue
            shown = [figures.shown(a.figure(f"{kind}_energy{n}")) for n in
                     ("_step", "", "_net", "_unsure", "_beside")]  # fmt: skip
            net = a.figure(f"{kind}_energy_net")
            body.append((*where, device, *shown, gross.method or NONE,
                         figures.why(gross) or figures.why(net)))  # fmt: skip
    caption = (
        "Gross is what the meter saw over whole stretches of steps; net leaves out what the idle "
        "device drew before. Meter good to: what its steps leave open at both ends."
    )
    return cells.table("Energy", caption, columns, merged(body), text=(1, 2, 8, 9))


def phases(told: Told) -> Table:
    """Return the phases of a step, and by what factor it could be quicker without some."""
    columns = (*_BEFORE, "loader", "to device", "forward", "backward", "optimiser", "to host",
               "sum of step",
               "unawaited > awaited", "without loader", "without copy", "most goes to")  # fmt: skip
    body = []
    for where, a in _rows(told, "step"):
        if a.figure("loader") is None:
            continue
        parts = [figures.short(a.figure(n)) for n in _PHASES]
        whole, plain = a.figure("awaited_step"), a.figure("plain_step")
        cost = NONE
        if whole is not None and plain is not None and whole.value and plain.value:
            cost = f"{figures.short(plain)} > {figures.short(whole)}"
        body.append((*where, *parts, _share(a, "phases_of_step"), cost,
                     figures.ratio(a.figure("without_loader")),
                     figures.ratio(a.figure("without_copy")), a.word or NONE))  # fmt: skip
    caption = (
        "Means over rounds, in a pass of its own, the device awaited after each phase; the step "
        "without awaiting stands beside the one with. Without loader, without copy: by what factor "
        "a step would be quicker if that phase took no time. No remedy gains more."
    )
    return cells.table("Phases of a step", caption, columns, body, text=(1, 12))


def _share(a: Answer, name: str) -> str:
    found = a.figure(name)
    return NONE if found is None or found.value is None else units.share(found.value)


def idle(told: Told) -> Table:
    """Return why the device had nothing to do, and what of a step went to copies."""
    columns = (*_BEFORE, "busy", "idle: loader", "launch", "synchronise", "other",
               "copies in", "of it pageable", "copies out", "kernels a step", "FP64",
               "tensor cores", "profiler")  # fmt: skip
    names_ = ("idle_loader", "idle_launch", "idle_synchronise", "idle_other", "copies_to_device",
              "copies_to_device_pageable", "copies_to_host", "kernels", "fp64_share",
              "tensor_core_share")  # fmt: skip
    body = []
    for where, a in _rows(told, "step"):
        if a.figure("idle_loader") is None:
            continue
        busy = told.figure("utilisation", a.entry, a.size, "gpu_busy")
        body.append((*where, figures.short(busy), *(_part(a, n) for n in names_),
                     figures.ratio(a.figure("profiler_cost"))))  # fmt: skip
    caption = (
        "Shares of the traced steps, in a pass apart from all timed ones: time in which kernels or "
        "copies ran, and why none did. FP64 and tensor cores: share of the kernels' time, by their "
        "names. Profiler: traced step over plain step."
    )
    return cells.table("Why the device was idle", caption, columns, body, text=(1,))


def _part(a: Answer, name: str) -> str:
    found = a.figure(name)
    return figures.count(found) if name == "kernels" else figures.short(found)


def accuracy(told: Told) -> Table:
    """Return the share of right answers after the last epoch, by entry."""
    columns = (*_BEFORE, "epochs", "accuracy [95 %]", "images", "an epoch", "all epochs",
               "beside", "parity")  # fmt: skip
    body = []
    for where, a in _rows(told, "accuracy"):
        q = a.figure("accuracy")
        time_ = told.answer("time", a.entry, a.size)
        run = [figures.short(None if time_ is None else time_.figure(n)) for n in
               ("epoch_run", "training_run")]  # fmt: skip
        pairs = (p for p in told.all("accuracy") if p.base is not None)
        pair = next((p for p in pairs if (p.entry, p.size) == (a.entry, a.size)), None)
        body.append((*where, figures.count(a.figure("epochs")), figures.accuracy(q),
                     units.whole(q.n) if q else NONE, *run,
                     pair.base or NONE if pair else NONE,
                     pair.word or NONE if pair else NONE))  # fmt: skip
    caption = (
        "Test images answered right after the last epoch of one training a side (n = 1), with "
        "Wilson's interval: it is of the images, not of what another seed would give; parity is of "
        "these two trainings."
    )
    return cells.table("Accuracy", caption, columns, body, text=(1, 7, 8))


def latency(told: Told) -> Table:
    """Return the percentiles of single requests."""
    columns = (*_BEFORE, f"{told.things}/s", "p50", "p95", "p99", "requests a round", "remark")
    body = []
    for where, a in _rows(told, "inference"):
        shown = [figures.shown(a.figure(n)) for n in ("throughput", "p50", "p95", "p99")]
        shown[0] = shown[0].replace("/s", "")
        body.append((*where, *shown, figures.count(a.figure("requests")),
                     figures.why(a.figure("p99"))))  # fmt: skip
    caption = (
        "Each request awaited; percentiles are taken in each process and averaged over rounds, "
        "with 95 % intervals."
    )
    return cells.table("Latency", caption, columns, body, text=(1, 7))
