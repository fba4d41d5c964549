"""Precision variants, measured: what enters, on which inputs, and what is told of each."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from breakeven.analysis.judge import apply, judge
from breakeven.engine.plan import candidates, cpu_alike
from breakeven.engine.request import Options, spec_of
from breakeven.errors import InputError
from breakeven.model.machine import BackendInfo
from breakeven.model.run import RunRecord
from breakeven.model.spec import Precision
from engine.casts import CPU_S, actor, began, gpu, measured, script

PLAYED: dict[str, dict[str, float]] = {
    "tf32": {"times": 0.5, "error": 3e-4},
    "bfloat16": {"times": 0.25, "error": 3e-3},
    "float64": {"times": 2.0},
}


def _with(record: RunRecord, *precisions: Precision) -> RunRecord:
    spec = msgspec.structs.replace(record.spec, precisions=precisions)
    return msgspec.structs.replace(record, spec=spec)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """Return a judged run of a scripted CPU and GPU, the GPU in five precisions."""
    folder = tmp_path_factory.mktemp("cast")
    cast = script(folder, cpu=actor(CPU_S), gpu=gpu(precisions=PLAYED))
    begun = began(cast, sizes=(16, 32))
    record = measured(_with(begun, "float16", "bfloat16", "tf32", "float64"))
    return apply(record, judge(record))


def test_each_gpu_entry_enters_once_more_a_precision(run: RunRecord) -> None:
    """A GPU has a variant a precision; the best CPU setting has one in float64 alone."""
    variants = {e.id: e for e in run.entries if e.variant == "precision"}
    assert set(variants) == {
        "gpu-float16", "gpu-bfloat16", "gpu-tf32", "gpu-float64", "cpu-float64",
    }  # fmt: skip
    assert variants["gpu-tf32"].dtype == "float32"
    assert variants["gpu-tf32"].matmul_precision == "tf32"
    assert {e.precision_of for e in variants.values()} == {"gpu", "cpu"}
    assert not any(e.default or e.twin_of for e in variants.values())


def test_an_answer_is_checked_as_its_precision_allows(run: RunRecord) -> None:
    """Errors that TF32 and bfloat16 make pass there, with their class; float64 errs by 1e-15."""
    cases = {(c.entry, c.size): c for c in run.cases}
    classes = {}
    for entry in ("gpu", "gpu-tf32", "gpu-bfloat16", "gpu-float64", "cpu-float64"):
        agreement = cases[entry, 32].agreement
        assert agreement is not None
        assert agreement.passed
        classes[entry] = agreement.class_
    assert classes == {
        "gpu": "float32", "gpu-tf32": "TF32/half", "gpu-bfloat16": "bfloat16",
        "gpu-float64": "float64", "cpu-float64": "float64",
    }  # fmt: skip


def test_a_precision_that_a_backend_lacks_is_unsupported(run: RunRecord) -> None:
    """What an actor does not play is a case of its own with the reason."""
    lacking = [c for c in run.cases if c.entry == "gpu-float16"]
    assert {c.status for c in lacking} == {"unsupported"}
    assert {c.why for c in lacking} == {"scripted: nothing in float16"}


def test_bytes_are_counted_in_the_entrys_own_type(run: RunRecord) -> None:
    """The work of a float64 case moves twice the bytes of a float32 one, of 16 bits half."""
    work = {c.entry: c.work for c in run.cases if c.size == 32}
    base, wide, half = work["gpu"], work["gpu-float64"], work["gpu-bfloat16"]
    assert base is not None
    assert wide is not None
    assert half is not None
    assert (wide.bytes, half.bytes) == (2 * base.bytes, base.bytes / 2)
    assert wide.flops == base.flops


def test_a_variant_has_a_verdict_against_each_of_its_bases(run: RunRecord) -> None:
    """Variants stand against the best CPU, against themselves in float32, float64 against alike."""
    found = {
        (v.entry, v.base_kind): v
        for v in run.verdicts
        if v.size == 32 and v.scope == "resident" and v.precision is not None
    }
    own = found["gpu-float64", "own"]
    assert own.ratio == pytest.approx(0.5, rel=0.1)
    assert (own.base, own.base_precision, own.precision) == ("gpu", "float32", "float64")
    tf32 = found["gpu-tf32", "best-cpu"]
    assert (tf32.base, tf32.base_precision, tf32.precision) == ("cpu", "float32", "tf32")
    assert tf32.word != "withheld"
    alike = found["gpu-float64", "cpu-alike"]
    assert (alike.base, alike.base_precision) == ("cpu-float64", "float64")
    assert ("gpu-tf32", "cpu-alike") not in found
    assert found["cpu-float64", "own"].base == "cpu"


def test_variants_lead_no_answer(run: RunRecord) -> None:
    """Crossovers, bands and advice are about entries in the run's own precision."""
    variants = {e.id for e in run.entries if e.variant == "precision"}
    assert run.crossovers
    assert not variants & {c.entry for c in run.crossovers}
    assert not variants & {e for b in run.bands for e in b.entries}
    assert not variants & {a.choice for a in run.advice}
    assert not variants & {v.base for v in run.verdicts if v.base_kind == "best-cpu"}


def test_tf32_on_one_side_is_caught_and_named(tmp_path: Path) -> None:
    """A GPU that multiplies in TF32 unasked gets no verdict, and the reason says TF32."""
    cast = script(tmp_path, cpu=actor(CPU_S), gpu=gpu(precisions={"float32": {"error": 3e-4}}))
    record = measured(began(cast, sizes=(32,)))
    judged = apply(record, judge(record))
    caught = [v for v in judged.verdicts if v.entry == "gpu"]
    assert caught
    assert {(v.word, v.reason) for v in caught} == {("withheld", "precision")}
    assert all("TF32" in (v.why or "") and "float32" in (v.why or "") for v in caught)
    (case,) = [c for c in judged.cases if c.entry == "gpu"]
    assert case.why == "it errs as TF32/half does, though float32 was asked for"


def test_tf32_that_changes_nothing_is_told(tmp_path: Path) -> None:
    """A TF32 entry whose answer errs no more than float32 says so beside its figures."""
    cast = script(tmp_path, cpu=actor(CPU_S), gpu=gpu(precisions={"tf32": {}}))
    record = measured(_with(began(cast, sizes=(32,)), "tf32"))
    (case,) = [c for c in record.cases if c.entry == "gpu-tf32"]
    assert case.status == "ok"
    assert "did not take" in (case.why or "")


def test_without_a_gpu_the_run_says_that_no_variant_is_here(tmp_path: Path) -> None:
    """Further precisions of a machine without a GPU are a remark, and nothing is entered."""
    record = measured(_with(began(script(tmp_path, cpu=actor(CPU_S)), sizes=(16,)), "float64"))
    assert not any(e.variant == "precision" for e in record.entries)
    assert any("float64 were not measured" in r or "no GPU" in r for r in record.remarks)


def test_names_and_settings_of_variants() -> None:
    """Ids end in the precision; a quick run takes the CPU library as it comes."""
    record = began("numpy", "cupy", effort="quick")
    spec = msgspec.structs.replace(record.spec, precisions=("tf32", "float64"))
    info = [
        ("numpy", BackendInfo(name="numpy", device="cpu", available=True), True),
        ("cupy", BackendInfo(name="cupy", device="cuda:0", available=True), False),
    ]
    entries = candidates(spec, info, record.machine)
    assert [e.id for e in entries] == ["numpy-2", "cupy", "cupy-tf32", "cupy-float64"]
    assert [e.id for e in cpu_alike(spec, entries, None)] == ["numpy-2-float64"]


def test_precisions_are_checked_in_one_line() -> None:
    """Unknown, missing and superfluous precisions are refused; order is the model's."""
    wanted = spec_of(Options(precisions=["float64", "tf32"]), gpu=True)
    assert wanted.precisions == ("tf32", "float64")
    for given, said in (
        (["half"], "'half'"),
        ([], "no precision"),
        (["float32"], "measures already"),
    ):
        with pytest.raises(InputError, match=said):
            spec_of(Options(precisions=given), gpu=True)
