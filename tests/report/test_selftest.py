"""A self-test as text."""

from __future__ import annotations

import msgspec
import pytest

from breakeven.model.machine import Machine
from breakeven.model.selftest import Check, SelfTest
from breakeven.report.selftest import text_of
from records import machine

CHECKS = (
    Check(name="a", title="other processes", word="failed", figure="0.80 cores; 12 of 20 slots void",
          target="at most 25 % of slots void", why="other processes took 0.80 cores",
          remedy="stop them and run again"),
    Check(name="b", title="the same code twice", word="passed", figure="0 winners in 8",
          target="no winner", why="never shown"),
    Check(name="c", title="device clock", word="unknown", figure="not tried", target="2 %",
          why="no GPU takes part", remedy="never shown"),
)  # fmt: skip


def found(here: Machine) -> SelfTest:
    """Return a self-test of a busy machine."""
    return SelfTest(
        id="2026-12-01T10-22-07-3f9a", started="2026-12-01T10:22:07Z",
        finished="2026-12-01T10:23:07Z", command=("selftest",), machine=here, fit="not_fit",
        answer="This machine is not fit to be believed now: other processes took 0.80 cores; stop "
        "them and run again.", checks=CHECKS, rounds=3, remarks=("the machine was busy",),
    )  # fmt: skip


@pytest.mark.parametrize("gpu", [True, False])
def test_the_answer_is_the_first_line_and_no_line_is_wide(*, gpu: bool) -> None:
    """Every line fits 80 columns, and the answer comes before anything else."""
    lines = text_of(found(machine(gpu=gpu))).splitlines()
    assert lines[0].startswith("This machine is not fit to be believed now: other processes took")
    assert max(map(len, lines)) <= 80
    assert ("H200" in "".join(lines)) == gpu


def test_each_check_has_its_word_figure_and_target() -> None:
    """What failed has a reason and a remedy, what is unknown a reason, what passed neither."""
    text = " ".join(text_of(found(machine())).split())
    assert (
        "FAILED other processes: 0.80 cores; 12 of 20 slots void (at most 25 % of slots void) "
        "because: other processes took 0.80 cores try: stop them and run again" in text
    )
    assert "passed the same code twice: 0 winners in 8 (no winner)" in text
    assert "unknown device clock: not tried (2 %) because: no GPU takes part" in text
    assert "never shown" not in text
    assert "- the machine was busy" in text


def test_names_cannot_steer_a_terminal() -> None:
    """Control characters of a processor's name are taken out."""
    here = machine(gpu=False)
    cpu = msgspec.structs.replace(here.cpu, model="Evil\x1b[2J")
    assert "\x1b" not in text_of(found(msgspec.structs.replace(here, cpu=cpu)))
