"""What a worker does with a job beside its timed slots: phases, stretches, requests, epochs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from breakeven.engine import job_messages as jm
from breakeven.engine.loop import Clock, no_collection
from breakeven.model.study import Epoch, Latency, StepPhases
from breakeven.stats.percentiles import percentile

if TYPE_CHECKING:
    from breakeven.workloads.training.base import Job, Phases, Wait

# A mean of fewer steps says little of a phase; a slow step is worth no more than these.
LEAST_STEPS, MOST_STEPS = 3, 500
# Between looks at the clock, so that a look costs nothing beside the steps.
STEPS_A_LOOK = 4


def take_phases(job: Job, request: jm.TakePhases, wait: Wait, clock: Clock) -> jm.PhasesTaken:
    """Time steps part by part in turn with plain ones, the device idle before each.

    In turn, so that what drifts meanwhile drifts for both.
    """
    phased: list[Phases] = []
    plain: list[float] = []
    begin = clock()
    wait()
    with no_collection():
        while len(phased) < LEAST_STEPS or (
            clock() - begin < request.seconds and len(phased) < MOST_STEPS
        ):
            phased.append(job.phased_step(wait, clock))
            start = clock()
            job.step()
            wait()
            plain.append(clock() - start)
    return jm.PhasesTaken(
        phases=StepPhases(
            round=request.round,
            steps=len(phased),
            loader_s=_mean([p.loader_s for p in phased]),
            to_device_s=_mean([p.to_device_s for p in phased]),
            forward_s=_mean([p.forward_s for p in phased]),
            backward_s=_mean_known([p.backward_s for p in phased]),
            optimiser_s=_mean_known([p.optimiser_s for p in phased]),
            to_host_s=_mean_known([p.to_host_s for p in phased]),
            step_s=_mean([p.step_s for p in phased]),
            plain_step_s=_mean(plain),
        ),
        compile_s=job.facts.compile_s,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _mean_known(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return _mean(known) if known else None


def run_steps(job: Job, request: jm.RunSteps, wait: Wait, clock: Clock) -> jm.StepsRun:
    """Run steps without a pause, for a time or three of them; the last one is awaited."""
    steps = 0
    wait()
    with no_collection():
        begin = looked = clock()
        while steps < LEAST_STEPS or looked - begin < request.seconds:
            for _ in range(STEPS_A_LOOK if steps >= LEAST_STEPS else 1):
                job.step()
                steps += 1
            before, looked = looked, clock()
            if looked == before:
                # A scripted clock stands still until the device is awaited.
                wait()
                looked = clock()
        wait()
        end = clock()
    return jm.StepsRun(begin_s=begin, end_s=end, steps=steps, samples=steps * job.facts.batch_size)


def time_requests(job: Job, request: jm.TimeRequests, wait: Wait, clock: Clock) -> jm.RequestsTimed:
    """Time requests one by one, each from its data on the host to its answer there."""
    times: list[float] = []
    wait()
    with no_collection():
        begin = clock()
        while len(times) < LEAST_STEPS or (
            clock() - begin < request.seconds and len(times) < request.most
        ):
            start = clock()
            job.step()
            wait()
            times.append(clock() - start)
    return jm.RequestsTimed(latency=latency_of(times, request.round))


def latency_of(times: Sequence[float], number: int) -> Latency:
    """Return percentiles, each where there are requests enough for it."""
    ordered = sorted(times)
    return Latency(
        round=number,
        requests=len(ordered),
        p50_s=percentile(ordered, 0.50),
        p95_s=percentile(ordered, 0.95),
        p99_s=percentile(ordered, 0.99),
        worst_s=ordered[-1],
    )


def run_epoch(job: Job, epoch: int, clock: Clock, wait: Wait) -> jm.EpochRun:
    """Run one epoch, awaited, then answer the test images, which is not in its seconds."""
    begin = clock()
    loss = job.run_epoch(epoch)
    wait()
    seconds = clock() - begin
    score = job.evaluate()
    return jm.EpochRun(
        epoch=Epoch(
            epoch=epoch,
            seconds=seconds,
            train_loss=loss,
            test_loss=score.loss,
            correct=score.correct,
            total=score.total,
        ),
        wrong=score.wrong,
    )
