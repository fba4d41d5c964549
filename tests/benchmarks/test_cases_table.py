"""The table of cases: judged from kept documents, without running anything."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

import cases_table
import results_file
from breakeven.store.upgrade import encode
from findings.cases_seen import SEEN
from findings.profiles import run_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of two cases: a loader that starves, and a control."""
    for name, kind, lines in (
        ("23-slow", "dataloader-starvation", "[30]"),
        ("54-well", "none", "[]"),
    ):
        (tmp_path / f"{name}.py").write_text("x = 1\n")
        (tmp_path / f"{name}.toml").write_text(
            f'name = "{name}"\nkind = "{kind}"\nsecondary_kinds = []\nlines = {lines}\n'
            "needs_gpu = false\n"
        )
    return tmp_path


def keep(folder: Path, name: str, number: int) -> None:
    """Keep the document of a case as a profile would."""
    record = run_of(SEEN[number])
    (folder / f"{name}.json.gz").write_bytes(gzip.compress(encode(record), mtime=0))


def test_kept_documents_are_judged_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fault that its profile names, and a control that nothing blames, meet the target."""
    keep(folder, "23-slow", 23)
    keep(folder, "54-well", 54)
    assert cases_table.main(["--cases", str(folder), "--from", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "| 23-slow | dataloader-starvation | 30 |" in shown
    assert "profile: {'named': 1, 'faults': 1, 'blamed': 0, 'controls': 1}" in shown


def test_a_blamed_control_misses_the_target(folder: Path) -> None:
    """A false alarm weighs as much as any number of faults that are named."""
    keep(folder, "23-slow", 23)
    keep(folder, "54-well", 23)
    out = folder / "cases.json"
    words = ["--cases", str(folder), "--from", str(folder), "--out", str(out)]
    assert cases_table.main(words) == 1
    found = results_file.read(out)
    assert found.met is False
    assert found.figure.startswith("profile 1 of 1 faults, 1 of 1 controls blamed")


def test_what_is_kept_of_a_profile_leaves_its_timeline_out() -> None:
    """Means of sensors stay, so that judging again says the same."""
    run = run_of(SEEN[23], readings={"tree.cpu_cores": 1.0})
    kept = cases_table.compact(msgspec.structs.replace(run, timeline=()))
    assert kept.sensing == run.sensing
    assert kept.timeline == ()
