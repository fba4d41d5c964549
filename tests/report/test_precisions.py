"""Precision variants on the page: the picture, the table, what the screen says."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from breakeven.analysis.judge import apply, judge
from breakeven.engine.plan import in_precision
from breakeven.model.labels import labels
from breakeven.model.run import Agreement, RunRecord
from breakeven.model.spec import Precision
from breakeven.report import charts, page
from records import CUPY, CURVES, NUMPY, TWIN, entry, record

ERRORS = {"cupy-tf32": (3e-4, "TF32/half"), "cupy-float64": (2e-15, "float64")}
SIZES = (512, 2048)


def _run(**fields: object) -> RunRecord:
    base = entry("torch-cpu", 16, default=True)
    variants = [in_precision(CUPY, "tf32"), in_precision(CUPY, "float64")]
    variants.append(in_precision(NUMPY, "float64"))
    curves = CURVES | {
        "cupy-tf32": lambda n: 0.25 * CURVES["cupy"](n),
        "cupy-float64": lambda n: 1.9 * CURVES["cupy"](n),
        "numpy-16-float64": lambda n: 2 * CURVES["numpy-16"](n),
    }
    made = record([NUMPY, base, TWIN, CUPY, *variants], curves, sizes=SIZES, spread=0.005)
    cases = []
    for case in made.cases:
        error, class_ = ERRORS.get(case.entry, (3e-7, "float32"))
        agreement = Agreement(error=error, bound=1.0, class_=class_, passed=True)
        cases.append(msgspec.structs.replace(case, agreement=agreement))
    precisions: tuple[Precision, ...] = ("tf32", "float64")
    spec = msgspec.structs.replace(made.spec, precisions=precisions)
    return msgspec.structs.replace(made, cases=tuple(cases), spec=spec, **fields)


@pytest.fixture(scope="module")
def run() -> RunRecord:
    """Return a judged run with CuPy in three precisions."""
    made = _run()
    return apply(made, judge(made))


@pytest.fixture(scope="module")
def built(run: RunRecord) -> page.Page:
    """Return its page."""
    return page.build(run)


def test_the_picture_has_one_point_an_entry_and_precision(built: page.Page) -> None:
    """At the largest size stand CuPy thrice, the CPU base, and the CPU in float64."""
    spec = charts.specs(built)["matmul-precision"]
    points = {(v["entry"], v["precision"]) for v in spec["data"]["values"]}
    assert points == {
        ("CuPy", "float32"), ("CuPy", "TF32"), ("CuPy", "float64"),
        ("torch-cpu-16", "float32"), ("numpy-16", "float64"),
    }  # fmt: skip
    assert {p.size for p in built.workloads[0].precisions} == {2048}
    for axis in ("x", "y"):
        assert spec["encoding"][axis]["scale"]["type"] == "log"
    assert "2048" in spec["title"]["subtitle"]


def test_the_picture_can_be_drawn(built: page.Page) -> None:
    """Vega takes the specification, and writes each precision beside its point."""
    drawn = charts.to_svg(charts.specs(built)["matmul-precision"])
    assert all(word in drawn for word in ("TF32", "float64", "error relative to float64"))


def test_an_error_below_the_references_own_is_drawn_there(run: RunRecord) -> None:
    """An error of nothing has no place on a logarithmic axis."""
    cases = tuple(
        msgspec.structs.replace(c, agreement=msgspec.structs.replace(c.agreement, error=0.0))
        for c in run.cases
        if c.agreement is not None
    )
    built = page.build(msgspec.structs.replace(run, cases=cases))
    assert {p.error for p in built.workloads[0].precisions} == {2.0**-53}


def test_the_table_names_both_sides(built: page.Page) -> None:
    """Every variant has a row a size and scope, with error, class and ratio over each base."""
    (found,) = [t for t in built.workloads[0].tables if t.title == "Precision variants"]
    rows = {(r[0], r[1], r[3]): r for r in found.rows}
    assert len(found.rows) == len(rows) == 2 * (2 * 2 + 1)
    tf32 = rows["2048", "cupy-tf32", "on the device"]
    assert tf32[5:7] == ("3.0e-4", "TF32/half")
    assert tf32[8].startswith("3.99x [")
    assert tf32[8].endswith("(faster)")
    assert tf32[9] == "-"
    wide = rows["2048", "cupy-float64", "on the device"]
    assert wide[9] != "-"
    assert "float64 took 1.9 times as long as float32 on this GPU at N = 2048" in found.caption


def test_the_screen_lists_variants_and_the_rate_of_the_card(built: page.Page) -> None:
    """Each GPU variant against the best CPU and against itself; then float32 to float64."""
    said = [n.text for n in built.workloads[0].notes if n.label == "precision"]
    assert len(said) == 3
    assert said[0].startswith("CuPy TF32 at N = 2048, data on the device: over torch-cpu-16 in ")
    assert "over CuPy in float32 3.99x [" in said[0]
    assert said[0].endswith("errs by 3.0e-4 (TF32/half).")
    assert said[2].startswith("float64 took 1.9 times as long as float32 on this GPU at N = 2048")
    assert said[2].endswith("n = 3).")


def test_variants_stay_out_of_everything_else(built: page.Page) -> None:
    """The short table, the other pictures and the answer are those of one precision."""
    w = built.workloads[0]
    assert w.dtype == "float32"
    assert {t.column for row in w.rows for t in row.others} == {"CuPy"}
    assert not any("TF32" in s.column for row in w.rows for s in row.speedups)
    assert {b.label for b in w.phases} <= {"CuPy", "numpy-16", "torch-cpu-16"}
    assert "TF32" not in w.answer
    assert set(w.leads.values()) == {"CuPy"}
    kinds = [name for name in charts.specs(built) if "speedup" in name]
    assert kinds == ["matmul-speedup-best-cpu", "matmul-speedup-numpy"]


def test_a_run_without_variants_shows_nothing_of_them() -> None:
    """No picture, no table and no note where no variant was measured."""
    made = record(sizes=SIZES)
    built = page.build(apply(made, judge(made)))
    w = built.workloads[0]
    assert w.precisions == ()
    assert "matmul-precision" not in charts.specs(built)
    assert not any(t.title == "Precision variants" for t in w.tables)
    assert not any(n.label == "precision" for n in w.notes)


def test_a_quick_run_marks_the_rate_as_indicative(run: RunRecord) -> None:
    """Without verdicts the ratio of the card carries the mark of an indicative figure."""
    spec = msgspec.structs.replace(run.spec, effort="quick")
    quick = msgspec.structs.replace(run, spec=spec)
    built: Any = page.build(apply(quick, judge(quick)))
    said = [n.text for n in built.workloads[0].notes if n.label == "precision"]
    assert said[-1].startswith("float64 took ~1.9 times")


def test_labels_of_variants() -> None:
    """A variant is called by its library and its precision, on a CPU by its id."""
    entries = [CUPY, in_precision(CUPY, "tf32"), in_precision(NUMPY, "float64")]
    assert labels(entries) == {
        "cupy": "CuPy", "cupy-tf32": "CuPy TF32", "numpy-16-float64": "numpy-16-float64",
    }  # fmt: skip
