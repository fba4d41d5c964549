"""Precision variants on a CUDA device: what is switched on is on, and what is off is off."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import breakeven
from breakeven import lab
from breakeven.engine import messages
from breakeven.engine.inputs import Inputs
from breakeven.engine.processes import Crew
from breakeven.model.machine import Gpu
from breakeven.model.spec import Precision
from breakeven.workloads import registry
from gpu.conftest import PATIENCE_S

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(500)]
SIZE = 2048
CLASSES: dict[Precision, str] = {
    "float32": "float32",
    "tf32": "TF32/half",
    "float16": "TF32/half",
    "bfloat16": "bfloat16",
    "float64": "float64",
}


def _answer(
    staff: Crew, inputs: Inputs, log: Path, backend: str, precision: Precision, claimed: Precision
) -> messages.Reply:
    """Set a product up in a fresh worker of `precision`, its answer checked as `claimed`."""
    config = messages.WorkerConfig(backend=backend, parent=os.getpid(), precision=precision)
    worker = staff.start(config, threads=None, freezable=False, log=log)
    try:
        opened = worker.receive(PATIENCE_S)
        assert isinstance(opened, messages.Opened), opened
        assert opened.remark is None
        dtype = "float64" if precision == "float64" else "float32"
        folder = inputs.folder_of(registry.get("matmul"), SIZE, dtype)
        request = messages.SetUp(
            workload="matmul", size=SIZE, folder=str(folder), warm_s=0.05, precision=claimed
        )
        return worker.ask(request, PATIENCE_S)
    finally:
        staff.end(worker)


@pytest.mark.parametrize("precision", list(CLASSES))
def test_a_product_errs_as_its_precision_does(
    staff: Crew, inputs: Inputs, tmp_path: Path, gpu: Gpu, name: str, precision: Precision
) -> None:
    """Each precision is what it is called, on each library; CuPy lacks bfloat16 and says so."""
    if precision == "tf32" and float(gpu.compute_capability or 0) < 8.0:
        pytest.skip(f"{gpu.name} has no TF32")
    reply = _answer(staff, inputs, tmp_path / "log", name, precision, precision)
    if (name, precision) == ("cupy", "bfloat16"):
        assert isinstance(reply, messages.Failed)
        assert (reply.status, reply.why) == ("unsupported", "CuPy has no bfloat16 arrays")
        return
    assert isinstance(reply, messages.Ready), reply
    assert reply.agreement.passed, reply.agreement
    assert reply.agreement.class_ == CLASSES[precision]


def test_exported_tf32_does_not_reach_float32(
    staff: Crew,
    inputs: Inputs,
    tmp_path: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Off means off, though the shell exports the switches of both libraries."""
    monkeypatch.setenv("CUPY_TF32", "1")
    monkeypatch.setenv("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "1")
    reply = _answer(staff, inputs, tmp_path / "log", name, "float32", "float32")
    assert isinstance(reply, messages.Ready), reply
    assert reply.agreement.class_ == "float32"


def test_tf32_that_was_not_declared_fails_its_check(
    staff: Crew, inputs: Inputs, tmp_path: Path, gpu: Gpu, name: str
) -> None:
    """The planted fault: a worker that multiplies in TF32 under the name of float32 is seen."""
    if float(gpu.compute_capability or 0) < 8.0:
        pytest.skip(f"{gpu.name} has no TF32")
    reply = _answer(staff, inputs, tmp_path / "log", name, "tf32", "float32")
    assert isinstance(reply, messages.Ready), reply
    assert not reply.agreement.passed
    assert reply.agreement.class_ == "TF32/half"


@pytest.fixture(scope="module")
def result(gpu: Gpu, tmp_path_factory: pytest.TempPathFactory) -> lab.Result:
    """Return a run of both libraries in five precisions at one size."""
    del gpu
    return breakeven.run(
        "matmul",
        sizes=[4096],
        rounds=3,
        precisions=["tf32", "float16", "bfloat16", "float64"],
        store=tmp_path_factory.mktemp("precisions"),
    )


def test_a_run_tells_time_against_error(result: lab.Result) -> None:
    """Fewer bits take less time and err more; the float64 rate of the card is in words."""
    seconds = {p.entry: p.seconds for p in result.page.workloads[0].precisions}
    errors = {p.entry: p.error for p in result.page.workloads[0].precisions}
    here = [e for e in ("cupy", "torch-cuda") if e in seconds]
    assert here
    for entry in here:
        assert errors[f"{entry}-float64"] < errors[entry] < errors[f"{entry}-tf32"]
        assert seconds[f"{entry}-tf32"] < seconds[entry] < seconds[f"{entry}-float64"]
        assert seconds[f"{entry}-float16"] < seconds[entry]
    said = [n.text for n in result.page.workloads[0].notes if n.label == "precision"]
    assert any(text.startswith("float64 took") for text in said)
