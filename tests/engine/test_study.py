"""How long the pieces of a study may take, and whom it is about."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.analysis.energy import energies
from breakeven.backends.scripted import Actor, Script, ScriptedBackend
from breakeven.engine.costs import Task
from breakeven.engine.job_bench import JobBench
from breakeven.engine.job_messages import RunSteps, TakePhases
from breakeven.engine.job_study import latency_of, run_steps, take_phases
from breakeven.engine.messages import Failed
from breakeven.engine.recorder import Recorder
from breakeven.engine.study import (
    LONGEST_STRETCH_S,
    PLAIN_STRETCH_S,
    ROUNDS,
    SHORTEST_STRETCH_S,
    STRETCH_SHARE,
    Studies,
    pieces,
    studied,
)
from breakeven.model.event import Began
from breakeven.model.settlement import Settlement, WorkloadState
from breakeven.model.spec import TrainingSpec
from breakeven.model.timeline import Series
from breakeven.store.sink import MemorySink
from breakeven.workloads.training.base import Facts, Phases
from engine.job_casts import training_run
from records import entry


class Clock:
    """A clock that only steps move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.log: list[str] = []

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def wait(self) -> None:
        """Let the device finish."""
        self.log.append("wait")


class Steps:
    """A job whose parts take given times."""

    facts = Facts(
        model="m", data="d", classes=2, image=(1, 1, 1), batch_size=4, steps_per_epoch=1,
        samples_per_epoch=4, train_samples=4, test_samples=4, parameters=1,
    )  # fmt: skip

    def __init__(self, clock: Clock, step_s: float) -> None:
        self._clock, self._step_s = clock, step_s

    def step(self) -> None:
        """Take a step."""
        self._clock.log.append("step")
        self._clock.now += self._step_s

    def phased_step(self, wait: object, clock: object) -> Phases:
        """Take a step in three parts."""
        del wait, clock
        self._clock.log.append("phased")
        self._clock.now += 2 * self._step_s
        part = self._step_s / 2
        return Phases(loader_s=part, to_device_s=part, forward_s=2 * part, step_s=4 * part)


@pytest.mark.parametrize("left_s", [1.0, 30.0, 120.0, 600.0])
@pytest.mark.parametrize("cases", [1, 4, 20])
def test_all_stretches_together_keep_their_share(left_s: float, cases: int) -> None:
    """Unless the shortest that says anything asks for more."""
    plan = pieces(left_s, cases, bound=True, requests=False)
    whole = ROUNDS * cases * plan.stretch_s
    least = ROUNDS * cases * SHORTEST_STRETCH_S
    assert whole <= max(STRETCH_SHARE * left_s, least) + 1e-9
    assert SHORTEST_STRETCH_S <= plan.stretch_s <= LONGEST_STRETCH_S


@pytest.mark.parametrize("left_s", [1.0, 600.0])
def test_the_idle_stretch_is_long_enough_for_a_counter_of_tenths(left_s: float) -> None:
    """What its steps leave open at the ends is under the 5 % that an energy may leave open."""
    idle_s = pieces(left_s, 20, bound=True, requests=False).idle_s
    counter = Series(
        sensor="gpu0.energy_j",
        t_s=tuple(0.05 + 0.1 * i for i in range(round(10 * idle_s) + 1)),
        value=tuple(8.0 * i for i in range(round(10 * idle_s) + 1)),
    )
    gpu, _ = energies([counter], 0.0, idle_s)
    assert gpu.gross_j is not None


def test_requests_take_half_of_a_stretch() -> None:
    """Single requests and steps without a pause share the time."""
    alone = pieces(120.0, 2, bound=True, requests=False)
    both = pieces(120.0, 2, bound=True, requests=True)
    assert both.stretch_s + both.requests_s == pytest.approx(alone.stretch_s)
    assert alone.requests_s == 0.0


def test_a_number_of_rounds_has_stretches_of_a_fixed_length() -> None:
    """Where no budget bounds a run, what is left of it says nothing."""
    assert pieces(0.0, 4, bound=False, requests=False).stretch_s == PLAIN_STRETCH_S


def test_the_best_cpu_entry_and_all_gpus_are_studied() -> None:
    """The base of that size is taken, and what repeats another entry is left out."""
    one, two = entry("torch-cpu", 1), entry("torch-cpu", 2, default=True)
    gpu = entry("torch-cuda")
    twin = entry("torch-cpu", 1, twin_of=one.id)
    state = WorkloadState(
        workload="train", open_sizes=(), settled_sizes=(), bases={64: one.id, 128: two.id}
    )
    found = Settlement(pairs=(), workloads=(state,), rounds=1, next_look=3, settled=False)
    everyone = (one, two, gpu, twin)
    assert studied(everyone, found, "train", 64) == (one, gpu)
    assert studied(everyone, found, "train", 128) == (two, gpu)
    # Without a base the library's own threads stand for the CPU.
    assert studied(everyone, found, "infer", 64) == (two, gpu)


def test_phased_steps_and_plain_ones_come_in_turn() -> None:
    """What drifts meanwhile drifts for both; the plain one is awaited at its end alone."""
    clock = Clock()
    job = Steps(clock, 0.1)
    found = take_phases(job, TakePhases(round=2, seconds=0.0), clock.wait, clock).phases  # type: ignore[arg-type]
    assert clock.log == ["wait", *["phased", "step", "wait"] * 3]
    assert (found.round, found.steps) == (2, 3)
    assert found.plain_step_s == pytest.approx(0.1)
    assert found.step_s == pytest.approx(0.2)
    assert found.backward_s is None


def test_a_stretch_is_awaited_at_its_end_alone() -> None:
    """Steps follow each other without a pause, and the last one counts when it is done."""
    clock = Clock()
    found = run_steps(Steps(clock, 0.1), RunSteps(seconds=1.0), clock.wait, clock)  # type: ignore[arg-type]
    assert clock.log[0] == clock.log[-1] == "wait"
    assert "wait" not in clock.log[1:-1]
    assert found.samples == 4 * found.steps
    assert found.end_s - found.begin_s == pytest.approx(0.1 * found.steps)
    assert found.end_s - found.begin_s >= 1.0


def test_a_step_that_is_longer_than_its_stretch_is_taken_three_times() -> None:
    """Fewer would say nothing of how steps differ."""
    clock = Clock()
    found = run_steps(Steps(clock, 5.0), RunSteps(seconds=1.0), clock.wait, clock)  # type: ignore[arg-type]
    assert found.steps == 3


def test_percentiles_are_told_where_requests_are_enough() -> None:
    """A hundred requests have a 99th percentile, fifty have none."""
    times = [i / 1000 for i in range(1, 101)]
    many, few = latency_of(times, 1), latency_of(times[:50], 1)
    assert (many.p50_s, many.p95_s, many.p99_s, many.worst_s) == (0.05, 0.095, 0.099, 0.1)
    assert few.p99_s is None
    assert few.p95_s is not None


@pytest.mark.parametrize("journey_s", [0.0, 4e-3])
def test_a_scripted_stretch_is_as_fast_as_its_slots(journey_s: float) -> None:
    """Steps that are queued take their time one by one, each with its journey."""
    actor = Actor(
        compute_s={"train": {64: 2e-2}},
        journey_s={"train": {64: journey_s}} if journey_s else {},
        device="cuda:0",
    )
    backend = ScriptedBackend("scripted:gpu", Script(actors={"gpu": actor}))
    bench = JobBench(backend, backend.open(), TrainingSpec(), "float32")
    job = bench.begin("train", 64, 7)
    slot = bench.measure("transfer", 1.0)
    run = run_steps(job, RunSteps(seconds=2.0), bench.wait, bench.clock)
    assert (run.end_s - run.begin_s) / run.steps == pytest.approx(slot.median_s, rel=0.01)
    # The queue is short: a stretch lasts about as long as was asked.
    assert run.end_s - run.begin_s < 2.5


def test_a_case_that_always_fails_stops_the_idling_after_three_rounds(tmp_path: Path) -> None:
    """Attempts count, so that later rounds neither wait idly nor try again."""
    record = training_run("torch-cpu", sizes=(64,))
    sink = MemorySink()
    sink.append(Began(record=record))
    context: Any = SimpleNamespace(
        spec=record.spec, facts={}, patience_s=1.0, left_s=lambda: 60.0, tell=lambda _: None,
        predicted_s=lambda *_: 0.0, workload=lambda _: None, sink=sink, emit=sink.append,
    )  # fmt: skip
    found = Settlement(pairs=(), workloads=(), rounds=1, next_look=3, settled=False)
    idled: list[float] = []
    asked: list[int] = []
    recorder = Recorder(record, tmp_path, on=False)
    studies = Studies(context, recorder, lambda: found, idled.append)
    one = entry("torch-cpu", 2, default=True)
    for number in range(1, 7):

        def ask(_entry: object, request: object, _s: float, number: int = number) -> Failed:
            if isinstance(request, TakePhases):
                asked.append(number)
            return Failed(status="error", why="no phases")

        team: Any = SimpleNamespace(
            number=number, title=f"round {number}", entries={one.id: one}, ask=ask,
            alive=lambda _id: True,
        )  # fmt: skip
        studies.opened(team)
        task = Task(workload="train", size=64, entries=(one.id,), parts=False)
        studies.sized(team, task, (one,))
    assert asked == list(range(1, ROUNDS + 1))
    assert len(idled) == ROUNDS
