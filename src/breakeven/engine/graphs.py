"""Calls captured as graphs, in a process that is thrown away afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from breakeven import units
from breakeven.backends.device_clock import DeviceClock
from breakeven.engine import messages
from breakeven.engine.clock import now
from breakeven.engine.context import Context
from breakeven.engine.device_times import Queue, Reading, issue_of, other_stream
from breakeven.engine.inputs import CannotMakeError
from breakeven.engine.loop import Call, Clock
from breakeven.engine.processes import WorkerProcess
from breakeven.errors import WorkerError
from breakeven.model.run import Entry, RunRecord
from breakeven.model.spec import WorkloadSpec

# Calls that take longer do not wait for their launches: a graph has nothing to save there.
LONG_CALL_S = 5e-3
NOT_OF_VARIANTS = "not captured: graphs are read of each library in the run's own precision"
NO_PROCESS = "not captured: no first call of this run ended well, or none was made"
DEADLINE_S, LEAST_DEADLINE_S = 60.0, 5.0


def replay_seconds(
    tools: DeviceClock,
    call: Call,
    wait: Call,
    clock: Clock,
    budget_s: float,
    *,
    fault: Callable[[Any], str | None] = lambda _answer: None,
) -> Reading:
    """Return the device's seconds of one replay of a captured call, behind a full queue.

    What cannot be captured is found out first, as far as that is possible without a capture: one
    that fails may leave the library unfit for any further work.

    Parameters
    ----------
    fault : callable
        Says what is wrong with the answer of a replay: a capture may have missed a part of the
        work, and is quick for that.
    """
    seen = other_stream(tools, call, wait, clock, budget_s)
    if seen is not None:
        return Reading(None, f"not captured: {seen}")
    queue = Queue(tools, wait, clock)
    before = queue.seconds(call, issue_of(call, wait, clock), 0.0)
    if before.why is not None:
        return Reading(None, f"not captured: {before.why}")
    replay = tools.capture(call)
    wait()
    replay()
    answer = replay()
    wait()
    if (wrong := fault(answer)) is not None:
        return Reading(None, f"not timed: {wrong}")
    return queue.seconds(replay, issue_of(replay, wait, clock), budget_s)


def capture_graphs(
    context: Context, worker: WorkerProcess, entry: Entry, spec: WorkloadSpec
) -> None:
    """Capture a workload at its sizes, ascending; keep the readings in `context.graphs`.

    Parameters
    ----------
    worker : WorkerProcess
        A process that nothing else will be asked of: it may not outlive a capture that fails.
    """
    begin, why = now(), None
    workload = context.workload(spec.name)
    last: tuple[int, float] | None = None
    for size in spec.sizes:
        if why is None and now() - begin > context.effort.graphs_s:
            why = "not captured: its share of the budget was spent at smaller sizes"
        if why is None and last is not None:
            # Before its inputs are made, which may take longer than all that is left.
            more = (
                workload.work(size, entry.dtype).flops / workload.work(last[0], entry.dtype).flops
            )
            why = _too_long(last[1] * more)
        key = (entry.id, spec.name, size)
        if why is not None:
            context.graphs[key] = Reading(None, why)
            continue
        context.tell(f"{spec.name} {size} as a graph on {entry.id}")
        reply = _ask(context, worker, entry, spec.name, size)
        if isinstance(reply, str):
            why = reply
            context.graphs[key] = Reading(None, why)
            continue
        context.graphs[key] = Reading(reply.seconds, reply.why)
        if reply.broken:
            why = f"not tried after size {size}: {reply.why}"
        else:
            last, why = (size, reply.call_s), _too_long(reply.call_s)


def why_no_graph(entry: Entry) -> str:
    """Return why nothing is known of an entry's calls as graphs."""
    return NOT_OF_VARIANTS if entry.variant == "precision" else NO_PROCESS


def known_graphs(record: RunRecord) -> dict[tuple[str, str, int], Reading]:
    """Return what an interrupted run has read of graphs, by entry, workload and size."""
    return {
        (c.entry, c.workload, c.size): Reading(c.device.graph_s, c.device.graph_why)
        for c in record.cases
        if c.device is not None and (c.device.graph_s or c.device.graph_why)
    }


def _too_long(call_s: float) -> str | None:
    """Return why calls of a length are not captured; None where they may be."""
    if call_s <= LONG_CALL_S:
        return None
    said = units.seconds(call_s)
    return f"not captured: calls of {said} and more do not wait for their launches"


def _ask(
    context: Context, worker: WorkerProcess, entry: Entry, workload: str, size: int
) -> messages.Captured | str:
    """Return the answer of the worker, or why there is none."""
    try:
        folder = context.inputs.folder_of(context.workload(workload), size)
        request = messages.CaptureGraph(
            workload=workload,
            size=size,
            folder=str(folder),
            precision=entry.precision,
            seconds=context.effort.detail_s,
        )
        reply = worker.ask(request, min(DEADLINE_S, max(LEAST_DEADLINE_S, context.left_s())))
    except (WorkerError, CannotMakeError) as error:
        return f"not captured: {error.what}"
    if isinstance(reply, messages.Captured):
        return reply
    said = reply.why if isinstance(reply, messages.Failed) else type(reply).__name__
    return f"not captured: {said}"
