"""What the user gets wrong is one line that says what, where and what to try."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from breakeven.model.run import RunRecord
from cli.spoken import Said, Speaker
from engine.casts import actor, script


def _one_line(said: Said, *words: str) -> None:
    """Check for exit code 2, nothing on stdout, one line on stderr that holds `words`."""
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("breakeven: ")
    assert said.err.count("\n") == 1, said.err
    for word in words:
        assert word in said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("run matmil", ("'matmil'", "choose from: matmul, mlp")),
        ("run --backends tensorflow", ("'tensorflow'", "numpy")),
        ("run --backends ,", ("no backend",)),
        ("run --backends scripted:/no/such/file", ("/no/such/file", "cannot be read")),
        ("run --sizes 0", ("size 0", "from 1 to")),
        ("run --sizes 128,big", ("'big'", "--sizes 128,256,512")),
        ("run --sizes 512:128", ("512:128",)),
        ("run --sizes -4", ("'-4'",)),
        ("run --dtype float16", ("'float16'", "float32 or float64")),
        ("run --budget soon", ("'soon'", "--budget 60s")),
        ("run --budget 0", ("too short",)),
        ("run --rounds -1", ("-1 rounds", "from 1")),
        ("run --rounds 0", ("0 rounds",)),
        ("run --seed -1", ("seed -1",)),
        ("run --rounds few", ("few", "--rounds")),
        ("run --colour red", ("--colour",)),
        ("run --sizes", ("--sizes",)),
        ("run --report no/such/folder/report.html", ("no/such/folder", "make it")),
        ("run --plot picture.pdf", ("picture.pdf", ".png or .svg")),
        ("run --plot nowhere/picture.png", ("nowhere/picture.png",)),
        ("run --resume last", ("no run",)),
        ("run --resume last matmul", ("as it was planned", "leave out WORKLOAD")),
        ("run --resume last --no-pin", ("as it was planned", "leave out --no-pin")),
        ("run --quick --rounds 5", ("one round", "leave it out to measure 5")),
        ("run --report a.svg --plot a.svg", ("a.svg cannot be both", "two names")),
        ("report last --json --format csv", ("--json prints no csv", "--format")),
        ("rum", ("rum",)),
        ("report last", ("holds no run",)),
        ("report 2026", ("holds no run",)),
        ("report no/such/file.json", ("no/such/file.json",)),
        ("doctor --deep", ("--deep",)),
    ],
)  # fmt: skip
def test_wrong_input_is_told_in_one_line(
    breakeven: Speaker, arguments: str, words: tuple[str, ...]
) -> None:
    """Exit code 2, before anything is measured or stored."""
    _one_line(breakeven(*arguments.split()), *words)
    assert not list(breakeven.store.glob("*"))


def test_a_file_in_the_place_of_the_store_is_told(breakeven: Speaker) -> None:
    """Nothing is measured in vain."""
    breakeven.store.write_text("in the way")
    _one_line(breakeven("run", "matmul", "--quick"), "store")
    _one_line(breakeven("runs"), "store")


def test_a_store_that_cannot_be_written_is_told(breakeven: Speaker) -> None:
    """The reason of the system is passed on, before anything is measured."""
    place = Path("/proc/breakeven") if os.geteuid() == 0 else breakeven.folder / "locked" / "store"
    if os.geteuid() != 0:
        place.parent.mkdir(mode=0o500)
    _one_line(breakeven("run", "matmul", "--quick", "--store", place), str(place))


@pytest.mark.parametrize("content", ["", "{}", "not json", '{"schema": "breakeven.run/1"}'])
def test_a_damaged_document_is_told(breakeven: Speaker, content: str) -> None:
    """It is no run document, and it is left as it is."""
    path = breakeven.folder / "run.json"
    path.write_text(content)
    _one_line(breakeven("report", path), "run.json")
    assert path.read_text() == content


def test_a_document_of_a_newer_version_is_told(breakeven: Speaker, stored: RunRecord) -> None:
    """The user learns that this version is too old for it."""
    path = breakeven.store / f"{stored.id}.json"
    document = json.loads(path.read_text())
    document["schema"] = "breakeven.run/9"
    path.write_text(json.dumps(document))
    _one_line(breakeven("report", stored.id), "newer")


def test_pictures_and_pages_that_cannot_be_made_are_told(
    breakeven: Speaker, stored: RunRecord
) -> None:
    """A suffix that is no picture's, a workload that was not run, a folder that is not there."""
    _one_line(breakeven("report", "--plot", "x.pdf"), "'.pdf'", ".png or .svg")
    _one_line(breakeven("report", "--plot", "x.png", "--workload", "fft"), stored.id, "fft")
    _one_line(breakeven("report", "--plot", "no/x.svg"), "no/x.svg")
    _one_line(breakeven("report", "--html", "no/x.html"), "no/x.html")
    _one_line(breakeven("report", "--format", "pdf"), "pdf")


def test_nothing_that_works_is_exit_code_three(breakeven: Speaker) -> None:
    """Each backend's reason is told; what was tried is stored."""
    cast = script(breakeven.folder, one=actor(fails="no driver"), two=actor(fails="no kernel"))
    said = breakeven("run", "matmul", "--sizes", "8", "--quick", "--backends", cast)
    assert (said.code, said.out) == (3, "")
    last = said.err.splitlines()[-1]
    assert last.startswith("breakeven: ")
    assert "no driver" in last
    assert "no kernel" in last
    assert len(list(breakeven.store.glob("*.json"))) == 1


def test_an_internal_error_is_exit_code_four_with_a_way_to_report_it(
    breakeven: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it happened is shown, and the fault is not put on the user."""

    def fall(*_: object) -> None:
        raise ZeroDivisionError("within")

    monkeypatch.setattr("breakeven.lab.stored_runs", fall)
    said = breakeven("runs")
    assert said.code == 4
    assert "ZeroDivisionError: within" in said.err
    assert "breakeven doctor" in said.err.splitlines()[-1]
