"""What is seen of each real-world case leads to its diagnosis, and of a control to none."""

from __future__ import annotations

import pytest

from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.judge import judge
from breakeven.model.finding import Finding, Location
from findings.cases_seen import CONTROLS, EXPECTED, SEEN
from findings.profiles import run_of

# Where source alone shows the fault, or shows it more exactly, with the lines of the answer.
SMELLS: dict[int, tuple[str, int]] = {
    7: ("BE103", 16), 12: ("BE202", 12), 14: ("BE306", 20), 20: ("BE301", 25), 21: ("BE302", 14),
    23: ("BE201", 30), 24: ("BE205", 20), 30: ("BE503", 26), 33: ("BE305", 16), 34: ("BE309", 9),
}  # fmt: skip


@pytest.mark.parametrize("number", EXPECTED)
def test_a_case_is_diagnosed_from_its_run(number: int) -> None:
    """The fault is named by its code at its line, and leads what is found."""
    code, line = EXPECTED[number]
    found = judge(run_of(SEEN[number]))
    mine = [f for f in found if f.code == code]
    assert [f.location and f.location.line for f in mine[:1]] == [line]
    faults = [f for f in found if f.severity != "info"] or list(mine)
    assert faults[0].kind == CATALOGUE[code].kind


@pytest.mark.parametrize("number", SMELLS)
def test_source_and_run_of_a_case_are_one_finding(number: int) -> None:
    """What the source shows is confirmed by the run: one finding, two kinds of evidence."""
    code, line = SMELLS[number]
    known = CATALOGUE[code]
    smell = Finding(code=code, title=known.title, severity=known.severity, evidence=("static",),
                    kind=known.kind, location=Location(path="job.py", line=line))  # fmt: skip
    mine = [f for f in judge(run_of(SEEN[number]), (smell,)) if f.kind == known.kind]
    assert [(f.code, f.severity) for f in mine[:1]] == [(code, known.severity)]
    assert sum(f.location == mine[0].location for f in mine) == 1
    assert len(mine[0].evidence) == 2
    assert mine[0].location is not None
    assert mine[0].location.line == line


@pytest.mark.parametrize("number", CONTROLS)
def test_a_control_has_nothing_above_information(number: int) -> None:
    """Sound code is not blamed."""
    assert [f for f in judge(run_of(SEEN[number])) if f.severity != "info"] == []
