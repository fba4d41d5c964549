"""A size that is left out says why there was no room for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.engine import allotment
from breakeven.engine.allotment import Allotment
from breakeven.engine.costs import Task
from breakeven.engine.plan import Effort
from breakeven.model.run import Case, Conditions, Round, Slot
from breakeven.model.spec import RunSpec, WorkloadSpec

SPEC = RunSpec(
    workloads=(WorkloadSpec(name="matmul", sizes=(8, 64)),), backends=("numpy",), budget_s=10.0
)


def _remarks(monkeypatch: pytest.MonkeyPatch, *voided: str | None) -> list[str]:
    """Return what is told when two sizes of 20 s each are planned and there are 10."""
    slots = tuple(
        Slot(turn=i, order=i, median_s=1.0, min_s=1.0, repeats=1, voided=v,
             conditions=Conditions(foreign_cores=1.0))
        for i, v in enumerate(voided)
    )  # fmt: skip
    rounds = (Round(round=0, scope="resident", clock="wall", slots=slots),)
    case = Case(workload="matmul", size=8, entry="numpy-1", status="ok", rounds=rounds)
    told: list[str] = []
    context: Any = SimpleNamespace(
        spec=SPEC, effort=Effort(slots=6), remark=told.append,
        sink=SimpleNamespace(record=lambda: SimpleNamespace(cases=(case,))),
    )  # fmt: skip
    monkeypatch.setattr(allotment, "now", lambda: 0.0)
    monkeypatch.setattr(allotment, "cost_s", lambda *_: 20.0)
    tasks = [Task(workload="matmul", size=s, entries=("numpy-1",)) for s in (8, 64)]
    assert len(list(Allotment(context).affordable(tasks, 10.0, first=True))) == 1
    return told


def test_on_a_calm_machine_more_time_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """The remedy is a larger budget, also where a slot in five was disturbed."""
    (said,) = _remarks(monkeypatch, *[None] * 4, "busy")
    assert said.endswith("a larger --budget has room")


def test_on_a_busy_machine_the_others_are_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cost was foreseen from times that others made long: they are named, no budget is."""
    (said,) = _remarks(monkeypatch, None, None, None, "busy")
    assert "the machine is busy" in said
    assert "stop what else runs" in said
    assert "--budget" not in said


def test_one_size_is_measured_whatever_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without scouting and without time the smallest size is measured, and the other told."""
    told: list[str] = []
    context: Any = SimpleNamespace(
        spec=SPEC, effort=Effort(slots=4, scout_slots=0), remark=told.append,
        sink=SimpleNamespace(record=lambda: SimpleNamespace(cases=())),
    )  # fmt: skip
    monkeypatch.setattr(allotment, "now", lambda: 50.0)
    monkeypatch.setattr(allotment, "cost_s", lambda *_: 20.0)
    tasks = [Task(workload="matmul", size=s, entries=("numpy-1",)) for s in (64, 8)]
    found = list(Allotment(context).affordable(tasks, 10.0, first=True))
    assert [t.size for t in found] == [8]
    assert len(told) == 1
