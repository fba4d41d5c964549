"""``breakeven compare`` on devices that NumPy plays, from the command to the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from breakeven.model.run import RunRecord
from breakeven.store.folder import Store
from cli.spoken import Speaker
from engine.casts import Commands

OWN = """
import numpy as np

def scaled(x):
    print("seen once")
    return x / x.max()

def lacking(x):
    y = x * 2
    return np.nanpercentile(y, 5, axis=0)

def alters(x):
    x -= x.mean()

def make_inputs(n, rng):
    return rng.random((n, n))
"""
CPU = {"8": 1e-3, "32": 1.6e-2}
GPU = {"8": 8e-3, "32": 8e-3}
JOURNEY = {"8": 1e-4, "32": 1e-4}


class Whole:
    """Two comparisons, made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.here = Commands(folder)
        names = ("scaled", "lacking")
        cast = {
            "cpu": {"compute_s": dict.fromkeys(names, CPU), "spread": 0.01, "noise": 0.01},
            "gpu": {
                "device": "cuda:0", "compute_s": dict.fromkeys(names, GPU),
                "journey_s": dict.fromkeys(names, JOURNEY),
                "spread": 0.01, "noise": 0.01,
            },
        }  # fmt: skip
        (folder / "cast.json").write_text(json.dumps({"seed": 7, "actors": cast}))
        (folder / "own.py").write_text(OWN)

    def compare(self, name: str, *words: str) -> tuple[int, str, str]:
        """Compare one function of the file."""
        return self.here.run(
            "compare", "own.py:" + name, "--sizes", "8,16,32", "--rounds", "3", "--budget", "1",
            "--backends", f"scripted:{self.folder / 'cast.json'}", *words,
        )  # fmt: skip

    @property
    def record(self) -> RunRecord:
        """The run that was stored last."""
        return Store(self.here.store).load("last")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Return the stage, empty."""
    return Whole(tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def ran(whole: Whole) -> tuple[RunRecord, str, str]:
    """Return a comparison that ran fully: its record, and what it said."""
    code, out, err = whole.compare("scaled", "--report", "report.html")
    assert code == 0, err
    return whole.record, out, err


@pytest.fixture(scope="module")
def failed(whole: Whole) -> tuple[RunRecord, str]:
    """Return a comparison whose function the device lacks a call for."""
    code, out, err = whole.compare("lacking", "--no-report")
    assert code == 0, err
    return whole.record, out


def test_the_answer_comes_first(ran: tuple[RunRecord, str, str]) -> None:
    """The first line says whether it pays, and from where on, as for any workload."""
    record, out, _ = ran
    assert out.startswith("scaled: yes")
    assert {c.kind for c in record.crossovers if c.scope == "transfer"} == {"bracket"}


def test_it_says_how_far_each_library_got(ran: tuple[RunRecord, str, str], whole: Whole) -> None:
    """Screen and report say that the function ran fully on the device, with calls and agreement."""
    record, out, _ = ran
    assert {(p.entry, p.reach) for p in record.ported} == {("gpu", "fully")}
    assert "- gpu: ran fully there at n =" in out
    assert "agrees with NumPy" in out
    page = (whole.folder / "report.html").read_text()
    assert "Calls of the function, line by line" in page
    assert "numpy.max" in page or "ndarray.max" in page


def test_what_it_prints_is_shown_once(ran: tuple[RunRecord, str, str]) -> None:
    """What the function prints goes to stderr a single time, and is not lost."""
    _, out, err = ran
    assert err.count("seen once") == 1
    assert "seen once" not in out


def test_a_failure_names_line_and_call(failed: tuple[RunRecord, str]) -> None:
    """Where a library lacks a call, its line, its text and its category are told; exit code 0."""
    record, out = failed
    said = " ".join(out.split())
    assert "missing-function" in said
    assert "own.py line 10, return np.nanpercentile(y, 5, axis=0)" in said
    assert {c.status for c in record.cases if c.entry == "gpu"} == {"unsupported"}
    assert {c.status for c in record.cases if c.entry == "cpu"} == {"ok"}


def test_the_stored_run_names_the_function(ran: tuple[RunRecord, str, str]) -> None:
    """Target, axis and rule of agreement are in the document."""
    record, _, _ = ran
    assert record.spec.function is not None
    assert record.spec.function.target == "own.py:scaled"
    assert record.spec.workloads[0].axis == "n"
    assert all(c.agreement and "ulp" in c.agreement.rule for c in record.cases)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("own.py:scalled",), 2, "did you mean scaled?"),
        (("gone.py:f",), 2, "there is no file 'gone.py'"),
        (("own.py:scaled", "--inputs", "n +"), 2, "is no Python expression"),
        (("own.py:scaled", "--policy", "loose"), 2, "choose strict or bridge"),
        (("own.py:scaled", "--rtol", "0"), 2, "allows nothing or all"),
        (("own.py:scaled", "--xp", "--against", "own.py:alters"), 2, "leave one out"),
        (("own.py:scaled", "--sizes", "8", "--backends", "nothing"), 2, "no backend is called"),
        (("own.py:scaled", "--quick", "--rounds", "3"), 2, "--quick is one round"),
    ],
)  # fmt: skip
def test_a_wrong_command_is_one_line(
    breakeven: Speaker, words: tuple[str, ...], code: int, said: str
) -> None:
    """What is wrong is told before any process is started, in one line."""
    (breakeven.folder / "own.py").write_text(OWN)
    ended = breakeven("compare", *words)
    assert ended.code == code
    assert said in ended.err
    assert len(ended.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("return missing", 2, "raises at n = 8 on NumPy itself: NameError"),
        ("return np.ones(1 << 45)", 3, "asks for more memory than there is"),
        ("while True: pass", 3, "did not end at n = 8"),
    ],
)
def test_a_function_that_cannot_be_measured_is_one_line(
    breakeven: Speaker, body: str, code: int, said: str
) -> None:
    """A function that raises, wants all memory, or never ends, is told with its exit code."""
    (breakeven.folder / "bad.py").write_text(f"import numpy as np\ndef f(x):\n    {body}\n")
    ended = breakeven(
        "compare", "bad.py:f", "--inputs", "rng.random(n)", "--sizes", "8", "--budget", "1",
        "--backends", "numpy",
    )  # fmt: skip
    assert (ended.code, said in ended.err) == (code, True), ended.err
    assert "Traceback" not in ended.err
