"""The busy share read by other methods: each against a truth, and what a row says of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import busy_share
from kineto import Sketch


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Return a trace of two steps whose device is busy for 45 % of them."""
    sketch = Sketch()
    sketch.steps([100, 200])
    sketch.launched(5, 10, 40)
    sketch.launched(6, 20, 20, stream=20)
    sketch.launched(60, 150, 60)
    return sketch.write(tmp_path / "trace.json.gz")


def test_every_reading_finds_the_planted_share(trace: Path) -> None:
    """Overlapping work counts once, and what runs on after the window does not count."""
    row = busy_share.beside(trace, None)
    assert row["ours"] == pytest.approx(0.45)
    assert row["grid"] == pytest.approx(0.45, abs=1e-5)
    assert row["random"] == pytest.approx(0.45, abs=0.01)
    assert sum(row["idle_s"].values()) == pytest.approx(0.55 * row["span_s"])
    made = busy_share.result([row])
    assert made.met is True
    assert made.figure.endswith("points at most in 1 traces, beside grid, random instants")


def test_a_reading_that_differs_is_a_miss(trace: Path) -> None:
    """Three points between ours and any other reading are too many."""
    row = busy_share.beside(trace, None) | {"grid": 0.48}
    assert busy_share.result([row]).met is False


def test_a_trace_that_cannot_be_read_leaves_the_row_open(trace: Path, tmp_path: Path) -> None:
    """What was read agrees, and yet not every trace was."""
    path = tmp_path / "broken.json"
    path.write_text("{")
    rows = [busy_share.beside(trace, None), busy_share.beside(path, None)]
    made = busy_share.result(rows)
    assert made.met is None
    assert busy_share.result(rows[1:]).figure == "no trace could be read"


def test_the_grid_and_the_instants_know_no_interval() -> None:
    """Both are right on work that lies within other work, touches it, or lies outside."""
    work = np.array([[0.0, 5.0], [1.0, 2.0], [5.0, 6.0], [20.0, 30.0], [-9.0, -1.0]])
    assert busy_share.on_a_grid(work, 0.0, 10.0, 1000) == pytest.approx(0.6, abs=2e-3)
    assert busy_share.at_random(work, 0.0, 10.0) == pytest.approx(0.6, abs=1e-2)


def test_the_figures_of_another_program_are_of_its_own_window() -> None:
    """HolisticTraceAnalysis looks from the first work to the last: ours is then read there too."""
    work = np.array([[10.0, 50.0], [150.0, 210.0]])
    found = {"idle_us": 100.0, "span_us": 200.0, "why": [["host_wait", 100.0]]}
    row = busy_share._hta_row(found, work)
    assert row["hta"] == pytest.approx(0.5)
    assert row["grid_of_hta_s_window"] == pytest.approx(0.5, abs=1e-5)
    whole = {"ours": 0.45, "grid": 0.45, "random": 0.45, **row}
    assert busy_share.apart(whole) == pytest.approx(0.0, abs=1e-5)
    assert busy_share.apart(whole | {"hta": 0.6}) == pytest.approx(0.1, abs=1e-5)
