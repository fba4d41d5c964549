"""Inputs of zeros, constants or NaN alone are refused: they take less time than data."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from breakeven.analysis.judge import apply, judge
from breakeven.engine.inputs import Inputs, RefusedError
from breakeven.engine.processes import crew
from breakeven.engine.telling_inputs import refusal
from breakeven.model.run import RunRecord
from breakeven.workloads import registry
from engine.casts import actor, began, gpu, measured, script

DATA = np.random.default_rng(1).standard_normal((64, 64)).astype(np.float32)
ONE = DATA * 0
ONE[5, 7] = 1.0
# A workload of another package that forgets to fill its inputs, beside its entry point.
ZEROS = """\
import numpy as np
from breakeven.workloads.matmul import Matmul

class Zeros(Matmul):
    name = "zeros"

    def make(self, size, dtype, seed):
        inputs, reference = super().make(size, dtype, seed)
        return {n: np.zeros_like(a) for n, a in inputs.items()}, reference
"""


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"a": DATA, "b": np.zeros_like(DATA)}, "every value is 0 in 'b'"),
        ({"a": np.full((8, 8), 3.5)}, "one value is all there is in 'a'"),
        ({"a": np.full(100, np.nan)}, "NaN is all there is in 'a'"),
        ({"a": np.full(100, np.inf)}, "one value is all there is in 'a'"),
        ({"z": np.zeros(10_000, dtype=np.complex64)}, "every value is 0 in 'z'"),
        ({"a": DATA, "b": np.zeros((64, 64)), "c": np.ones((80, 80))}, "in 'c'"),
    ],
)
def test_dull_inputs_are_refused(inputs: dict[str, np.ndarray], words: str) -> None:
    """The array is named, with what its values are and what to do."""
    said = refusal(inputs)
    assert said is not None
    assert words in said
    assert "random values" in said


@pytest.mark.parametrize(
    "inputs",
    [
        {"a": DATA},
        {"a": ONE},
        {"x": DATA, "bias": np.zeros(64)},
        {"x": DATA, "eps": np.array(0.0)},
        {"labels": np.zeros(100, dtype=np.int64)},
        {"x": np.where(DATA > 0, DATA, np.nan)},
        {},
    ],
)
def test_data_pass(inputs: dict[str, np.ndarray]) -> None:
    """A few zeros among data, one value that differs, integers and single numbers are no reason."""
    assert refusal(inputs) is None


@pytest.mark.parametrize("name", registry.names())
def test_the_built_in_workloads_pass(name: str) -> None:
    """Their inputs are random, biases aside."""
    workload = registry.get(name)
    inputs, _ = workload.make(min(workload.sizes), "float32", 42)
    assert refusal(inputs) is None


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder; another package's workload that makes zeros can be found from it."""
    about = tmp_path / "zeros-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: zeros\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[breakeven.workloads]\nzeros = zeros_workload:Zeros\n")
    (tmp_path / "zeros_workload.py").write_text(ZEROS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    return tmp_path


def test_the_maker_refuses_them(planted: Path) -> None:
    """No file is left, and the reason is one line."""
    refused = pytest.raises(RefusedError, match=r"every value is 0 in 'a'")
    with crew() as staff, refused as caught:
        Inputs(staff, planted, "float32", 42).folder_of(registry.get("zeros"), 16)
    assert "\n" not in str(caught.value)
    assert not (planted / "zeros-16").exists()


def test_a_workload_that_makes_zeros_is_not_compared(planted: Path) -> None:
    """Every case of it says why, and no verdict is given."""
    name = script(
        planted,
        cpu=actor() | {"compute_s": {"zeros": {8: 1e-3}}},
        gpu=gpu() | {"compute_s": {"zeros": {8: 1e-3}}},
    )
    record = began(name, rounds=1, budget_s=1.0)
    spec = msgspec.structs.replace(
        record.spec, workloads=(msgspec.structs.replace(record.spec.workloads[0], name="zeros"),)
    )
    run: RunRecord = measured(msgspec.structs.replace(record, spec=spec))
    assert {c.status for c in run.cases} == {"unsupported"}
    for case in run.cases:
        assert "every value is 0 in 'a'" in (case.why or "")
    assert not run.cold_starts
    assert {v.word for v in apply(run, judge(run)).verdicts} <= {"withheld"}
