"""The examples run as they stand, and say what their page says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from breakeven.backends import registry
from breakeven.backends.scripted import read_script
from docs.pages import ROOT, clean_environment

FOLDER = ROOT / "examples"
SAID = {
    "stored_run.py": ["verdicts:", "torch-cuda"],
    "own_workload.py": ["saxpy 1000 on numpy-", ": ok,"],
    "own_backend.py": ["on numpy-copies-", ": ok,"],
    "what_if.py": ["gpu: bracket", "gpu-new-link: bracket"],
}


def test_no_example_is_left_out() -> None:
    """Every example has a test that runs it, and a line in the examples' page."""
    names = {p.name for p in FOLDER.glob("*.py")}
    assert names == set(SAID)
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [n for n in sorted(names) if f"({n})" not in page] == []


def printed(name: str, folder: Path) -> str:
    """Run an example, warnings being errors; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / name)],
        cwd=folder,
        env=clean_environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", sorted(set(SAID) - {"what_if.py"}))
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    """An example ends well, and prints what it promises."""
    shown = printed(name, tmp_path)
    assert [words for words in SAID[name] if words not in shown] == []


@pytest.mark.parametrize("name", ["what_if.json", "faults.json"])
def test_a_script_is_read_as_it_stands(name: str) -> None:
    """Each actor of a scripted example becomes a backend."""
    path = FOLDER / name
    actors = json.loads(path.read_text(encoding="utf-8"))["actors"]
    assert set(read_script(path).actors) == set(actors)
    names = registry.expand(f"scripted:{path}")
    assert names == tuple(f"scripted:{path}#{actor}" for actor in actors)


def test_a_faster_link_lowers_the_crossover(tmp_path: Path) -> None:
    """In the what-if example the faster link's bracket begins below that of the slower one."""
    shown = printed("what_if.py", tmp_path)
    assert [words for words in SAID["what_if.py"] if words not in shown] == []
    lows = [float(line.split(" from ")[1].split()[0]) for line in shown.splitlines()]
    assert lows[1] < lows[0]
