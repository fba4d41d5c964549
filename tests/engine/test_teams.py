"""Rounds of fresh teams: which are started, in what order, and what is told of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from breakeven.engine import teams
from breakeven.engine.recorder import Recorder
from breakeven.errors import InputError
from breakeven.model.run import Entry
from breakeven.model.scaling import Team
from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training import launch as launching
from engine.job_casts import training_run
from records import entry


class Started:
    """Stands for torchrun: says that each team took a second, and remembers it."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int, str, int]] = []
        self.plans: list[Any] = []

    def __call__(self, _spec: Any, size: int, count: int, device: str, *rest: Any) -> Team:  # noqa: ANN401
        """Return a team as if it had run."""
        _folder, number, plan = rest
        if count > 8:
            raise InputError("more than cores", "ask for fewer")
        self.asked.append((size, count, device, number))
        self.plans.append(plan)
        return Team(
            workload="train", size=size, processes=count, round=number, backend="gloo",
            strategy="ddp", seconds=1.0, samples=100, ranks=(), begin_s=10.0, end_s=11.0,
        )  # fmt: skip


def _context(
    folder: Path, gpus: tuple[int, ...], had: tuple[Team, ...] = (), *, compiled: bool = False
) -> Any:  # noqa: ANN401
    import random

    record = training_run(
        "torch-cpu", sizes=(64,), training=TrainingSpec(gpus=gpus, compile=compiled)
    )
    record = replace(record, teams=had)
    context = SimpleNamespace(
        spec=record.spec, training=record.spec.training, machine=record.machine, scratch=folder,
        rng=random.Random(1), deadline=0.0, said=[], remarks=[], events=[],
        sink=SimpleNamespace(record=lambda: record), tell=lambda _text: None,
        predicted_s=lambda *_: 0.01, workload=lambda _name: None,
    )  # fmt: skip
    context.say = context.said.append
    context.remark = context.remarks.append
    context.emit = context.events.append
    return context


def _run(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    gpus: tuple[int, ...],
    had: tuple[Team, ...] = (),
    entries: tuple[Entry, ...] = (entry("torch-cpu", 2, default=True),),
) -> tuple[Any, Started]:
    started = Started()
    monkeypatch.setattr(launching, "launch", started)
    context = _context(folder, gpus, had)
    recorder = Recorder(context.sink.record(), folder, on=False)
    teams.Teams(context, recorder).run(entries)
    return context, started


def test_each_round_has_every_number_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process is the base of an efficiency, so it takes part unasked."""
    context, started = _run(tmp_path, monkeypatch, (2, 4))
    for number in range(1, teams.ROUNDS + 1):
        assert sorted(c for _, c, _, n in started.asked if n == number) == [1, 2, 4]
    assert len(context.events) == 3 * teams.ROUNDS
    assert context.said


def test_a_stretch_lasts_about_as_long_whatever_a_step_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps are as many as fit, within bounds."""
    _, started = _run(tmp_path, monkeypatch, (1,))
    steps = int(min(teams.MOST_STEPS, teams.STRETCH_S / 0.01))
    assert {p.steps for p in started.plans} == {steps}


def test_teams_that_an_interrupted_run_had_are_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A resumed run goes on with those that are missing."""
    known = Team(
        workload="train", size=64, processes=1, round=1, backend="gloo", strategy="ddp",
        seconds=1.0, samples=1, ranks=(),
    )  # fmt: skip
    _, started = _run(tmp_path, monkeypatch, (1, 2), (known,))
    assert (64, 1, "cpu", 1) not in started.asked
    assert (64, 2, "cpu", 1) in started.asked


def test_more_processes_than_cores_are_told_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other numbers are measured all the same."""
    context, started = _run(tmp_path, monkeypatch, (1, 16))
    assert any("16 processes were not measured" in r for r in context.remarks)
    assert {c for _, c, _, _ in started.asked} == {1}


def test_a_run_that_asks_for_none_starts_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is said of several processes then."""
    context, started = _run(tmp_path, monkeypatch, ())
    assert not started.asked
    assert not context.said


def test_gpus_that_are_not_there_are_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither rounds nor sizes repeat it, and no round starts such a team."""
    context, started = _run(tmp_path, monkeypatch, (4,), entries=(entry("torch-cuda"),))
    assert len(context.machine.gpus) < 4
    assert len([r for r in context.remarks if r.startswith("4 GPUs were asked for")]) == 1
    assert 4 not in {c for _, c, _, _ in started.asked}


@pytest.mark.parametrize("compiled", [True, False])
def test_teams_that_are_not_compiled_are_told_where_compiling_was_asked_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiled: bool,
) -> None:
    """Once, and not where nobody asked."""
    monkeypatch.setattr(launching, "launch", Started())
    context = _context(tmp_path, (2,), compiled=compiled)
    recorder = Recorder(context.sink.record(), tmp_path, on=False)
    teams.Teams(context, recorder).run((entry("torch-cpu", 2, default=True),))
    assert context.remarks == [teams.UNCOMPILED] * compiled


def test_the_strategy_that_was_asked_for_is_that_of_every_team(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DataParallel has its own figure for one GPU too: the base of its efficiency."""
    started = Started()
    monkeypatch.setattr(launching, "launch", started)
    context = _context(tmp_path, (2,))
    context.training = replace(context.training, strategy="data_parallel")
    recorder = Recorder(context.sink.record(), tmp_path, on=False)
    teams.Teams(context, recorder).run((entry("torch-cpu", 2, default=True),))
    assert {plan.strategy for plan in started.plans} == {"data_parallel"}
