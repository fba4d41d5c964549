"""Trainings whose budget runs short: what they do without, and how long a piece may take."""

from __future__ import annotations

from dataclasses import replace as with_fields
from pathlib import Path

import pytest
from msgspec.structs import replace

from breakeven.engine.clock import now
from breakeven.engine.haste import EXAMINE_DEADLINE_S, LEAST_S, examine_s, reference_s
from breakeven.engine.jobs import examine
from breakeven.errors import InputError
from breakeven.model.remarks import RUN_TOOK
from breakeven.model.spec import TrainingSpec
from engine.job_casts import cast, gpu_trainer, trained, trainer, training_run
from records import machine

NEVER = "import select\n\n\ndef never():\n    select.select([], [], [])\n"


def test_a_run_whose_time_is_gone_measures_one_size_and_says_so(tmp_path: Path) -> None:
    """No first call, thread count, study or trace is taken then; one round of one size is."""
    name = cast(tmp_path, cpu=trainer(), gpu=gpu_trainer())
    record = training_run(name, rounds=None, budget_s=20.0)
    looked = examine(record.spec, record.machine)
    told: list[tuple[str, float]] = []
    run = trained(
        record,
        jobs=with_fields(looked, begun_s=now() - 100.0),
        progress=lambda text, left: told.append((text, left)),
    )
    sizes = {c.size for c in run.cases if any(r.round > 0 for r in c.rounds)}
    assert len(sizes) == 1
    assert {r.round for c in run.cases for r in c.rounds} == {1}
    assert not run.cold_starts
    assert not any(s.phases or s.stretches or s.trace for s in run.studies)
    assert not any("scouting" in text for text, _ in told)
    assert any(r.startswith(RUN_TOOK) for r in run.remarks)
    assert any("first calls were not measured" in r for r in run.remarks)
    assert any("thread counts were not tried" in r for r in run.remarks)
    assert any("was not taken apart" in r for r in run.remarks)
    # What is left is told as more than was announced, not as nothing.
    assert all(left < -50 for text, left in told if text.startswith("round 1"))


def test_a_number_of_rounds_is_bound_by_no_budget(tmp_path: Path) -> None:
    """With ``--rounds`` everything is measured however long it takes."""
    record = training_run(cast(tmp_path, cpu=trainer()), rounds=1, sizes=(32,))
    looked = examine(record.spec, record.machine)
    run = trained(record, jobs=with_fields(looked, begun_s=now() - 1000.0))
    assert run.cold_starts
    assert any(s.phases for s in run.studies)


@pytest.mark.parametrize(("budget_s", "longest_s"), [(1.0, LEAST_S), (20.0, 20.0), (3600.0, 300.0)])
def test_model_and_data_have_the_budget_to_be_there(budget_s: float, longest_s: float) -> None:
    """A factory that does not return ends with the budget, and after five minutes in any case."""
    spec = training_run("torch-cpu", rounds=None, budget_s=budget_s).spec
    assert examine_s(spec) == longest_s
    assert examine_s(replace(spec, rounds=3)) == EXAMINE_DEADLINE_S


def test_a_reference_takes_a_tenth_of_a_short_budget() -> None:
    """Ten float64 steps of a large network would take all of it."""
    spec = training_run("torch-cpu", rounds=None, budget_s=20.0).spec
    assert reference_s(spec, 12.0) == pytest.approx(2.0)
    assert reference_s(replace(spec, budget_s=600.0), 12.0) == 12.0


def test_a_factory_that_never_returns_ends_with_the_budget(tmp_path: Path) -> None:
    """The run says so in one line, and what to do; nothing was measured yet."""
    own = tmp_path / "own.py"
    own.write_text(NEVER)
    record = training_run(
        "torch-cpu", rounds=None, budget_s=1.0, training=TrainingSpec(model=f"{own}:never")
    )
    with pytest.raises(InputError, match=r"were not there after 5 s.*--budget"):
        examine(record.spec, machine(gpu=False, cores=1))
