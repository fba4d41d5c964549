"""What a worker does with a training job: set it up, check its losses, measure it in slots."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from breakeven.backends.base import Backend, Opening
from breakeven.engine.bench import COLD_CALLS, EVENT_S
from breakeven.engine.host_peak import host_peak_bytes, reset_host_peak
from breakeven.engine.job_makers import make_job, make_reference
from breakeven.engine.loop import clear_garbage, issue_times, repeats, unit_of, warm_up
from breakeven.engine.messages import (
    Captured,
    CaptureGraph,
    ColdCalls,
    MeasureCold,
    Measured,
    Ready,
    SetUp,
    ShootNaively,
    Shot,
)
from breakeven.engine.references import FILE_NAME
from breakeven.engine.steadiness import ClockSteadiness
from breakeven.engine.timed_slot import loaded_slot, timed_slot
from breakeven.model.run import Agreement, Memory
from breakeven.model.spec import Precision, TrainingSpec
from breakeven.model.verdict import Scope
from breakeven.stats.losses import agreement

if TYPE_CHECKING:
    from breakeven.workloads.training.base import Job


class JobBench:
    """One opened backend with the job that is set up on it.

    Parameters
    ----------
    training : TrainingSpec
        What its jobs do, in the precision of the run; `precision` is this worker's own.
    place : callable, optional
        Gives the pool threads of a step their places; returns how many, or why none.
    """

    def __init__(
        self,
        backend: Backend,
        opening: Opening,
        training: TrainingSpec,
        precision: Precision,
        place: Callable[[Callable[[], object]], tuple[int, str | None]] | None = None,
    ) -> None:
        self._backend = backend
        self._opening = opening
        self._training = training
        self._precision: Precision = precision
        self._on_device = backend.about.device != "cpu"
        self._call_s = 0.0
        self._calls = 1
        self._job: Job | None = None
        self._place = place
        self._remark: str | None = None

    @property
    def wait(self) -> Callable[[], None]:
        """What returns when the device is idle."""
        return self._backend.synchronise

    @property
    def clock(self) -> Callable[[], float]:
        """The host's clock, seconds."""
        return self._opening.clock

    @property
    def real(self) -> bool:
        """Whether its times are measured."""
        return self._opening.real

    @property
    def device(self) -> str:
        """Where its jobs run."""
        return self._backend.about.device

    @property
    def job(self) -> Job:
        """The job that is set up."""
        if self._job is None:
            raise RuntimeError("no job is set up")
        return self._job

    def begin(self, workload: str, size: int, seed: int) -> Job:
        """Let go of the job before, make another, and give its threads their places."""
        job = self._fresh(workload, size, seed)
        if self._place is not None:
            self._remark = self._place(job.resident_step)[1]
        return job

    def _fresh(self, workload: str, size: int, seed: int) -> Job:
        """Let go of the job before, and make another, of which no step is run yet."""
        self.end_case()
        self._backend.begin_case(workload, size)
        self._job = make_job(
            workload, size, seed, self._backend, self._training, precision=self._precision
        )
        return self._job

    def reference(
        self, workload: str, size: int, seed: int, count: int, enough: Callable[[int], bool]
    ) -> tuple[float, ...]:
        """Return the first losses in float64, fewer where `enough` says so."""
        self._backend.begin_case(workload, size)
        return make_reference(
            workload, size, seed, self._backend, self._training, count=count, enough=enough
        )

    def set_up(
        self, request: SetUp, sm_clock_mhz: Callable[[], float | None] | None = None
    ) -> Ready:
        """Make a job, check its first losses where that is asked for, and become steady."""
        peak_known = reset_host_peak()
        job = self.begin(request.workload, request.size, request.seed)
        checked = self._checked(job, request.folder) if request.check else None
        clear_garbage()
        wait, clock = self._backend.synchronise, self._opening.clock
        self._calls = request.calls
        gpu = None if sm_clock_mhz is None else ClockSteadiness(sm_clock_mhz, clock)
        unit = unit_of(job.step, wait, self._calls)
        self._call_s, steady = warm_up(unit, wait, clock, request.warm_s, gpu)
        resident = repeats(job.resident_step, wait, clock, min(request.warm_s, self._call_s))
        issue_s = self._issue(job) if request.parts else None
        memory = self._backend.memory()
        return Ready(
            agreement=checked,
            memory=Memory(
                host_peak_bytes=host_peak_bytes() if peak_known else None,
                device_peak_bytes=memory.peak_bytes,
                device_used_bytes=memory.used_bytes,
            ),
            losses=(),
            loss_epochs=(),
            call_s=self._call_s,
            steady=steady,
            compute_s=statistics.median(resident),
            device_s=None,
            issue_s=issue_s,
            clock_steady=None if gpu is None else gpu.steady,
            held_bytes=memory.held_bytes,
            real=self._opening.real,
            remark=self._remark,
        )

    def _checked(self, job: Job, folder: str) -> Agreement:
        known = json.loads((Path(folder) / FILE_NAME).read_text())
        return agreement(job.first_losses(len(known["losses"])), known["losses"], known["probes"])

    def _issue(self, job: Job) -> float | None:
        """Return the time until a step is issued; None on a CPU.

        No device time stands beside it: events around a step that launches hundreds of kernels
        tell its latency, not for how long the device worked. A trace tells that.
        """
        if self._opening.device_seconds is None:
            return None
        wait, clock = self._backend.synchronise, self._opening.clock
        return statistics.median(issue_times(job.resident_step, wait, clock, EVENT_S))

    def measure(self, scope: Scope, seconds: float) -> Measured:
        """Measure one slot: steps as users wait for them, or steps on a batch that lies there."""
        wait, clock = self._backend.synchronise, self._opening.clock
        step = self.job.step if scope == "transfer" else self.job.resident_step
        call, workers = unit_of(step, wait, self._calls), self._training.workers
        if scope == "transfer" and workers:
            return loaded_slot(call, wait, clock, seconds, call_s=self._call_s, workers=workers)
        return timed_slot(call, wait, clock, seconds, call_s=self._call_s)

    def fresh(
        self, request: MeasureCold | CaptureGraph | ShootNaively
    ) -> ColdCalls | Captured | Shot:
        """Do what is asked of a process that was started for it."""
        match request:
            case MeasureCold():
                return self._cold(request)
            case ShootNaively():
                return self._shoot(request)
            case CaptureGraph():
                why = "steps of a training are not captured"
                return Captured(seconds=None, why=why, call_s=self._call_s)

    def _cold(self, request: MeasureCold) -> ColdCalls:
        """Time the first steps of this process; the model and its data are made before."""
        job, clock, times = self._fresh(request.workload, request.size, 0), self._opening.clock, []
        for number in range(COLD_CALLS):
            begin = clock()
            job.step()
            self._backend.synchronise()
            scripted = self._opening.first_call_s if number == 0 else 0.0
            times.append(clock() - begin + scripted)
        return ColdCalls(calls_s=tuple(times))

    def _shoot(self, request: ShootNaively) -> Shot:
        """Time one step as careless code does: the first one, then one that nobody awaits."""
        job, clock = self._fresh(request.workload, request.size, 0), self._opening.clock
        begin = clock()
        job.step()
        self._backend.synchronise()
        one_shot = clock() - begin
        if not self._on_device:
            return Shot(one_shot_s=one_shot, unsynchronised_s=None)
        begin = clock()
        job.resident_step()
        unsynchronised = clock() - begin
        self._backend.synchronise()
        return Shot(one_shot_s=one_shot, unsynchronised_s=unsynchronised)

    def end_case(self) -> None:
        """End the loader's processes, and let go of the job."""
        job, self._job = self._job, None
        if job is not None:
            job.close()
            del job
            clear_garbage()
