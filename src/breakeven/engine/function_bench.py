"""What a worker does with the user's own function: call it on one library, check it, time it."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import msgspec

from breakeven.backends.base import Backend, Opening
from breakeven.engine.bench import PHASE_S, Bench, load
from breakeven.engine.host_peak import host_peak_bytes, reset_host_peak
from breakeven.engine.loop import clear_garbage, repeats, warm_up
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
from breakeven.engine.placement import placed
from breakeven.engine.steadiness import ClockSteadiness
from breakeven.engine.timed_slot import timed_slot
from breakeven.model.entry import Variant
from breakeven.model.ported import FunctionSpec
from breakeven.model.run import Memory
from breakeven.model.verdict import Scope
from breakeven.workloads.base import Answer, Workload
from breakeven.workloads.function.agreement import Compared
from breakeven.workloads.function.arguments import Arguments
from breakeven.workloads.function.subject import Subject
from breakeven.workloads.function.tree import Leaf, is_array, taken_apart
from breakeven.workloads.function.wanted import Wanted, read

WARMING = 5
ALTERS = "it alters its arguments: each call is given fresh copies, which a graph would not be"


class FunctionBench(Bench):
    """One opened backend with the user's function on it.

    Arguments are made anew in each process from the seed, as they may hold objects of the user's
    classes; the reference knows their digest, so that no other ones pass for them.

    Parameters
    ----------
    function : FunctionSpec
        As the user gave it.
    variant : str
        Which of the ways to call it.
    seed : int
        Of the arguments.
    """

    def __init__(
        self,
        backend: Backend,
        opening: Opening,
        function: FunctionSpec,
        variant: Variant,
        seed: int,
    ) -> None:
        super().__init__(backend, opening)
        self._subject = Subject(backend, opening, function, variant, seed)
        self._seed = seed
        self._arguments: Arguments | None = None
        self._wanted: Wanted | None = None
        # Arguments as the function takes them, by the identity of the tuple of their arrays.
        self._bound: dict[int, tuple[Any, tuple[Any, ...], dict[str, Any]]] = {}
        self._next: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})
        self._is_bound = False
        self._size = 0

    def set_up(
        self,
        request: SetUp,
        workload: Workload,
        sm_clock_mhz: Callable[[], float | None] | None = None,
    ) -> Ready:
        """Call the function once, check and record that call, then become steady.

        Raises
        ------
        FunctionFailedError
            If it does not run on this library.
        """
        self.end_case()
        self._backend.begin_case(workload.name, request.size)
        peak_known = reset_host_peak()
        self._workload, self._size = workload, request.size
        self._host = self._inputs(request.folder)
        wanted, values = read(load(request.folder, "reference"))
        self._of_same_data(wanted)
        self._wanted = wanted
        to_device_s = self._time_to_device(parts=request.parts)
        with self._subject.failing(request.size, lambda: self._next):
            self._fresh()
            given = self._once()
            self._backend.synchronise()
            answer = self._answer(given)
            _, to_host_s = self._time_to_host(answer, parts=request.parts)
            compared = self._compared(given, wanted, values)
        ported = self._subject.told(
            request.size,
            given,
            compared,
            self._host_call if request.parts else None,
        )
        out_bytes = sum(int(a.nbytes) for a in answer.arrays)
        del answer, given
        clear_garbage()
        steady, clock_steady = self._become_steady(request.warm_s, sm_clock_mhz)
        parts = request.parts and not wanted.fresh
        device_s, issue_s = self._device_and_issue() if parts else (None, None)
        memory = self._backend.memory()
        return Ready(
            agreement=compared.agreement,
            memory=Memory(
                host_peak_bytes=host_peak_bytes() if peak_known else None,
                device_peak_bytes=memory.peak_bytes,
                device_used_bytes=memory.used_bytes,
            ),
            losses=(),
            loss_epochs=(),
            call_s=self._call_s,
            steady=steady,
            compute_s=self._call_s,
            to_device_s=to_device_s,
            to_host_s=to_host_s,
            device_s=device_s,
            issue_s=issue_s,
            clock_steady=clock_steady,
            held_bytes=memory.held_bytes,
            real=self._opening.real,
            in_bytes=sum(int(a.nbytes) for a in self._host),
            out_bytes=out_bytes,
            ported=ported,
        )

    def _become_steady(
        self, warm_s: float, sm_clock_mhz: Callable[[], float | None] | None
    ) -> tuple[bool, bool | None]:
        wait, clock = self._backend.synchronise, self._opening.clock
        gpu = None if sm_clock_mhz is None else ClockSteadiness(sm_clock_mhz, clock)

        def one() -> None:
            self._fresh()
            self._run()

        self._call_s, steady = warm_up(one, wait, clock, warm_s, gpu)
        if self._is_fresh:
            # Without the copies that each call is given.
            count = [*range(WARMING)] if self._call_s < warm_s else [0]
            times = [t for _ in count for t in repeats(self._run, wait, clock, 0.0, self._fresh)]
            self._call_s = statistics.median(times)
        return steady, None if gpu is None else gpu.steady

    def detailed(self, ready: Ready, request: SetUp) -> Ready:
        """Return a reply with what was asked for beside the slots; none where calls alter data."""
        if self._is_fresh:
            return ready
        return self._detail.added(
            ready,
            request,
            lambda inputs: self._answer(self._call(inputs)),
            self._host,
            self._device,
        )

    def captured(self, request: CaptureGraph, workload: Workload) -> Captured:
        """Capture a call as a graph; nothing else may be asked of this process once that failed."""
        wanted, _ = read(load(request.folder, "reference"))
        if wanted.fresh:
            return Captured(seconds=None, why=ALTERS, call_s=0.0)
        self._wanted, self._size = wanted, request.size
        return super().captured(request, workload)

    def _fault(self, answer: Any, request: CaptureGraph, workload: Workload) -> str | None:  # noqa: ANN401
        del workload
        wanted, values = read(load(request.folder, "reference"))
        found = self._compared(answer, wanted, values).agreement
        if found.passed:
            return None
        return f"the answer of a replay is {found.class_}: the capture missed a part of the work"

    def measure(self, scope: Scope, seconds: float) -> Measured:
        """Measure one slot; arguments that a call alters are copied afresh before it, untimed."""
        if not self._is_fresh or scope == "transfer":
            return super().measure(scope, seconds)
        wait, clock = self._backend.synchronise, self._opening.clock
        return timed_slot(self._run, wait, clock, seconds, call_s=self._call_s, ready=self._fresh)

    def traced(self, calls: int) -> Traced:
        """Trace calls of the case that is set up."""
        self._fresh()
        return super().traced(calls)

    def cold(self, workload: Workload, size: int, folder: str) -> ColdCalls:
        """Time the first calls of this process, data travelling each time; count kernels then.

        They are counted here, as this process ends: what counts them slows every later call.
        """
        self._size = size
        with self._subject.failing(size):
            times = super().cold(workload, size, folder)
            moved = tuple(self._to_device(a) for a in self._host)
            kernels = self._subject.kernels(*self._bind(moved))
        return msgspec.structs.replace(times, kernels=kernels)

    def shoot(self, workload: Workload, size: int, folder: str) -> Shot:
        """Time one size as careless code does."""
        self._size = size
        return super().shoot(workload, size, folder)

    def end_case(self) -> None:
        """Let go of the arrays of the case."""
        super().end_case()
        self._bound.clear()
        self._next, self._is_bound = ((), {}), False

    @property
    def _is_fresh(self) -> bool:
        return self._wanted is not None and self._wanted.fresh

    def _inputs(self, folder: str, precision: Any = None) -> tuple[Any, ...]:  # noqa: ANN401
        """Return the arrays among the arguments, in memory of the host."""
        del folder, precision
        self._bound.clear()
        self._arguments = self._subject.arguments(self._size)
        return tuple(placed(leaf.value) for leaf in self._arguments.leaves)

    def _of_same_data(self, wanted: Wanted) -> None:
        assert self._arguments is not None
        if self._arguments.digest() != wanted.digest:
            raise ValueError(
                "its arguments differ from process to process: make them from n and rng alone"
            )

    def _run(self) -> Any:  # noqa: ANN401  what the function gives
        args, kwargs = self._next
        return self._subject.function(*args, **kwargs)

    def _once(self) -> Any:  # noqa: ANN401  what the function gives
        if self._is_fresh and self._subject.compiles:
            # Compiling takes two calls, of which each alters what it is given.
            self._subject.first(self._run)
            self._fresh()
            return self._run()
        return self._subject.first(self._run)

    def _call(self, inputs: tuple[Any, ...]) -> Any:  # noqa: ANN401  what the function gives
        """Call with other arrays of the device; bound once, as that takes time."""
        found = self._bound.get(id(inputs))
        if found is None:
            found = self._bound[id(inputs)] = (inputs, *self._bind(inputs))
        return self._subject.function(*found[1], **found[2])

    def _bind(self, inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        assert self._arguments is not None
        return self._subject.bound(self._arguments, inputs)

    def _fresh(self) -> None:
        """Bind what the next call is given: copies where calls alter it, else what is there."""
        if not self._is_fresh:
            if not self._is_bound:
                self._next, self._is_bound = self._bind(self._device), True
            return
        copies = tuple(self._to_device(a.copy(order="K")) for a in self._host)
        self._next = self._bind(copies)
        self._backend.synchronise()

    def _to_device(self, array: Any) -> Any:  # noqa: ANN401  NumPy in, the library's own out
        return self._subject.moved(array)

    def _move_in(self) -> None:
        super()._move_in()
        self._is_bound = False
        self._fresh()

    def _answer(self, given: Any) -> Answer:  # noqa: ANN401  what the function gave
        """Return the arrays in an answer, as the library has them."""
        leaves = taken_apart(given)[0]
        found = (self._subject.own(leaf.value) for leaf in leaves)
        return Answer(arrays=tuple(a for a in found if is_array(a) and hasattr(a, "nbytes")))

    def _travel_and_run(self) -> None:
        moved = tuple(self._to_device(a) for a in self._host)
        args, kwargs = self._bind(moved)
        for array in self._answer(self._subject.function(*args, **kwargs)).arrays:
            self._subject.fetched(array)

    def _time_to_host(self, answer: Answer, *, parts: bool) -> tuple[tuple[Any, ...], float | None]:
        if not self._on_device or not parts or not answer.arrays:
            return (), None

        def move() -> None:
            for array in answer.arrays:
                self._subject.fetched(array)

        times = repeats(move, self._backend.synchronise, self._opening.clock, PHASE_S)
        return (), statistics.median(times)

    def _host_call(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of one call, in memory of the host."""
        assert self._arguments is not None
        copies = [leaf.value.copy(order="K") for leaf in self._arguments.leaves]
        return self._arguments.call_with(copies)

    def _compared(self, given: Any, wanted: Wanted, values: list[Any]) -> Compared:  # noqa: ANN401
        """Return how an answer, with the arguments that its call altered, compares."""
        assert self._arguments is not None
        leaves = taken_apart(given, numbers=True)[0]
        found = [Leaf(x.path, self._subject.on_host(x.value)) for x in leaves]
        originals = [leaf.value for leaf in self._arguments.leaves]
        after = self._given_arrays(len(originals))
        for place in wanted.altered:
            name = self._arguments.leaves[place].path
            found.append(Leaf(name, after[place]))
        compared = self._subject.compared(found, wanted, values, originals)
        return self._subject.left_alone(
            compared, self._arguments, after, wanted.altered if not wanted.restructured else None
        )

    def _given_arrays(self, count: int) -> list[Any]:
        """Return the arrays among the arguments of the last call, as they are now."""
        found = taken_apart(self._next)[0]
        arrays = [self._subject.on_host(leaf.value) for leaf in found]
        return arrays if len(arrays) == count else []
