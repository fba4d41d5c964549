"""``breakeven selftest``: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from breakeven import lab
from breakeven.lab.proving import Tried
from breakeven.model.selftest import Check, Fitness, SelfTest
from cli.spoken import Speaker
from records import machine

FOUND = SelfTest(
    id="2026-12-01T10-22-07-3f9a",
    started="2026-12-01T10:22:07Z",
    finished="2026-12-01T10:23:07Z",
    command=("selftest",),
    machine=machine(gpu=False, cores=2),
    fit="fit",
    answer="This machine is fit to be believed for differences of 1.1 times and more.",
    believed_from=1.1,
    checks=(Check(name="steal", title="steal", word="passed", figure="0 cores", target="0.1"),),
)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Put a self-test that is over in the place of measuring, and return what it was asked."""
    told: dict[str, Any] = {"changes": {}, "path": Path("there.json"), "problem": None}

    def start(asked: lab.SelfTestOptions, **fields: object) -> Tried:
        told["asked"], told["fields"] = asked, fields
        one = msgspec.structs.replace(FOUND, **told["changes"])
        return Tried(one, told["path"], told["problem"])

    monkeypatch.setattr(lab, "start_selftest", start)
    return told


@pytest.mark.parametrize(
    ("fit", "interrupted", "code"),
    [("fit", False, 0), ("not_fit", False, 1), ("unknown", False, 3), ("unknown", True, 130)],
)
def test_the_exit_code_is_the_answer(
    breakeven: Speaker, found: dict[str, Any], *, fit: Fitness, interrupted: bool, code: int
) -> None:
    """0 fit, 1 not fit, 3 it could not be told, 130 interrupted."""
    found["changes"] = {"fit": fit, "interrupted": interrupted}
    said = breakeven("selftest")
    assert said.code == code
    assert said.out.splitlines()[0] == FOUND.answer
    assert said.err == "Stored as there.json\n"


def test_options_reach_the_plan(breakeven: Speaker, found: dict[str, Any], tmp_path: Path) -> None:
    """Each option is passed on, the command line is kept."""
    words = ("--quick", "--budget", "10s", "--backends", "numpy, cupy", "--store", tmp_path)
    assert breakeven("selftest", *words).code == 0
    asked = found["asked"]
    assert (asked.quick, asked.budget, asked.backends) == (True, "10s", ["numpy", "cupy"])
    assert found["fields"]["store"] == tmp_path
    assert found["fields"]["command"] == ("selftest", *map(str, words))


def test_json_is_one_document_and_the_words_go_elsewhere(
    breakeven: Speaker, found: dict[str, Any]
) -> None:
    """Standard output holds the document alone; a store that refused it is told."""
    found["path"], found["problem"] = None, "the disk is full"
    said = breakeven("selftest", "--json")
    document = json.loads(said.out)
    assert (document["schema"], document["fit"]) == ("breakeven.selftest/1", "fit")
    assert FOUND.answer in said.err
    assert "could not be stored: the disk is full" in said.err


def test_wrong_words_end_with_one_line(breakeven: Speaker) -> None:
    """A backend that nobody knows, or a budget that is no time, is told before anything starts."""
    for words in (("--backends", "jax"), ("--budget", "soon")):
        said = breakeven("selftest", *words)
        assert said.code == 2
        assert said.err.startswith("breakeven: ")
        assert len(said.err.splitlines()) == 1
