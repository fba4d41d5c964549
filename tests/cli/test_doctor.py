"""``breakeven doctor`` on the machine that runs the tests."""

from __future__ import annotations

import json

import pytest

from breakeven import lab
from breakeven.machine.doctor import DoctorLine
from cli.spoken import Said, Speaker
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
