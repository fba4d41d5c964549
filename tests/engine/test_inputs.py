"""Inputs and references of cases as files, made once."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from breakeven.engine.bench import load
from breakeven.engine.inputs import (
    MAKE_DEADLINE_S,
    PREFIX,
    CannotMakeError,
    Inputs,
    make_deadline_s,
    scratch_folder,
)
from breakeven.engine.processes import Crew, crew
from breakeven.workloads.matmul import Matmul
from breakeven.workloads.mlp import Mlp


@pytest.fixture
def staff() -> Iterator[Crew]:
    """Return a crew that is ended after the test."""
    with crew() as made:
        yield made


def test_files_hold_what_the_workload_makes(staff: Crew, tmp_path: Path) -> None:
    """Inputs come back in the order that `run` takes them, references by name."""
    folder = Inputs(staff, tmp_path, "float32", 42).folder_of(Mlp(), 8)
    inputs, references = Mlp().make(8, "float32", 42)
    for prefix, made in (("input", inputs), ("reference", references)):
        stored = load(str(folder), prefix)
        assert list(stored) == list(made)
        assert all(np.array_equal(stored[name], made[name]) for name in made)


def test_the_same_seed_makes_the_same_files(staff: Crew, tmp_path: Path) -> None:
    """Two runs with one seed compute on the same bytes; another seed makes others."""
    texts = []
    for number, seed in enumerate((42, 42, 43)):
        place = tmp_path / str(number)
        place.mkdir()
        folder = Inputs(staff, place, "float64", seed).folder_of(Matmul(), 8)
        texts.append({f.name: f.read_bytes() for f in folder.iterdir()})
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


def test_a_case_is_made_once(staff: Crew, tmp_path: Path) -> None:
    """The second time the files are there: no maker is asked."""
    inputs = Inputs(staff, tmp_path, "float32", 42)
    folder = inputs.folder_of(Matmul(), 8)
    staff.end_all()
    assert inputs.folder_of(Matmul(), 8) == folder
    assert not staff.workers


def test_a_killed_maker_is_replaced(staff: Crew, tmp_path: Path) -> None:
    """The case at hand cannot be made, with the signal as the reason; the next one is."""
    inputs = Inputs(staff, tmp_path, "float32", 42)
    inputs.folder_of(Matmul(), 8)
    os.kill(staff.workers[0].pid, signal.SIGKILL)
    with pytest.raises(CannotMakeError, match=r"could not be made \(killed by SIGKILL\)"):
        inputs.folder_of(Matmul(), 16)
    assert inputs.folder_of(Matmul(), 16).is_dir()


class Usage(NamedTuple):
    """What `shutil.disk_usage` says."""

    total: int
    used: int
    free: int


def test_a_maker_of_little_is_not_waited_for_like_one_of_much() -> None:
    """A stopped maker of small inputs must not cost more than a run's budget."""
    assert make_deadline_s(Matmul(), 512, "float32") < 50.0
    assert make_deadline_s(Matmul(), 8192, "float32") == MAKE_DEADLINE_S


def test_a_full_disk_is_foreseen(
    staff: Crew, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs that have no room are not begun; the message says how much is missing, and where to."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9 - 1000, 1000))
    with pytest.raises(CannotMakeError, match="scratch space") as caught:
        Inputs(staff, tmp_path, "float32", 42).folder_of(Matmul(), 1024)
    assert "TMPDIR" in caught.value.fix
    assert not staff.workers


def test_a_maker_that_fails_says_why_and_leaves_no_half_case(staff: Crew, tmp_path: Path) -> None:
    """An error inside the maker is the reason; what it had begun is removed."""
    (tmp_path / "elsewhere").mkdir()
    inputs = Inputs(staff, tmp_path / "elsewhere", "float32", -1)
    with pytest.raises(CannotMakeError, match="inputs could not be made"):
        inputs.folder_of(Matmul(), 8)
    assert [f.name for f in (tmp_path / "elsewhere").iterdir()] == ["maker.log"]


def test_scratch_of_processes_that_are_gone_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a killed run left goes with the next run; that of a living one stays."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    for name in (f"{PREFIX}{gone.pid}-a", f"{PREFIX}{os.getppid()}-b", "others"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    mine = scratch_folder()
    left = {f.name for f in tmp_path.iterdir()}
    assert left == {f"{PREFIX}{os.getppid()}-b", "others", mine.name}
    assert mine.name.startswith(f"{PREFIX}{os.getpid()}-")
