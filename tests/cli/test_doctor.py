"""``breakeven doctor`` on the machine that runs the tests."""

from __future__ import annotations

import json

import pytest

from breakeven import lab
from breakeven.machine.doctor import DoctorLine
from cli.spoken import Said, Speaker
from engine.casts import script
from records import machine

LINES = (
    DoctorLine(level="ok", what="numpy", detail="2.4.6"),
    DoctorLine(
        level="problem", what="cupy", detail="built for CUDA 13", fix="install cupy-cuda12x"
    ),
)


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
    for line in document["lines"]:
        assert line["level"] != "problem" or line["fix"]


@pytest.fixture
def told(breakeven: Speaker, monkeypatch: pytest.MonkeyPatch) -> Said:
    """Return what doctor prints of a machine with one thing broken."""
    monkeypatch.setattr(lab, "doctor", lambda _progress: (machine(), LINES))
    return breakeven("doctor")


def test_the_first_line_counts_what_is_broken(told: Said) -> None:
    """What needs mending is told first, then everything with its sign and its fix."""
    lines = told.out.splitlines()
    assert lines[0] == "1 thing(s) need mending."
    assert lines[1] == "ok      numpy: 2.4.6"
    assert lines[2] == "PROBLEM cupy: built for CUDA 13"
    assert lines[3].strip() == "try: install cupy-cuda12x"
    assert (told.code, told.err) == (0, "")


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
    monkeypatch.setattr(lab, "doctor", lambda _progress: (machine(), LINES[:1]))
    cast = script(breakeven.folder, **CAST)
    monkeypatch.setattr("breakeven.lab.reach.registry.names", lambda: (cast,))
    return breakeven


def test_measuring_is_announced_and_told_and_kept(scripted: Speaker) -> None:
    """Its cost comes first, on stderr; the ceilings follow the facts; later runs find them."""
    said = scripted("doctor", "--measure")
    assert said.code == 0
    assert "Measuring what each device reaches at best: about " in said.err
    assert said.out.splitlines()[0] == "Nothing is broken here."
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
