"""One command for all benchmarks: what it would run, for how long, and what it leaves out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import all as benchmarks
from all import GROUPS, HERE, ROWS, Planned, Row, plan, run, told


def test_each_group_fits_ten_minutes_with_a_gpu() -> None:
    """What is foreseen for a group on a machine with a GPU is under 600 s."""
    for group in GROUPS:
        planned = plan(gpu=True, groups=[group])
        assert sum(one.seconds or 0.0 for one in planned) < 600


def test_without_a_gpu_its_rows_are_left_out_with_the_reason() -> None:
    """A row that needs a GPU is named with why it is not run, and costs no time."""
    one = plan(gpu=False, only=["device_clock"])[0]
    assert (one.seconds, one.why) == (None, "needs an NVIDIA GPU")
    assert "not run: needs an NVIDIA GPU" in told([one])[0]


def test_a_script_that_is_missing_is_named(tmp_path: Path) -> None:
    """What lies not in the folder is no failure of the others."""
    found = plan(gpu=False, groups=["clocks"], folder=tmp_path)
    assert all(one.seconds is None for one in found)
    assert "benchmarks/wall_clock.py is not here" in {one.why for one in found}


def test_unknown_names_are_refused() -> None:
    """A row or a group that does not exist ends before anything runs, with what there is."""
    with pytest.raises(ValueError, match=r"unknown: x; rows: aa"):
        plan(gpu=False, only=["x"])
    with pytest.raises(ValueError, match="unknown: y"):
        plan(gpu=False, groups=["y"])


def test_the_cost_is_told_beforehand() -> None:
    """Each row with its seconds, then the minutes of all."""
    lines = told([Planned(ROWS[1], 80.0, None), Planned(ROWS[2], 100.0, None)])
    assert lines[0].split() == ["clocks", "wall_clock", "80", "s"]
    assert lines[-1].startswith("about 3 min in all")


def test_how_a_row_ended_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Done, not to be run here, failed, or ended because it took too long."""
    monkeypatch.setattr(benchmarks, "HERE", tmp_path)
    monkeypatch.setattr(benchmarks, "LIMIT_MORE_S", 0.0)
    ends = {"good": "", "cannot": "raise SystemExit(3)", "bad": "raise SystemExit(7)",
            "slow": "import time\ntime.sleep(60)"}  # fmt: skip
    seen = {}
    for name, body in ends.items():
        (tmp_path / f"{name}.py").write_text(f"import sys\n{body}\n")
        seconds = 0.2 if name == "slow" else 60.0
        one = Planned(Row(name, "clocks", seconds, None), seconds, None)
        seen[name] = run(one, tmp_path, gpu=False)
    assert seen["good"].startswith("done in")
    assert seen["cannot"] == "cannot be run here"
    assert seen["bad"].startswith("failed with 7")
    assert seen["slow"].startswith("ended after")


def test_the_plan_can_be_had_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """With --list nothing is run."""
    assert benchmarks.main(["--list", "--only", "own_cost"]) == 0
    assert "own_cost" in capsys.readouterr().out


def test_every_script_is_there_or_to_come() -> None:
    """Rows have names of their own, and those of clocks and answers have their scripts."""
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert all((HERE / f"{r.name}.py").exists() for r in ROWS if r.group != "noise")
    assert sys.executable
