"""Stored runs as the command line shows them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import msgspec
import pytest

from breakeven import __version__
from breakeven.model.run import RunRecord
from breakeven.store.folder import Store
from breakeven.store.upgrade import decode
from cli.spoken import Speaker

COMMANDS = ("run", "report", "runs", "doctor")


@pytest.mark.parametrize("name", ["last", "2026", "whole", "path"])
def test_a_run_is_shown_by_any_of_its_names(
    breakeven: Speaker, stored: RunRecord, name: str
) -> None:
    """An id, the start of one, `last`, and the path of its document mean the same."""
    path = breakeven.store / f"{stored.id}.json"
    meant = {"whole": stored.id, "path": str(path)}.get(name, name)
    said = breakeven("report", meant)
    assert (said.code, said.err) == (0, "")
    assert said.out == breakeven("report").out
    assert said.out.startswith("matmul: ")


def test_a_run_is_printed_in_eighty_columns(breakeven: Speaker, stored: RunRecord) -> None:
    """Whatever the width of the terminal that is not there."""
    assert max(map(len, breakeven("report", stored.id).out.splitlines())) <= 80


def test_json_is_the_stored_document(breakeven: Speaker, stored: RunRecord) -> None:
    """Stdout is one document, equal to the one in the store."""
    for arguments in (("--json",), ("--format", "json")):
        said = breakeven("report", "last", *arguments)
        assert (said.code, said.err) == (0, "")
        assert decode(said.out.encode(), "stdout") == Store(breakeven.store).load(stored.id)
        assert json.loads(said.out)["id"] == stored.id


def test_text_forms_are_printed_and_nothing_else(breakeven: Speaker, stored: RunRecord) -> None:
    """Markdown has a table; CSV has one row a slot or case, all of one length."""
    said = breakeven("report", stored.id, "--format", "md")
    assert "| --- |" in said.out.replace("---:", "---").replace(":---", "---")
    said = breakeven("report", stored.id, "--format", "csv")
    rows = list(csv.reader(io.StringIO(said.out)))
    assert len(rows) > 10
    assert len({len(row) for row in rows}) == 1


def test_pages_and_pictures_are_written(breakeven: Speaker, stored: RunRecord) -> None:
    """Each file is there, of its kind; stdout stays empty, stderr says where they are."""
    said = breakeven(
        "report", stored.id, "--html", "page.html", "--plot", "picture.png"
    )  # fmt: skip
    assert (said.code, said.out) == (0, "")
    assert "page.html" in said.err
    assert "picture.png" in said.err
    assert (breakeven.folder / "picture.png").read_bytes().startswith(b"\x89PNG\r\n")
    assert "<html" in (breakeven.folder / "page.html").read_text()[:2000].lower()
    assert breakeven("report", "--plot", "picture.svg", "--workload", "matmul").code == 0
    assert (breakeven.folder / "picture.svg").read_text().lstrip().startswith("<svg")


def test_a_run_is_judged_again_on_request_only(breakeven: Speaker, stored: RunRecord) -> None:
    """What is stored is shown as it stands; judging anew changes the page, not the store."""
    stale = msgspec.structs.replace(stored, verdicts=stored.verdicts[:1])
    path = Store(breakeven.store).save(stale)
    before = path.read_bytes()
    shown = decode(breakeven("report", "last", "--json").out.encode(), "stdout")
    assert len(shown.verdicts) == 1
    again = decode(breakeven("report", "last", "--json", "--judge-again").out.encode(), "stdout")
    assert len(again.verdicts) == len(stored.verdicts)
    assert path.read_bytes() == before


def test_an_empty_store_says_what_makes_a_run(breakeven: Speaker) -> None:
    """No store is an empty store; looking makes none."""
    said = breakeven("runs")
    assert (said.code, said.err) == (0, "")
    assert "breakeven run" in said.out
    assert json.loads(breakeven("runs", "--json").out) == []
    assert not breakeven.store.exists()


def test_runs_are_listed_newest_first(breakeven: Speaker, stored: RunRecord) -> None:
    """Each has a line with id, status and command; a damaged one is listed as that."""
    store = Store(breakeven.store)
    later = msgspec.structs.replace(stored, id="2026-12-02T10-22-07-aaaa", interrupted=True)
    store.save(later)
    (breakeven.store / "2026-12-03T10-22-07-bbbb.json").write_text("{")
    shown = breakeven("runs").out.splitlines()
    assert max(map(len, shown)) <= 80
    lines = [line for line in shown if not line.startswith(" ")]
    assert [line.split()[0] for line in lines] == [
        "RUN",
        "2026-12-03T10-22-07-bbbb",
        later.id,
        stored.id,
    ]
    assert [line.split()[1] for line in lines[2:]] == ["interrupted", "finished"]
    assert "run matmul" in lines[3]
    listed = json.loads(breakeven("runs", "--json").out)
    assert [one["id"] for one in listed] == [line.split()[0] for line in lines[1:]]


def test_help_is_printed_for_everything(breakeven: Speaker) -> None:
    """The group lists its commands; each says what it does and which options it has."""
    for arguments in (("--help",), ("-h",)):
        said = breakeven(*arguments)
        assert (said.code, said.err) == (0, "")
        assert all(f"  {name} " in said.out for name in COMMANDS)
        assert "Exit codes" in said.out
    for name in COMMANDS:
        said = breakeven(name, "--help")
        assert (said.code, said.err) == (0, "")
        assert f"breakeven {name}" in said.out
        assert "--json" in said.out
    assert breakeven("--version").out == f"breakeven, version {__version__}\n"


def test_the_module_is_the_command() -> None:
    """`python -m breakeven` says what `breakeven` says, exit code and all."""
    for arguments, code in ((["--version"], 0), (["report", "/no/such/run.json"], 2)):
        done = subprocess.run(
            [sys.executable, "-m", "breakeven", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code
        assert done.stdout == (f"breakeven, version {__version__}\n" if code == 0 else "")


def test_a_reader_that_goes_away_is_no_error(stored: RunRecord) -> None:
    """`breakeven report | head -1` ends quietly."""
    with subprocess.Popen(
        [sys.executable, "-m", "breakeven", "report", stored.id, "--format", "csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0
