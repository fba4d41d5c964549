"""``breakeven doctor`` on the machine that runs the tests."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest

from breakeven import lab
from breakeven.model.setup import MachineFacts
from cli.spoken import Said, Speaker
from engine.casts import script
from machine.recorded_setups import NAMES, facts_of


def test_doctor_tells_what_works_here(breakeven: Speaker) -> None:
    """Every backend is opened in a process of its own, and named with its state."""
    said = breakeven("doctor", "--json")
    assert said.code == 0
    document = json.loads(said.out)
    assert document["machine"]["cpu"]["cores_usable"] >= 1
    text = json.dumps(document["lines"])
    for name in ("numpy", "torch-cpu", "cupy", "torch-cuda"):
        assert name in text
    levels = {line["detail"].split()[0]: line["level"] for line in document["lines"]}
    assert levels["numpy"] == "ok"
    for found in document["findings"]:
        assert found["severity"] == "info" or found["snippet"] or found["fix"]


def test_the_document_can_be_judged_again(breakeven: Speaker) -> None:
    """The set-up in the document gives the same answer on any machine."""
    document = json.loads(breakeven("doctor", "--json").out)
    setup = msgspec.convert(document["setup"], MachineFacts)
    again = lab.examined(setup)
    assert again.answer == document["answer"]
    assert [f.code for f in again.findings] == [f["code"] for f in document["findings"]]


@pytest.fixture
def said_of(breakeven: Speaker, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Said]:
    """Return what doctor prints of a recorded set-up."""

    def said(name: str) -> Said:
        seen = lab.examined(facts_of(name))
        monkeypatch.setattr(lab, "doctor", lambda _progress: seen)
        return breakeven("doctor")

    return said


def test_the_first_line_is_the_answer(said_of: Callable[[str], Said]) -> None:
    """What is wrong is told first, each with its explanation and its command."""
    said = said_of("torch-cpu-build")
    lines = said.out.splitlines()
    assert lines[0].startswith("1 thing is wrong: PyTorch is a CPU build on a machine")
    assert lines[1].startswith("PROBLEM BE803 PyTorch 2.11.0+cpu was built without CUDA")
    command = "pip uninstall -y torch && pip install torch --index-url "
    assert any(line.startswith(f"        try: {command}") for line in lines)
    assert (said.code, said.err) == (0, "")


@pytest.mark.parametrize("name", NAMES)
def test_the_screen_fits_80_columns(name: str, said_of: Callable[[str], Said]) -> None:
    """No line is longer but a command, which is never broken."""
    said = said_of(name)
    long = [x for x in said.out.splitlines() if len(x) > 80 and not x.startswith("        try: ")]
    assert (said.code, long) == (0, [])


def test_what_explains_figures_is_a_note(said_of: Callable[[str], Said]) -> None:
    """On a part of a GPU nothing is wrong, and the part is noted."""
    lines = said_of("mig").out.splitlines()
    assert lines[0] == "Nothing is wrong here."
    assert lines[1].startswith("note    BE811 A MIG instance")


CAST = {
    "cpu": {
        "compute_s": {
            "ceiling-float32": {512: 0.25}, "ceiling-float64": {512: 0.5},
            "ceiling-memory": {512: 0.1},
        },
    },
}  # fmt: skip


@pytest.fixture
def scripted(breakeven: Speaker, monkeypatch: pytest.MonkeyPatch) -> Speaker:
    """Return a command line on a machine whose only backend is scripted."""
    monkeypatch.setattr(lab, "doctor", lambda _progress: lab.examined(facts_of("healthy-cpu")))
    cast = script(breakeven.folder, **CAST)
    monkeypatch.setattr("breakeven.lab.reach.registry.names", lambda: (cast,))
    return breakeven


def test_measuring_is_announced_and_told_and_kept(scripted: Speaker) -> None:
    """Its cost comes first, on stderr; the ceilings follow the facts; later runs find them."""
    said = scripted("doctor", "--measure")
    assert said.code == 0
    assert "Measuring what each device reaches at best: about " in said.err
    assert said.out.splitlines()[0] == "Nothing is wrong here."
    assert "  matrix product: float32 1.07 GFLOP/s, float64 537 MFLOP/s" in said.out
    (kept,) = lab.stored_ceilings(lab.read_machine(), scripted.store)
    assert kept.flops_per_s["float32"] == pytest.approx(2.0 * 512**3 / 0.25)
    assert kept.measured is not None
    (path,) = (scripted.store / "ceilings").iterdir()
    assert str(path) in said.err


def test_ceilings_are_part_of_the_document(scripted: Speaker) -> None:
    """With --json one document has facts, lines and ceilings."""
    said = scripted("doctor", "--measure", "--json")
    document = json.loads(said.out)
    assert document["ceilings"][0]["device"] == "cpu"
    assert "ceilings" not in json.loads(scripted("doctor", "--json").out)


def test_where_nothing_can_be_measured_nothing_is_kept(
    scripted: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reasons are told in one line, with exit code 3."""
    broken = script(scripted.folder, cpu=CAST["cpu"] | {"fails": "no such library"})
    monkeypatch.setattr("breakeven.lab.reach.registry.names", lambda: (broken,))
    said = scripted("doctor", "--measure")
    assert said.code == 3
    assert "no ceiling could be measured (no such library)" in said.err
    assert not (scripted.store / "ceilings").exists()
