"""What a trace says, in one record: busy, idle and why, operators, copies, kinds of kernels."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from breakeven.errors import InputError
from breakeven.model.trace import Idle, Operator, TraceSummary
from breakeven.trace.chrome import Trace, Work, read
from breakeven.trace.classes import shares
from breakeven.trace.copies import copies
from breakeven.trace.idle import idle
from breakeven.trace.intervals import clipped, spans, total, union
from breakeven.trace.operators import asked_for, operators
from breakeven.trace.steps import Steps, find_steps
from breakeven.trace.validate import faults

NO_DEVICE_WORK = (
    "the profiler recorded no work of the device: CUPTI did not start; another profiler may hold "
    "it, or the driver may keep its counters from users (NVreg_RestrictProfilingToAdminUsers)"
)


def summarise(
    path: Path,
    *,
    memory: Path | None = None,
    on_device: bool | None = None,
    plain_step_s: float | None = None,
    traced_step_s: float | None = None,
) -> TraceSummary:
    """Return what a trace says; why it says nothing, where that is so.

    Shares and idle time are of what the device did between the begin of the first step and the
    end of the last, on the host's clock. Operators, copies and kernels are those that these steps
    asked for. Of several devices in one trace, shares and idle times are the mean.

    Parameters
    ----------
    path : Path
        A Chrome trace of ``torch.profiler``, ours or another's.
    memory : Path, optional
        A trace of as many steps with memory recorded; operators take their bytes from it.
    on_device : bool, optional
        Whether work of a device must be in it; None to take what is there.
    plain_step_s, traced_step_s : float, optional
        Seconds of a step without and with the profiler, as the caller clocked them.
    """
    plain = TraceSummary(plain_step_s=plain_step_s, traced_step_s=traced_step_s, file=path.name)
    try:
        trace = read(path)
        sizes = None if memory is None else read(memory)
    except InputError as error:
        return msgspec.structs.replace(plain, file=None, why=str(error))
    steps = find_steps(trace)
    found = msgspec.structs.replace(
        plain, steps=len(steps.steps), span_s=max(0.0, steps.end - steps.begin)
    )
    if wrong := faults(trace, steps):
        return msgspec.structs.replace(
            found, faults=wrong, why="the trace contradicts itself, so nothing is concluded from it"
        )
    if found.span_s <= 0:
        return msgspec.structs.replace(found, why="the trace holds nothing that took time")
    if on_device and not trace.work:
        return msgspec.structs.replace(found, why=NO_DEVICE_WORK)
    listed = operators(trace, steps)
    found = msgspec.structs.replace(
        found, operators=listed if sizes is None else _with_bytes(listed, sizes)
    )
    return _of_device(found, trace, steps) if trace.work else found


def _of_device(found: TraceSummary, trace: Trace, steps: Steps) -> TraceSummary:
    devices: dict[int, list[Work]] = defaultdict(list)
    for work in trace.work:
        devices[work.device].append(work)
    asked = asked_for(trace, steps)
    fp64, tensor = shares(asked)
    return msgspec.structs.replace(
        found,
        busy_share=statistics.mean(busy_share(w, steps) for w in devices.values()),
        kernel_share=statistics.mean(
            busy_share([w for w in ws if w.kind == "kernel"], steps) for ws in devices.values()
        ),
        fp64_share=fp64,
        tensor_core_share=tensor,
        copies=copies(asked),
        idle=_mean([idle(trace, steps, ws) for ws in devices.values()]),
        kernels=sum(w.kind == "kernel" for w in asked),
    )


def busy_share(work: Sequence[Work], steps: Steps) -> float:
    """Return the share of the steps in which at least one piece of the work ran."""
    covered = clipped(union(spans((w.begin, w.end) for w in work)), steps.begin, steps.end)
    return total(covered) / (steps.end - steps.begin)


def _mean(of: Sequence[Idle]) -> Idle:
    return Idle(
        loader_s=statistics.mean(i.loader_s for i in of),
        launch_s=statistics.mean(i.launch_s for i in of),
        synchronise_s=statistics.mean(i.synchronise_s for i in of),
        other_s=statistics.mean(i.other_s for i in of),
    )


def _with_bytes(listed: tuple[Operator, ...], sizes: Trace) -> tuple[Operator, ...]:
    """Return operators with the bytes of another trace of the same steps."""
    steps = find_steps(sizes)
    if faults(sizes, steps):
        return listed
    taken = {o.name: o.self_bytes for o in operators(sizes, steps)}
    return tuple(msgspec.structs.replace(o, self_bytes=taken.get(o.name)) for o in listed)
