"""Standard streams that are closed, full, or read by nobody."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from breakeven.model.run import RunRecord
from cli.spoken import Speaker
from engine.casts import GIVE_UP_S, actor, script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full and descriptors")
START = """\
import os, sys
for number in map(int, sys.argv.pop(1)):
    os.close(number)
sys.argv[0] = "breakeven"
os.execv(sys.executable, [sys.executable, "-m", "breakeven", *sys.argv[1:]])
"""


def _with_closed(numbers: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command that finds these descriptors closed."""
    words = [sys.executable, "-c", START, numbers, *map(str, arguments)]
    return subprocess.run(
        words, capture_output=True, text=True, timeout=GIVE_UP_S, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.parametrize("arguments", ["runs", "runs --json", "report last", "--version"])
def test_an_output_that_is_full_is_told_in_one_line(
    breakeven: Speaker, stored: RunRecord, arguments: str
) -> None:
    """A full disk is no fault of the program, and its traceback nobody's help."""
    del stored
    words = [sys.executable, "-m", "breakeven", *arguments.split()]
    if arguments != "--version":
        words += ["--store", str(breakeven.store)]
    with Path("/dev/full").open("w") as full:
        made = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=GIVE_UP_S, check=False
        )
    said = "breakeven: the output cannot be written: No space left on device; write it elsewhere"
    assert (made.returncode, made.stderr) == (2, f"{said}\n")


@pytest.mark.parametrize("numbers", ["1", "2", "012"])
def test_a_closed_stream_leads_nowhere(breakeven: Speaker, stored: RunRecord, numbers: str) -> None:
    """The files of the program do not take its number, nor what is printed."""
    page = breakeven.folder / "page.html"
    made = _with_closed(numbers, "report", stored.id, "--store", breakeven.store, "--html", page)
    assert made.returncode == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert _with_closed(numbers, "runs", "--store", breakeven.store).returncode == 0


def test_a_run_goes_on_when_nobody_reads(breakeven: Speaker) -> None:
    """What is measured is stored, and its report written, as after ``| head -1``."""
    cast = script(breakeven.folder, cpu=actor())
    words = [sys.executable, "-m", "breakeven", "run", "matmul", "--sizes", "8", "--quick"]
    words += ["--backends", cast, "--store", str(breakeven.store), "--report", "page.html"]
    made = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=breakeven.folder
    )
    assert made.stdout is not None
    assert made.stderr is not None
    made.stdout.close()
    made.stderr.close()
    assert made.wait(GIVE_UP_S) == 0
    assert len(list(breakeven.store.glob("*.json"))) == 1
    assert (breakeven.folder / "page.html").exists()
