"""``breakeven run`` on scripted backends, from the command to the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from breakeven.model.run import RunRecord
from breakeven.store.folder import Store
from breakeven.store.upgrade import decode
from cli.spoken import Speaker
from engine.casts import Commands, actor, gpu, script

RUN = ("run", "matmul", "--sizes", "8,16,32", "--rounds", "3", "--budget", "1")


class Whole:
    """One run with everything, made once."""

    def __init__(self, folder: Path) -> None:
        self.here = Commands(folder)
        self.cast = script(folder, cpu=actor(), gpu=gpu({8: 5e-4, 64: 5e-4}))
        self.code, self.out, self.err = self.here.run(
            *RUN, "--backends", self.cast, "--naive", "--json", "--plot", "picture.svg"
        )

    @property
    def record(self) -> RunRecord:
        """The run as it is stored."""
        return Store(self.here.store).load("last")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Return one run with everything, made once."""
    return Whole(tmp_path_factory.mktemp("whole"))


def test_json_leaves_one_document_on_stdout(whole: Whole) -> None:
    """The document is the one that is stored; all words are on stderr."""
    assert whole.code == 0, whole.err
    assert json.loads(whole.out)["schema"] == "breakeven.run/1"
    assert decode(whole.out.encode(), "stdout") == whole.record
    assert "matmul: yes" in whole.err


def test_a_run_tells_first_what_it_will_cost(whole: Whole) -> None:
    """The sentence comes before anything is measured; then what is measured now."""
    lines = whole.err.splitlines()
    assert lines[0] == (
        "Measuring matmul (8, 16, 32), float32, 3 rounds at every size: 2 s and more, told after "
        "scouting. Ctrl-C keeps what is finished."
    )
    told = [line for line in lines if line.startswith("Scouted: 3 rounds take about ")]
    assert len(told) == 1
    assert lines.index(told[0]) < next(i for i, x in enumerate(lines) if x.startswith("round 1"))
    assert any(line.startswith("Measured in ") for line in lines)
    stages = [line.partition(" (")[0] for line in lines[1:]]
    for stage in ("scouting", "round 1", "round 2", "round 3"):
        assert stage in stages


def test_a_run_ends_with_document_page_and_picture(whole: Whole) -> None:
    """The journal has become the document; the page stands alone; the picture is drawn."""
    run = whole.record
    assert [f.name for f in whole.here.store.iterdir()] == [f"{run.id}.json"]
    page = (whole.here.folder / "breakeven-report.html").read_text()
    assert "matmul" in page
    assert 'src="http' not in page
    assert (whole.here.folder / "picture.svg").read_text().lstrip().startswith("<svg")
    for said in ("Report: breakeven-report.html", "Picture: picture.svg", f"Stored as {run.id}"):
        assert said in whole.err
    assert not list(whole.here.temporary.glob("breakeven-inputs-*"))
    assert whole.here.gone()


def test_the_record_says_what_was_asked(whole: Whole) -> None:
    """Command, sizes, rounds and one-shot readings are there, without a home path or a name."""
    run = whole.record
    assert run.command[:4] == ("run", "matmul", "--sizes", "8,16,32")
    assert run.spec.rounds == run.rounds_planned == 3
    assert {s.entry for s in run.naive_shots} == {"cpu", "gpu"}
    assert run.naive
    assert {v.word for v in run.verdicts if v.size == 32 and v.entry == "gpu"} >= {"faster"}


def test_the_first_line_printed_is_the_answer(whole: Whole) -> None:
    """Shown again, the run begins with the sentence; nothing but it is on stdout."""
    code, out, err = whole.here.run("report", "last")
    assert (code, err) == (0, "")
    assert out.startswith("matmul: yes, the GPU pays")


def test_a_quick_run_prints_its_answer_first_and_no_verdict(tmp_path: Path) -> None:
    """One round: figures are indicative, and no report is written when none is wanted."""
    here = Commands(tmp_path)
    cast = script(tmp_path, cpu=actor(), gpu=gpu())
    code, out, err = here.run(
        "run", "matmul", "--sizes", "8", "--quick", "--no-report", "--backends", cast
    )  # fmt: skip
    assert code == 0, err
    assert out.startswith("matmul")
    assert "indicative" in out
    run = Store(here.store).load("last")
    assert {v.word for v in run.verdicts} <= {"withheld", "inconclusive"}
    assert not list(tmp_path.glob("*.html"))


def test_a_framework_that_fails_on_import_is_unavailable_and_the_rest_goes_on(
    tmp_path: Path,
) -> None:
    """What it said is kept, with what to try; NumPy is measured all the same."""
    package = tmp_path / "path" / "torch"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise OSError('libtorch.so: wrong ELF class')\n")
    here = Commands(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(package.parent))
        code, _, err = here.run(
            "run", "matmul", "--sizes", "16", "--quick", "--no-report",
            "--backends", "numpy,torch-cpu",
        )  # fmt: skip
    assert code == 0, err
    run = Store(here.store).load("last")
    broken = next(b for b in run.backends if b.name == "torch-cpu")
    assert not broken.available
    assert "libtorch.so: wrong ELF class" in (broken.why_not or "")
    assert "reinstall" in (broken.fix or "")
    assert any(c.entry.startswith("numpy") and c.rounds for c in run.cases)


def test_a_page_that_cannot_be_written_does_not_fail_the_run(
    breakeven: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is stored and shown; the page's failure is one line."""
    cast = script(breakeven.folder, cpu=actor())
    monkeypatch.setattr("breakeven.lab.measuring.time.sleep", lambda _: None)
    said = breakeven(
        "run", "matmul", "--sizes", "8", "--quick", "--backends", cast, "--report", "other.html",
        "--plot", "picture.svg",
    )  # fmt: skip
    assert said.code == 0
    assert (breakeven.folder / "other.html").exists()
    monkeypatch.setattr("breakeven.lab.result.report_html", _refuse)
    said = breakeven("run", "matmul", "--sizes", "8", "--quick", "--backends", cast)
    assert said.code == 0
    assert "breakeven-report.html cannot be written (No space left on device)" in said.err
    assert len(list(breakeven.store.glob("*.json"))) == 2


def _refuse(_record: RunRecord) -> str:
    from breakeven.errors import InputError

    raise InputError("breakeven-report.html cannot be written (No space left on device)")


def test_a_full_disk_ends_in_a_shown_run_that_says_what_was_not_stored(
    breakeven: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither journal nor document can be written: the result is printed, exit code 0."""
    from breakeven.store import files
    from breakeven.store.journal import Journal

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    def refused(path: Path, _data: bytes) -> None:
        from breakeven.errors import StoreError

        raise StoreError(f"{path} cannot be written: No space left on device", "free some space")

    monkeypatch.setattr(Journal, "flush", full)
    monkeypatch.setattr(files, "replace", refused)
    cast = script(breakeven.folder, cpu=actor(), gpu=gpu())
    said = breakeven(
        "run", "matmul", "--sizes", "8", "--quick", "--no-report", "--backends", cast
    )  # fmt: skip
    assert said.code == 0
    assert said.out.startswith("matmul")
    assert "breakeven: not everything could be stored: " in said.err
    assert "No space left on device" in said.err
    assert "Stored as" not in said.err
    assert not list(breakeven.store.glob("*.json"))


def test_progress_in_full_has_a_time_a_line(breakeven: Speaker) -> None:
    """With --verbose every step has a line of its own, with the seconds since the start."""
    cast = script(breakeven.folder, cpu=actor())
    said = breakeven(
        "run", "matmul", "--sizes", "8", "--quick", "--no-report", "-v", "--backends", cast
    )  # fmt: skip
    steps = [line.split(" s  ", 1) for line in said.err.splitlines() if " s  " in line]
    assert [what for _, what in steps] == [
        "round 1: starting 1 processes",
        "round 1: matmul 8, cpu warming up",
        "round 1: matmul 8",
    ]
    assert [float(when) for when, _ in steps] == sorted(float(when) for when, _ in steps)
