"""A worker's answers to what is asked about jobs beside timed slots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from breakeven.engine import job_messages as jm
from breakeven.engine import job_study as study
from breakeven.engine.references import FILE_NAME
from breakeven.errors import InputError, UnavailableError
from breakeven.model.trace import TraceSummary

PROBES = 2

if TYPE_CHECKING:
    from breakeven.engine.job_bench import JobBench
    from breakeven.engine.messages import Done


def answer(bench: JobBench, request: jm.JobRequest) -> jm.JobReply | Done:
    """Do what is asked; whatever a library raises is the worker's to tell."""
    wait, clock = bench.wait, bench.clock
    reply: jm.JobReply | Done
    match request:
        case jm.Examine():
            reply = _examine(bench, request)
        case jm.MakeLosses():
            reply = _make_losses(bench, request)
        case jm.TakePhases():
            reply = study.take_phases(bench.job, request, wait, clock)
        case jm.RunSteps():
            reply = study.run_steps(bench.job, request, wait, clock)
        case jm.TimeRequests():
            reply = study.time_requests(bench.job, request, wait, clock)
        case jm.TraceSteps():
            reply = _trace(bench, request)
        case jm.RunEpoch():
            if request.epoch == 0:
                bench.begin(request.workload, request.size, request.seed)
            reply = study.run_epoch(bench.job, request.epoch, clock, wait)
    return reply


def _examine(bench: JobBench, request: jm.Examine) -> jm.Examined:
    """Build the job at each size; a fault of the user's model or data is told with its remedy."""
    facts = {}
    try:
        for size in request.sizes:
            job = bench.begin(request.workload, size, request.seed)
            facts[size] = job.facts
            if size == request.sizes[0]:
                # A model that fails in its first step is found out now, not in the first round.
                job.step()
                bench.wait()
    except (InputError, UnavailableError) as error:
        return jm.Examined(why=error.what, fix=error.fix or None)
    except NotImplementedError as error:
        # A batch that is too large for the data is a case of its own, and no fault of the rest.
        if not facts:
            return jm.Examined(why=str(error))
    finally:
        bench.end_case()
    return jm.Examined(facts=facts)


def _make_losses(bench: JobBench, request: jm.MakeLosses) -> Done:
    from breakeven.engine.messages import Done  # noqa: PLC0415  that module imports this one's

    begin = bench.clock()
    losses = bench.reference(
        request.workload,
        request.size,
        request.seed,
        request.steps,
        lambda _done: bench.clock() - begin > request.seconds,
    )
    # How far rounding alone moves them: in float32, from weights that were moved by as little.
    job = bench.begin(request.workload, request.size, request.seed)
    probes = [job.first_losses(len(losses), probe=seed) for seed in range(1, PROBES + 1)]
    bench.end_case()
    known = {"losses": losses, "probes": probes}
    (Path(request.folder) / FILE_NAME).write_text(json.dumps(known))
    return Done()


def _trace(bench: JobBench, request: jm.TraceSteps) -> jm.StepsTraced:
    """Trace steps whose parts are marked; nothing is awaited between them."""
    job = bench.job
    if not bench.real:
        return jm.StepsTraced(summary=TraceSummary(why="its times are given: nothing is traced"))
    from breakeven.trace.passes import traced  # noqa: PLC0415  few workers trace

    summary = traced(
        lambda: job.phased_step(_go_on, bench.clock),
        bench.wait,
        request.steps,
        Path(request.folder),
        device=bench.device,
        name=request.name,
    )
    return jm.StepsTraced(summary=summary)


def _go_on() -> None:
    """Wait for nothing: the parts of a step follow each other as they do for users."""
