"""What a run is announced to take, on calls whose times are scripted."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.engine.context import Context
from breakeven.engine.costs import (
    LOADER_S,
    LOOKS,
    PARTS_S,
    SET_UP_S,
    SLOT_S,
    WARM_CALLS,
    Task,
    cost_s,
)
from breakeven.engine.forecast import (
    announcement,
    another_fits,
    kept,
    known_calls,
    least_s,
    pace,
    rounds_s,
)
from breakeven.engine.plan import Effort
from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training.base import Facts
from engine.casts import actor, began, measured, script
from engine.casts import gpu as gpu_actor
from engine.job_casts import training_run
from records import CUPY, CURVES, NUMPY, machine, record

EFFORT = Effort(slots=6, slot_s=0.02, warm_s=0.06)
CALLS = {("numpy-16", "matmul", 64): 0.5, ("cupy", "matmul", 64): 1e-3}


def context(**fields: object) -> Context:
    """Return a context that knows the time of one call of either entry."""
    sink = SimpleNamespace(record=lambda: SimpleNamespace(entries=(NUMPY, CUPY)))
    values: dict[str, Any] = {
        "spec": began("numpy", "cupy", sizes=(64,)).spec, "machine": machine(), "effort": EFFORT,
        "sink": sink, "crew": None, "inputs": None, "scratch": Path(), "meter": None,
        "progress": None, "deadline": 0.0, "patience_s": 1.0, "rng": random.Random(0),
        "call_s": dict(CALLS),
    }  # fmt: skip
    return Context(**(values | fields))


TASK = Task(workload="matmul", size=64, entries=("numpy-16", "cupy"), parts=False)


def test_a_round_costs_its_slots_and_what_goes_before_them() -> None:
    """Long calls fill a slot alone; short ones its least time, in both scopes on a GPU."""
    slow = SET_UP_S + WARM_CALLS * 0.5 + 6 * 0.5
    quick = SET_UP_S + 0.06 + 2 * 6 * (0.02 + SLOT_S)
    assert cost_s(context(), TASK, 6) == pytest.approx(slow + quick)


def test_rounds_are_foreseen_from_the_scouting() -> None:
    """Each round starts its team and goes at the pace seen; the first times the parts as well."""
    one = cost_s(context(), TASK, 6)
    seen = context(team_s=2.5, pace=1.3)
    assert rounds_s(seen, [TASK], [], 3) == pytest.approx(3 * (2.5 + 1.3 * one))
    with_parts = msgspec.structs.replace(TASK, parts=True)
    more = rounds_s(seen, [with_parts], [TASK], 3) - rounds_s(seen, [TASK], [TASK], 3)
    assert more == pytest.approx(1.3 * PARTS_S)


def test_looks_at_the_gpu_are_counted_with_every_slot_and_set_up() -> None:
    """A look that takes as long as a slot doubles it; a CPU is not looked at."""
    looked = context(look_s=0.02)
    slots = 2 * 6
    assert cost_s(looked, TASK, 6) - cost_s(context(), TASK, 6) == pytest.approx(
        (slots + LOOKS) * 0.02
    )
    cpu = msgspec.structs.replace(TASK, entries=("numpy-16",))
    assert cost_s(looked, cpu, 6) == cost_s(context(), cpu, 6)


def test_calls_of_a_run_that_goes_on_are_known_from_its_slots() -> None:
    """Without a scouting of its own it foresees from what it measured before."""
    made = record(sizes=(128,), spread=0.0, slot_noise=0.0)
    known = known_calls(made)
    assert set(known) == {(e.id, "matmul", 128) for e in made.entries}
    for key, seconds in known.items():
        assert seconds == pytest.approx(CURVES[key[0]](128))


@given(st.floats(min_value=0.5, max_value=4), st.floats(min_value=-0.1, max_value=0.1))
def test_a_pace_that_holds_is_kept(true_pace: float, drift: float) -> None:
    """Rounds that go at the scouted pace, a tenth off at most, end within what is kept."""
    one = cost_s(context(), TASK, 6)
    scouted = cost_s(context(), TASK, 3)
    seen = context(team_s=2.0, pace=pace(true_pace * scouted, scouted))
    announced = rounds_s(seen, [TASK], [], 5)
    assert kept(announced, 5 * (2.0 + true_pace * (1 + drift) * one))


def test_nothing_is_foreseen_to_go_quicker_than_planned() -> None:
    """A lucky scouting does not shorten the announcement; without scouting the plan stands."""
    assert pace(1.0, 2.0) == 1.0
    assert pace(3.0, 2.0) == 1.5
    assert pace(1.0, 0.0) == 1.0


def test_a_budget_is_an_upper_end() -> None:
    """It is announced as such, since a run that settles everything ends before."""
    spec = began("numpy", rounds=None, budget_s=600.0).spec
    assert announcement(spec) == "at most about 10 min, less if all is settled before"


def test_rounds_have_a_lower_end_before_anything_is_timed() -> None:
    """The slots of two entries take so long whatever the calls take."""
    spec = began("numpy", sizes=(8, 16, 32), rounds=10).spec
    assert least_s(spec) == pytest.approx(10 * 3 * 2 * 6 * 0.02)
    assert announcement(spec) == "7 s and more, told after scouting"


@given(
    st.floats(min_value=1, max_value=1e4),
    st.floats(min_value=0, max_value=1),
    st.floats(min_value=0, max_value=1),
)
def test_a_round_that_is_begun_ends_within_what_is_kept(
    budget_s: float, left: float, share: float
) -> None:
    """Whatever is left and however long a round takes, one that is begun keeps the budget."""
    left_s, round_s = left * budget_s, share * budget_s
    if another_fits(left_s, round_s, budget_s):
        assert kept(budget_s, budget_s - left_s + round_s)
    else:
        assert round_s > left_s


def test_a_run_tells_its_rounds_once(tmp_path: Path) -> None:
    """After scouting, and before the first round, a person is told what the rounds will take."""
    said: list[str] = []
    steps: list[str] = []
    measured(
        began(script(tmp_path, gpu=gpu_actor()), sizes=(8, 16), rounds=2),
        progress=lambda text, _: steps.append(text),
        say=lambda text: (said.append(text), steps.append(text)),
    )  # fmt: skip
    assert [text.startswith("Scouted: 2 rounds take about ") for text in said] == [True]
    first = next(i for i, text in enumerate(steps) if text.startswith("round 1"))
    assert steps.index(said[0]) < first
    said.clear()
    measured(
        began(script(tmp_path, gpu=gpu_actor()), sizes=(8,), rounds=None, budget_s=2.0),
        say=said.append,
    )  # fmt: skip
    assert said == []


def test_a_run_that_goes_on_tells_the_rest_after_its_first_round(tmp_path: Path) -> None:
    """Scouting is not repeated: one round of three that are missing tells what two will take."""
    said: list[str] = []
    name = script(tmp_path, cpu=actor(), gpu=gpu_actor())
    whole = measured(began(name, sizes=(8,), rounds=4))
    kept_cases = tuple(
        msgspec.structs.replace(c, rounds=tuple(r for r in c.rounds if r.round < 2))
        for c in whole.cases
    )
    halved = msgspec.structs.replace(whole, cases=kept_cases, interrupted=True, finished=None)
    again = measured(halved, say=said.append)
    assert [text.startswith("Resumed: 2 rounds take about ") for text in said] == [True]
    assert {r.round for c in again.cases for r in c.rounds} == {0, 1, 2, 3, 4}


FACTS = Facts(
    model="cnn", data="digits", classes=10, image=(1, 8, 8), batch_size=64, steps_per_epoch=20,
    samples_per_epoch=1280, train_samples=1300, test_samples=400, parameters=1000, flops=10**6,
)  # fmt: skip


def _loading(workers: int) -> float:
    """Return what one round of a training's batch of 64 is foreseen to take."""
    entry = msgspec.structs.replace(NUMPY, id="torch-cpu-2", backend="torch-cpu")
    sink = SimpleNamespace(record=lambda: SimpleNamespace(entries=(entry,)))
    spec = training_run("torch-cpu", sizes=(64,), training=TrainingSpec(workers=workers)).spec
    seen = context(
        spec=spec,
        sink=sink,
        call_s={("torch-cpu-2", "train", 64): 0.05},
        training=spec.training,
        facts={"train": {64: FACTS}},
    )
    task = Task(workload="train", size=64, entries=("torch-cpu-2",), parts=False)
    return cost_s(seen, task, 6)


def test_slots_with_a_loader_of_several_processes_are_foreseen_longer() -> None:
    """Four batches lie ready with two processes: each slot takes them, then two turns of them."""
    more = _loading(2) - _loading(0)
    assert more == pytest.approx(2 * LOADER_S + 6 * (4 * 0.05 + (2 * 4 - 1) * 0.05))
