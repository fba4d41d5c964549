"""A process for one backend: it answers requests one at a time, and dies with its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from breakeven.engine import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from breakeven.backends.base import Backend, Opening
    from breakeven.engine.bench import Bench
    from breakeven.engine.function_maker import FunctionMaker
    from breakeven.engine.job_bench import JobBench
    from breakeven.engine.job_messages import JobRequest
    from breakeven.engine.pinning import Pinning
    from breakeven.model.machine import Ceilings
    from breakeven.sensors.base import GpuWatch, Look
    from breakeven.workloads.base import Workload

PR_SET_PDEATHSIG = 1
EXERCISE_N = 1024


def die_with(parent: int) -> None:
    """Have the system kill this process when its coordinator ends, frozen or not.

    Where the system has no such signal, a thread watches the parent instead.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        # It ended before the line above took hold.
        os._exit(1)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def main() -> None:
    """Run the worker whose configuration is the first argument."""
    config = msgspec.json.decode(sys.argv[1], type=messages.WorkerConfig)
    die_with(config.parent)
    # Replies have a descriptor of their own: whatever a library prints goes to the log.
    replies = os.dup(1)
    os.dup2(2, 1)
    worker = _Worker(config)
    messages.write(replies, worker.open())
    while (body := messages.read(0)) is not None:
        messages.write(replies, worker.answer(messages.decode_request(body)))


class _Worker:
    def __init__(self, config: messages.WorkerConfig) -> None:
        self._config = config
        self._backend: Backend | None = None
        self._opening: Opening | None = None
        self._bench: Bench | None = None
        # Takes the bench's place in a run that trains.
        self._jobs: JobBench | None = None
        self._watch: GpuWatch | None = None
        self._own_pids: tuple[int, ...] = ()
        self._pinning: Pinning | None = None
        # Calls the user's own function on NumPy, where this process measures nothing.
        self._maker: FunctionMaker | None = None

    def open(self) -> messages.Reply:
        """Open the backend; pin its pool."""
        from breakeven.backends import registry  # noqa: PLC0415  nothing before the import is timed
        from breakeven.errors import BreakevenError  # noqa: PLC0415  the same

        try:
            config = self._config
            self._backend = registry.get(config.backend, config.seed, config.precision)
            self._opening = self._backend.open()
        except BreakevenError as error:
            return messages.Failed(status="unavailable", why=error.what, fix=error.fix or None)
        # A training's pool is looked at beside its own steps, once there are any.
        jobs = self._config.training is not None
        pinned, remark = self._pin() if self._backend.about.pools and not jobs else (0, None)
        from breakeven.engine.bench import Bench  # noqa: PLC0415  after the timed import
        from breakeven.machine.pools import read_pools  # noqa: PLC0415  the same

        remark = "; ".join(r for r in (remark, self._opening.remark) if r) or None
        self._bench = self._function_bench() or Bench(self._backend, self._opening)
        self._jobs = self._job_bench()
        return messages.Opened(
            version=self._opening.version,
            import_s=self._opening.import_s,
            context_s=self._opening.context_s,
            blas=read_pools() if self._backend.about.pools else (),
            pinned=pinned,
            remark=remark,
            device_clock=self._opening.device_clock is not None,
        )

    def _function_bench(self) -> Bench | None:
        config = self._config
        if config.function is None:
            return None
        from breakeven.engine.function_bench import FunctionBench  # noqa: PLC0415  few runs have one

        # What the function prints was shown once, when it was tried.
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  it stays open
        assert self._backend is not None
        assert self._opening is not None
        return FunctionBench(
            self._backend, self._opening, config.function, config.variant, config.data_seed
        )

    def _job_bench(self) -> JobBench | None:
        config = self._config
        if config.training is None:
            return None
        from breakeven.engine.job_bench import JobBench  # noqa: PLC0415  few runs train

        if sys.platform == "linux":
            # Processes of a loader end with this one, frozen or not.
            os.register_at_fork(after_in_child=lambda: die_with(os.getppid()))
        assert self._backend is not None
        assert self._opening is not None
        place = None
        if self._backend.about.pools and config.cpus:
            from breakeven.engine.pinning import Pinning  # noqa: PLC0415  after the timed import

            place = Pinning(config.cpus).pin_if_kept
        return JobBench(self._backend, self._opening, config.training, config.precision, place)

    def _pin(self) -> tuple[int, str | None]:
        from breakeven.engine.pinning import Pinning, lasting  # noqa: PLC0415  after the timed import

        assert self._opening is not None
        if not self._config.cpus:
            return 0, None
        xp, self._pinning = self._opening.xp, Pinning(self._config.cpus)
        square = xp.ones((EXERCISE_N, EXERCISE_N), dtype=xp.float32)

        def exercise() -> None:
            lasting(lambda: xp.matmul(square, square))

        exercise()
        return self._pinning.pin(exercise)

    def answer(self, request: messages.Request) -> messages.Reply:
        """Do what is asked; a library's failure is an answer, not an end."""
        from breakeven.backends.failure import classify  # noqa: PLC0415  after the timed import

        assert self._opening is not None
        try:
            return self._do(request)
        except Exception as error:  # noqa: BLE001  any library error becomes a status
            held = self._jobs or self._bench
            if held is not None:
                held.end_case()
            known = _of_function(error) if self._config.function is not None else None
            if known is not None:
                return known
            status, why = classify(error, self._opening.out_of_memory)
            return messages.Failed(status=status, why=why)

    def _do(self, request: messages.Request) -> messages.Reply:

        assert self._bench is not None
        bench, jobs = self._bench, self._jobs
        reply: messages.Reply = messages.Done()
        match request:
            case messages.MeasureFloors():
                reply = messages.FloorsAre(floors=bench.floors(detail=request.detail))
            case messages.SetUp():
                reply = self._set_up(bench, request)
            case messages.Measure():
                measured = (jobs or bench).measure(request.scope, request.seconds)
                # After the last repeat: a look takes longer than many a call.
                reply = msgspec.structs.replace(
                    measured, look=self._look(), held_bytes=bench.held_bytes()
                )
            case messages.LookAtGpu():
                reply = self._looked(bench, request)
            case messages.EndCase():
                (jobs or bench).end_case()
            case messages.MeasureCold() | messages.CaptureGraph() | messages.ShootNaively():
                reply = (
                    jobs.fresh(request)
                    if jobs
                    else _in_fresh_process(bench, request, self._workload)
                )
            case messages.MeasureCeilings():
                reply = messages.CeilingsAre(ceilings=self._ceilings(request))
            case messages.Trace():
                reply = bench.traced(request.calls)
            case messages.Make() | messages.TryFunction():
                reply = self._made(request)
            case _:
                assert jobs is not None
                reply = self._on_job(jobs, request)
        return reply

    def _made(self, request: messages.Make | messages.TryFunction) -> messages.Reply:
        """Do what is asked of a process that measures nothing."""
        if self._config.function is None:
            assert isinstance(request, messages.Make)
            return _make(request)
        maker = self._function_maker()
        if isinstance(request, messages.Make):
            return maker.make(request)
        return maker.tried(request.size)

    def _function_maker(self) -> FunctionMaker:
        from breakeven.engine.function_maker import FunctionMaker  # noqa: PLC0415  few runs have one

        if self._maker is None:
            assert self._config.function is not None
            self._maker = FunctionMaker(self._config.function, self._config.data_seed)
        return self._maker

    def _workload(self, name: str) -> Workload:
        """Return a workload by its name; the user's function needs no more than that."""
        from breakeven.workloads import registry  # noqa: PLC0415  after the timed import

        if self._config.function is None:
            return registry.get(name)
        from breakeven.workloads.function.workload import FunctionWorkload  # noqa: PLC0415  few have

        return FunctionWorkload(name, self._config.function, self._config.data_seed)

    def _on_job(self, jobs: JobBench, request: JobRequest) -> messages.Reply:
        from breakeven.engine.job_answers import answer  # noqa: PLC0415  few runs train

        return answer(jobs, request)

    def _set_up(self, bench: Bench, request: messages.SetUp) -> messages.Ready:
        watch = self._watch_of(request)
        read_clock = None if watch is None else watch.sm_clock_mhz
        if self._jobs is not None:
            ready = _with_look(self._jobs.set_up(request, read_clock), self._look())
        else:
            ready = bench.set_up(request, self._workload(request.workload), read_clock)
            ready = _with_look(ready, self._look())
            # What follows takes memory of its own, which is not the case's.
            ready = bench.detailed(ready, request)
        gone = None if self._pinning is None else self._pinning.follow()
        if gone is not None:
            ready = msgspec.structs.replace(ready, remark=gone)
        if watch is None:
            return ready
        # Slots are compared with how the GPU is now.
        return msgspec.structs.replace(ready, look=self._look(), held_bytes=bench.held_bytes())

    def _looked(self, bench: Bench, request: messages.LookAtGpu) -> messages.Looked | messages.Done:
        self._watch_of(request)
        look = self._look()
        if look is None:
            return messages.Done()
        return messages.Looked(look=look, held_bytes=bench.held_bytes())

    def _ceilings(self, request: messages.MeasureCeilings) -> Ceilings:
        from breakeven.engine.ceilings import measure  # noqa: PLC0415  only few workers need it

        assert self._backend is not None
        assert self._opening is not None
        return measure(self._backend, self._opening, request)

    def _watch_of(self, request: messages.SetUp | messages.LookAtGpu) -> GpuWatch | None:
        """Return what looks at the device of this worker, opened once; None on a CPU."""
        assert self._backend is not None
        assert self._opening is not None
        if self._backend.about.device == "cpu":
            return None
        if self._watch is None:
            from breakeven.sensors.watching import open_watch  # noqa: PLC0415  only GPU workers

            self._watch = open_watch(request.gpu if self._opening.real else None)
        self._own_pids = request.own_pids
        return self._watch

    def _look(self) -> Look | None:
        from breakeven.backends.found import first_line  # noqa: PLC0415  after the timed import
        from breakeven.sensors.base import Look  # noqa: PLC0415  only GPU workers need it

        if self._watch is None:
            return None
        try:
            return self._watch.look(self._own_pids)
        except Exception as error:  # noqa: BLE001  a sensor's fault is told, and ends no slot
            return Look(why=f"the GPU could not be looked at ({first_line(error)})")


def _in_fresh_process(
    bench: Bench,
    request: messages.MeasureCold | messages.CaptureGraph | messages.ShootNaively,
    workload_of: Callable[[str], Workload] | None = None,
) -> messages.Reply:
    """Do what is asked of processes that were started for it."""
    from breakeven.workloads import registry  # noqa: PLC0415  after the timed import

    workload = (workload_of or registry.get)(request.workload)
    match request:
        case messages.MeasureCold():
            return bench.cold(workload, request.size, request.folder)
        case messages.CaptureGraph():
            return bench.captured(request, workload)
        case messages.ShootNaively():
            return bench.shoot(workload, request.size, request.folder)


def _of_function(error: Exception) -> messages.Failed | None:
    """Return what an error of the user's function is as an answer; None for any other."""
    from breakeven.errors import InputError  # noqa: PLC0415  few runs have one
    from breakeven.workloads.function.failed import FunctionFailedError  # noqa: PLC0415  the same

    match error:
        case FunctionFailedError():
            return messages.Failed(status=error.status, why=str(error), ported=error.ported)
        case InputError():
            return messages.Failed(status="unsupported", why=error.what, fix=error.fix or None)
        case _:
            return None


def _make(request: messages.Make) -> messages.Done | messages.Failed:
    import numpy as np  # noqa: PLC0415  only the maker needs it

    from breakeven.engine.telling_inputs import refusal  # noqa: PLC0415  only the maker needs it
    from breakeven.workloads import registry  # noqa: PLC0415  only the maker needs it

    folder = Path(request.folder)
    made = registry.get(request.workload).make(request.size, request.dtype, request.seed)
    refused = refusal(made[0])
    if refused is not None:
        return messages.Failed(status="unsupported", why=refused)
    for prefix, arrays in zip(("input", "reference"), made, strict=True):
        for place, (name, array) in enumerate(arrays.items()):
            np.save(folder / f"{prefix}-{place}-{name}.npy", array)
    return messages.Done()


def _with_look(ready: messages.Ready, look: Look | None) -> messages.Ready:
    """Return a reply with a look at the GPU, and device memory as the driver counts it there."""
    if look is None:
        return ready
    memory = ready.memory
    if look.source == "driver" and look.memory_used_bytes is not None:
        # Without the driver's reserve, which the library's own figure holds.
        memory = msgspec.structs.replace(memory, device_used_bytes=look.memory_used_bytes)
    return msgspec.structs.replace(ready, memory=memory, look=look)


if __name__ == "__main__":
    main()
