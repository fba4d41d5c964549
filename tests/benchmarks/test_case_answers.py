"""Whether findings name the answer of a case: right kind, right line, nothing false."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.model.finding import Finding, Location
from case_answers import Case, Given, cases, given, score, table

FAULT = Case("20-loss", Path("20-loss.py"), ("implicit-sync", "launch-bound"), (25, 26), True)
SOUND = Case("50-log", Path("50-log.py"), ("none",), (), True)


def finding(kind: str, line: int | None, severity: str = "warning") -> Finding:
    """Return a finding of a kind at a line."""
    where = None if line is None else Location(path="x.py", line=line)
    return Finding(code="BE301", title="t", severity=severity, evidence=("trace",),  # type: ignore[arg-type]
                   kind=kind, location=where)  # type: ignore[arg-type]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "named"),
    [
        (finding("implicit-sync", 26), True),
        (finding("implicit-sync", 26, "info"), True),
        (finding("implicit-sync", 12), False),
        (finding("implicit-sync", None), False),
        (finding("launch-bound", 25), False),
    ],
    ids=["its second line", "as information", "another line", "no line", "another kind"],
)
def test_a_fault_is_named_by_kind_and_line(found: Finding, named: bool) -> None:
    """The kind alone does not do, nor the line alone."""
    assert given(FAULT, [found]).named is named


def test_a_control_is_blamed_by_anything_above_information() -> None:
    """Information, and that nothing is wrong, are no blame."""
    assert given(SOUND, [finding("implicit-sync", 3, "info"), finding("none", None)]).named is True
    assert given(SOUND, [finding("implicit-sync", 3)]).named is False


def test_what_was_not_looked_at_counts_neither_way() -> None:
    """A case that was not run is no miss, and stands in the table as such."""
    rows = [(FAULT, Given(None)), (FAULT, Given(True)), (FAULT, Given(False)), (SOUND, Given(True))]
    assert score(rows) == {"named": 1, "faults": 2, "blamed": 0, "controls": 1}
    said = table([(FAULT, Given(True, ("BE301 warning line 25 (static)",)), Given(None))])
    assert said.splitlines()[-1] == "| 20-loss | implicit-sync | 25, 26 | yes | not run | - |"


def test_answers_are_read_from_beside_the_scripts(tmp_path: Path) -> None:
    """An answer names its script, what is right, and where."""
    (tmp_path / "20-loss.toml").write_text(
        'name = "20-loss"\nkind = "implicit-sync"\nsecondary_kinds = ["launch-bound"]\n'
        "lines = [25, 26]\nneeds_gpu = true\n"
    )
    assert cases(tmp_path) == [FAULT._replace(script=tmp_path / "20-loss.py")]
