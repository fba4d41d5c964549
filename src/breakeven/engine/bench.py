"""What a worker does with one case: load it, check its answer, warm it up, measure it in slots."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

from breakeven.backends.base import Backend, Opening
from breakeven.backends.found import first_cause, first_line
from breakeven.engine.detail import Detail
from breakeven.engine.floors import floors_of
from breakeven.engine.graphs import replay_seconds
from breakeven.engine.host_peak import host_peak_bytes, reset_host_peak
from breakeven.engine.loop import clear_garbage, issue_times, repeats, unit_of, warm_up
from breakeven.engine.messages import (
    Captured,
    CaptureGraph,
    ColdCalls,
    Measured,
    Ready,
    SetUp,
    Shot,
    Traced,
)
from breakeven.engine.placement import Places, read_placed
from breakeven.engine.steadiness import ClockSteadiness
from breakeven.engine.timed_slot import timed_slot
from breakeven.errors import UnavailableError
from breakeven.model.run import Floors, Memory
from breakeven.model.spec import Precision
from breakeven.model.verdict import Scope
from breakeven.workloads.base import Answer, Workload

PHASE_S, EVENT_S = 0.05, 0.02
# Longer calls are not repeated to move their results: what a place costs them is little.
MOVING_S = 0.02
COLD_CALLS = 3


def load(folder: str, prefix: str) -> dict[str, Any]:
    """Return the arrays that a maker left in `folder` under `prefix`, in its order."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    found = sorted(Path(folder).glob(f"{prefix}-*.npy"))
    return {p.stem.split("-", 2)[2]: np.load(p) for p in found}


class Bench:
    """One opened backend with the case that is set up on it."""

    def __init__(self, backend: Backend, opening: Opening) -> None:
        self._backend = backend
        self._opening = opening
        self._on_device = backend.about.device != "cpu"
        self._workload: Workload | None = None
        self._host: tuple[Any, ...] = ()
        self._device: tuple[Any, ...] = ()
        self._call_s = 0.0
        self._calls = 1
        self._detail = Detail(backend, opening)
        address = opening.address
        self._places = None if address is None else Places(address)

    def floors(self, *, detail: bool = False) -> Floors:
        """Measure the shortest times that can be told apart here; `detail` as in `floors_of`."""
        return floors_of(self._backend, self._opening, detail=detail)

    def set_up(
        self,
        request: SetUp,
        workload: Workload,
        sm_clock_mhz: Callable[[], float | None] | None = None,
    ) -> Ready:
        """Load a case, check its first answer, become steady, and time the parts of a call."""
        self.end_case()
        self._backend.begin_case(workload.name, request.size)
        peak_known = reset_host_peak()
        self._workload, self._calls = workload, request.calls
        self._host = self._inputs(request.folder, request.precision)
        to_device_s = self._time_to_device(parts=request.parts)
        answer = self._run()
        self._backend.synchronise()
        arrays, to_host_s = self._time_to_host(answer, parts=request.parts)
        agreement = workload.check(
            arrays, answer.losses, load(request.folder, "reference"), request.precision
        )
        losses, loss_epochs = answer.losses, answer.loss_epochs
        out_bytes = sum(int(a.nbytes) for a in answer.arrays)
        del answer, arrays
        clear_garbage()
        wait, clock = self._backend.synchronise, self._opening.clock
        unit = unit_of(self._run, wait, self._calls)
        gpu = None if sm_clock_mhz is None else ClockSteadiness(sm_clock_mhz, clock)
        self._call_s, steady = warm_up(unit, wait, clock, request.warm_s, gpu)
        device_s, issue_s = self._device_and_issue() if request.parts else (None, None)
        memory = self._backend.memory()
        return Ready(
            agreement=agreement,
            memory=Memory(
                host_peak_bytes=host_peak_bytes() if peak_known else None,
                device_peak_bytes=memory.peak_bytes,
                device_used_bytes=memory.used_bytes,
            ),
            losses=losses,
            loss_epochs=loss_epochs,
            call_s=self._call_s,
            steady=steady,
            compute_s=self._call_s,
            to_device_s=to_device_s,
            to_host_s=to_host_s,
            device_s=device_s,
            issue_s=issue_s,
            clock_steady=None if gpu is None else gpu.steady,
            held_bytes=memory.held_bytes,
            real=self._opening.real,
            in_bytes=sum(int(a.nbytes) for a in self._host),
            out_bytes=out_bytes,
        )

    def detailed(self, ready: Ready, request: SetUp) -> Ready:
        """Return a reply with what was asked for beside the slots; the case must be set up."""
        workload, xp = self._workload, self._opening.xp
        assert workload is not None
        return self._detail.added(
            ready, request, lambda inputs: workload.run(xp, inputs), self._host, self._device
        )

    def captured(self, request: CaptureGraph, workload: Workload) -> Captured:
        """Capture a call as a graph; nothing else may be asked of this process once that failed."""
        tools = self._opening.device_clock
        assert tools is not None
        self.end_case()
        self._backend.begin_case(workload.name, request.size)
        self._workload = workload
        self._host = self._inputs(request.folder, request.precision)
        self._move_in()
        wait, clock = self._backend.synchronise, self._opening.clock
        call_s, _ = warm_up(self._run, wait, clock, request.seconds)
        try:
            seconds, why = replay_seconds(
                tools, self._run, wait, clock, request.seconds,
                fault=lambda answer: self._fault(answer, request, workload),
            )  # fmt: skip
        except Exception as error:  # noqa: BLE001  whatever a capture ends with is the reason
            why = f"the capture failed: {first_line(first_cause(error))}"
            return Captured(seconds=None, why=why, call_s=call_s, broken=True)
        return Captured(seconds=seconds, why=why, call_s=call_s)

    def _fault(self, answer: Answer, request: CaptureGraph, workload: Workload) -> str | None:
        """Return what is wrong with the answer of a replayed graph; None where it agrees."""
        if not answer.arrays:
            return None
        plain = self._opening.plain or (lambda array: array)
        arrays = tuple(plain(self._backend.to_host(a)) for a in answer.arrays)
        reference = load(request.folder, "reference")
        found = workload.check(arrays, answer.losses, reference, request.precision)
        return (
            None
            if found.passed
            else (
                f"the answer of a replay is {found.class_}: the capture missed a part of the work"
            )
        )

    def measure(self, scope: Scope, seconds: float) -> Measured:
        """Measure one slot, after a moment of untimed work that warms caches and clocks again."""
        wait, clock = self._backend.synchronise, self._opening.clock
        one = self._travel_and_run if scope == "transfer" else self._run
        call = unit_of(one, wait, self._calls)
        if self._places is not None and self._call_s < MOVING_S * self._calls:
            self._places.move(lambda: self._answer(self._run()).arrays, clock, MOVING_S)
        return timed_slot(call, wait, clock, seconds, call_s=self._call_s)

    def held_bytes(self) -> int | None:
        """Return what the library's allocator holds of the device; None where it does not tell."""
        return self._backend.memory().held_bytes

    def cold(self, workload: Workload, size: int, folder: str) -> ColdCalls:
        """Time the first calls of this process, data travelling each time."""
        self._backend.begin_case(workload.name, size)
        self._workload = workload
        self._host = self._inputs(folder)
        clock, times = self._opening.clock, []
        for number in range(COLD_CALLS):
            begin = clock()
            self._travel_and_run()
            self._backend.synchronise()
            scripted = self._opening.first_call_s if number == 0 else 0.0
            times.append(clock() - begin + scripted)
        return ColdCalls(calls_s=tuple(times))

    def shoot(self, workload: Workload, size: int, folder: str) -> Shot:
        """Time one size as careless code does, the device left as the last size left it."""
        self._workload = workload
        self._host = self._inputs(folder)
        if not self._opening.real:
            self._backend.begin_case(workload.name, size)
        clock = self._opening.clock
        begin = clock()
        self._travel_and_run()
        one_shot = clock() - begin
        if not self._on_device:
            return Shot(one_shot_s=one_shot, unsynchronised_s=None)
        self._move_in()
        self._backend.synchronise()
        begin = clock()
        answer = self._run()
        unsynchronised = clock() - begin
        self._backend.synchronise()
        del answer
        return Shot(one_shot_s=one_shot, unsynchronised_s=unsynchronised)

    def traced(self, calls: int) -> Traced:
        """Trace calls of the case that is set up; say why where that cannot be."""
        from breakeven.trace import kernels  # noqa: PLC0415  few workers trace

        try:
            found = kernels.traced(self._run, self._backend.synchronise, calls)
        except UnavailableError as error:
            return Traced(why=str(error))
        return Traced(seconds=found.seconds, kernels=found.number)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """Inputs of the case that is set up, on its device."""
        return self._device

    def end_case(self) -> None:
        """Let go of the arrays of the case."""
        self._host = self._device = ()
        if self._places is not None:
            self._places.let_go()

    def _inputs(self, folder: str, precision: Precision | None = None) -> tuple[Any, ...]:
        """Return host arrays in what the worker computes in, cast outside of every timing.

        Raises
        ------
        NotImplementedError
            If the backend has no such precision.
        """
        made = tuple(read_placed(p) for p in sorted(Path(folder).glob("input-*.npy")))
        cast = self._opening.cast
        if cast is not None:
            return tuple(cast(a) for a in made)
        if precision not in {None, "float32", "float64"}:
            raise NotImplementedError(f"{self._backend.about.name} is not made for {precision}")
        return made

    def _to_device(self, array: Any) -> Any:  # noqa: ANN401  NumPy in, the library's own out
        return self._backend.to_device(array)

    def _move_in(self) -> None:
        """Put the inputs on the device."""
        self._device = tuple(self._to_device(a) for a in self._host)

    def _answer(self, given: Any) -> Answer:  # noqa: ANN401  what `_run` gave
        """Return what a call gave as an answer: it is one."""
        answer: Answer = given
        return answer

    def _run(self) -> Any:  # noqa: ANN401  an answer, or what `_answer` makes one of
        assert self._workload is not None
        return self._workload.run(self._opening.xp, self._device)

    def _travel_and_run(self) -> None:
        assert self._workload is not None
        moved = tuple(self._to_device(a) for a in self._host)
        for array in self._workload.run(self._opening.xp, moved).arrays:
            self._backend.to_host(array)

    def _time_to_device(self, *, parts: bool) -> float | None:
        def move() -> None:
            # Let go first: two copies at once would count as the case's own memory.
            self._device = ()
            self._device = tuple(self._to_device(a) for a in self._host)

        if not self._on_device or not parts:
            move()
            return None
        times = repeats(move, self._backend.synchronise, self._opening.clock, PHASE_S)
        # The first copy of a process takes buffers that later ones reuse.
        return statistics.median(times[1:] or times)

    def _time_to_host(self, answer: Answer, *, parts: bool) -> tuple[tuple[Any, ...], float | None]:
        def move() -> None:
            for array in answer.arrays:
                self._backend.to_host(array)

        plain = self._opening.plain or (lambda array: array)
        arrays = tuple(plain(self._backend.to_host(a)) for a in answer.arrays)
        if not self._on_device or not parts:
            return arrays, None
        times = repeats(move, self._backend.synchronise, self._opening.clock, PHASE_S)
        return arrays, statistics.median(times)

    def _device_and_issue(self) -> tuple[float | None, float | None]:
        seconds = self._opening.device_seconds
        if seconds is None:
            return None, None
        count = max(3, min(200, int(EVENT_S / max(self._call_s, 1e-6))))
        if self._call_s > 1.0:
            count = 1
        device = statistics.median(seconds(self._run) for _ in range(count))
        issue = issue_times(self._run, self._backend.synchronise, self._opening.clock, EVENT_S)
        return device, statistics.median(issue)
