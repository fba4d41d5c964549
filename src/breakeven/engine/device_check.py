"""Our device clock beside a trace: one case in one process, read by both."""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

from breakeven.engine import messages
from breakeven.engine.context import OPEN_DEADLINE_S
from breakeven.engine.inputs import Inputs, scratch_folder
from breakeven.engine.processes import Crew, WorkerProcess, crew
from breakeven.errors import WorkerError
from breakeven.model.run import Entry
from breakeven.model.selftest import DeviceReading
from breakeven.workloads import registry

WORKLOAD = "matmul"
SIZES = (512, 2048)
CALLS, WARM_S, DETAIL_S = 50, 0.3, 0.1
# The clock, the trace, the clock: a GPU that warms up on the way moves both by half each.
READINGS = 2
DEADLINE_S = 120.0
Progress = Callable[[str, float], None]


def read_device_clocks(
    entries: Sequence[Entry], seed: int, progress: Progress, sizes: Sequence[int] = SIZES
) -> tuple[DeviceReading, ...]:
    """Return each GPU backend's device clock beside the kernels of a trace, size by size.

    Parameters
    ----------
    entries : sequence of Entry
        Those that are not on a GPU are passed over; of several of one backend the first is taken.
    """
    chosen: dict[str, Entry] = {}
    for entry in entries:
        if entry.device != "cpu":
            chosen.setdefault(entry.backend, entry)
    found: list[DeviceReading] = []
    scratch = scratch_folder()
    try:
        with crew() as made:
            for entry in chosen.values():
                progress(f"device clock: {entry.backend} beside a trace", 0.0)
                inputs = Inputs(made, scratch, entry.dtype, seed)
                found.extend(_backend(made, inputs, scratch, entry, sizes))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return tuple(found)


def _backend(
    made: Crew, inputs: Inputs, scratch: Path, entry: Entry, sizes: Sequence[int]
) -> list[DeviceReading]:
    found: list[DeviceReading] = []
    config = messages.WorkerConfig(backend=entry.backend, parent=os.getpid())
    worker: WorkerProcess | None = None
    why = ""
    try:
        log = scratch / f"device-{len(made.workers)}.log"
        worker = made.start(config, threads=None, freezable=False, log=log)
        opened = worker.receive(OPEN_DEADLINE_S)
        why = opened.why if isinstance(opened, messages.Failed) else ""
        for size in () if why else sizes:
            folder = str(inputs.folder_of(registry.get(WORKLOAD), size))
            found.append(read_one(worker.ask, entry, size, folder))
    except WorkerError as error:
        why = str(error)
    finally:
        if worker is not None:
            made.end(worker)
    missing = [s for s in sizes if s not in {f.size for f in found}]
    return [*found, *(_nothing(entry, size, why) for size in missing)]


Ask = Callable[[messages.Request, float], messages.Reply]


def read_one(ask: Ask, entry: Entry, size: int, folder: str) -> DeviceReading:
    """Read one case by our clock, then by a trace, then by our clock again; return the medians.

    Parameters
    ----------
    ask : callable
        Asks the worker.
    """
    request = messages.SetUp(
        workload=WORKLOAD,
        size=size,
        folder=folder,
        warm_s=WARM_S,
        precision=entry.precision,
        detail_s=DETAIL_S,
    )
    ours: list[float] = []
    traced = messages.Traced()
    for reading in range(READINGS):
        ready = ask(request, DEADLINE_S)
        if isinstance(ready, messages.Failed):
            return _nothing(entry, size, ready.why)
        assert isinstance(ready, messages.Ready)
        seconds, why = queued(ready)
        if seconds is None:
            return _nothing(entry, size, why)
        ours.append(seconds)
        if reading == 0:
            reply = ask(messages.Trace(calls=CALLS), DEADLINE_S)
            if isinstance(reply, messages.Failed):
                return _nothing(entry, size, reply.why)
            assert isinstance(reply, messages.Traced)
            traced = reply
    return DeviceReading(
        backend=entry.backend,
        workload=WORKLOAD,
        size=size,
        ours_s=statistics.fmean(ours),
        traced_s=traced.seconds,
        kernels=traced.kernels,
        why=traced.why,
    )


def queued(ready: messages.Ready) -> tuple[float | None, str]:
    """Return the device's own time of one call, behind a full queue; why there is none.

    The time between two events around one call is no such figure: launch is in it.
    """
    times = ready.device
    if times is None:
        return None, "this backend has no clock behind a full queue"
    return times.queued_s, times.queued_why or "no reason was given"


def _nothing(entry: Entry, size: int, why: str) -> DeviceReading:
    return DeviceReading(backend=entry.backend, workload=WORKLOAD, size=size, why=why)
