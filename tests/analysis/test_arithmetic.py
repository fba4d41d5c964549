"""What two sides compute in, and which differences are allowed."""

from __future__ import annotations

import msgspec
import pytest

from breakeven.analysis.arithmetic import sides, tf32_caveats, undeclared, unlike
from breakeven.analysis.pairs import Pair
from breakeven.analysis.times import Times
from breakeven.engine.plan import in_precision
from breakeven.model.run import Agreement, Entry, RunRecord
from breakeven.model.spec import Precision
from records import CUPY, CURVES, NUMPY, record

TF32 = in_precision(CUPY, "tf32")


def _run(entry: Entry = CUPY, *precisions: Precision) -> RunRecord:
    curves = CURVES | {entry.id: CURVES["cupy"]}
    made = record([NUMPY, entry], curves, sizes=(512,))
    return msgspec.structs.replace(
        made, spec=msgspec.structs.replace(made.spec, precisions=precisions)
    )


def _errs(run: RunRecord, entry: str, error: float, class_: str, *, passed: bool) -> RunRecord:
    agreement = Agreement(error=error, bound=1e-5, class_=class_, passed=passed)
    return msgspec.structs.replace(
        run,
        cases=tuple(
            msgspec.structs.replace(c, agreement=agreement, status="ok" if passed else "disagrees")
            if c.entry == entry
            else c
            for c in run.cases
        ),
    )


def _pair(entry: str = "cupy") -> Pair:
    return Pair("matmul", 512, "resident", "numpy-16", "best-cpu", entry)


def _overridden(run: RunRecord, value: str) -> RunRecord:
    machine = msgspec.structs.replace(run.machine, environment={"NVIDIA_TF32_OVERRIDE": value})
    return msgspec.structs.replace(run, machine=machine)


def test_a_declared_variant_may_be_compared() -> None:
    """TF32 against the CPU's float32 is what was asked for; both sides are named."""
    times = Times(_errs(_run(TF32, "tf32"), TF32.id, 3e-4, "TF32/half", passed=True))
    pair = _pair(TF32.id)
    assert unlike(times, pair) is None
    assert undeclared(times, pair) is None
    assert sides(times, pair) == ("float32", "tf32")
    assert sides(Times(_run()), _pair()) is None


def test_the_same_difference_undeclared_is_withheld() -> None:
    """An entry in TF32 that the run did not ask for is no comparison, variant or not."""
    said = unlike(Times(_run(TF32)), _pair(TF32.id))
    assert said == ("numpy-16 multiplies in ieee precision, CuPy TF32 in tf32; set both alike")
    plain = msgspec.structs.replace(CUPY, matmul_precision="tf32")
    assert unlike(Times(_run(plain, "tf32")), _pair()) is not None


@pytest.mark.parametrize(("value", "remedy"), [("1", "unset NVIDIA_TF32_OVERRIDE"), ("0", "TF32")])
def test_tf32_that_nobody_asked_for_is_named(value: str, remedy: str) -> None:
    """The reason says which side errs as what, by how much, and what to do."""
    run = _errs(_overridden(_run(), value), "cupy", 3.1e-4, "TF32/half", passed=False)
    said = undeclared(Times(run), _pair())
    assert said is not None
    assert said.startswith("CuPy was to compute in float32, yet errs by ")
    assert "as TF32 or float16 does" in said
    assert remedy in said


def test_a_wrong_answer_is_not_taken_for_coarse_arithmetic() -> None:
    """An error that no arithmetic makes, or one that its precision may make, is told elsewhere."""
    run = _errs(_run(), "cupy", 0.5, "wrong", passed=False)
    assert undeclared(Times(run), _pair()) is None
    run = _errs(_run(), "cupy", 1e-6, "float32", passed=False)
    assert undeclared(Times(run), _pair()) is None


def test_an_override_is_a_caveat_where_it_can_bear_on_anything() -> None:
    """What the variable does is said for GPU entries; without them there is nothing to say."""
    assert tf32_caveats(_run()) == []
    (off,) = tf32_caveats(_overridden(_run(), "0"))
    assert off.startswith("NVIDIA_TF32_OVERRIDE=0 is set: NVIDIA's libraries never compute in TF32")
    (on,) = tf32_caveats(_overridden(_run(), "1"))
    assert "may compute float32 in TF32" in on
    cpu = _overridden(record([NUMPY], CURVES, sizes=(512,)), "1")
    assert tf32_caveats(cpu) == []
