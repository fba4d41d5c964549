"""A neighbour on the CPU, in a session of real calls."""

from __future__ import annotations

import pytest

from breakeven.analysis.judge import apply, judge
from breakeven.engine.conditions import CpuMeter
from breakeven.report.page import build
from engine.casts import began, measured


def test_a_busy_neighbour_voids_slots_and_is_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others are read to take 1.5 cores all along: slots do not count, and the answer names them."""
    monkeypatch.setattr(CpuMeter, "foreign_cores", lambda *_: 1.5)
    run = measured(began("numpy", "torch-cpu", sizes=(64,), rounds=1, budget_s=1.0))
    slots = [
        s for c in run.cases for r in c.rounds if r.clock == "wall" for s in r.slots
    ]  # fmt: skip
    assert slots
    # The last window of a size may be too short to be read.
    assert sum(s.voided == "busy" for s in slots) > len(slots) / 2
    run = apply(run, judge(run))
    assert {v.word for v in run.verdicts} <= {"withheld"}
    said = " ".join(build(run).answers)
    assert "other processes took" in said
    assert "--budget" not in said
    assert not any("--budget" in r for r in run.remarks)
