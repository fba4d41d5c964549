"""What backends do when they are asked for a precision."""

from __future__ import annotations

import os
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from breakeven.backends import registry
from breakeven.backends.base import About, DeviceMemory, Opening
from breakeven.backends.precision import TorchSettings, caster, plain, rule_cupy, torch_caster
from breakeven.engine.bench import Bench
from breakeven.engine.messages import Ready, SetUp
from breakeven.model.machine import BackendInfo
from breakeven.model.spec import DType, Precision
from breakeven.workloads import registry as workloads

Array = np.ndarray[Any, Any]


def _case(folder: Path, workload: str, size: int, dtype: DType) -> str:
    """Write a case's files as a maker does."""
    for prefix, arrays in zip(
        ("input", "reference"), workloads.get(workload).make(size, dtype, 42), strict=True
    ):
        for place, (name, array) in enumerate(arrays.items()):
            np.save(folder / f"{prefix}-{place}-{name}.npy", array)
    return str(folder)


def _ready(name: str, precision: Precision, folder: str, workload: str, size: int) -> Ready:
    backend = registry.get(name, "", precision)
    bench = Bench(backend, backend.open())
    request = SetUp(
        workload=workload, size=size, folder=folder, warm_s=0.01, precision=precision, parts=False
    )
    return bench.set_up(request, workloads.get(workload), None)


@pytest.mark.parametrize(
    ("name", "precision", "class_"),
    [
        ("numpy", "float64", "float64"),
        ("numpy", "float32", "float32"),
        ("numpy", "float16", "TF32/half"),
        ("torch-cpu", "float64", "float64"),
        ("torch-cpu", "float32", "float32"),
        ("torch-cpu", "float16", "TF32/half"),
        ("torch-cpu", "bfloat16", "bfloat16"),
    ],
)
@pytest.mark.parametrize(("workload", "size"), [("matmul", 96), ("mlp", 8)])
def test_a_product_and_a_training_pass_in_each_precision(
    tmp_path: Path, name: str, precision: Precision, class_: str, workload: str, size: int
) -> None:
    """Real arithmetic passes under the bound of its precision; products have its class."""
    dtype: DType = "float64" if precision == "float64" else "float32"
    ready = _ready(name, precision, _case(tmp_path, workload, size, dtype), workload, size)
    assert ready.agreement.passed, ready.agreement
    if workload == "matmul":
        assert ready.agreement.class_ == class_


@pytest.mark.parametrize(
    ("name", "precision", "said"),
    [
        ("numpy", "tf32", "tensor cores"),
        ("numpy", "bfloat16", "NumPy has no bfloat16"),
        ("torch-cpu", "tf32", "tensor cores"),
    ],
)
def test_a_precision_that_is_lacking_says_why(
    tmp_path: Path, name: str, precision: Precision, said: str
) -> None:
    """The case fails before anything is computed, with the reason in words."""
    with pytest.raises(NotImplementedError, match=said):
        _ready(name, precision, _case(tmp_path, "matmul", 8, "float32"), "matmul", 8)


def test_cupy_lacks_bfloat16_alone() -> None:
    """CuPy reads NumPy's types: 16 bits of one kind, and none of the other."""
    cast = caster("bfloat16", {"bfloat16": "CuPy has no bfloat16 arrays"})
    with pytest.raises(NotImplementedError, match="CuPy has no bfloat16"):
        cast(np.ones(2, np.float32))
    assert caster("float16", {})(np.ones(2, np.float32)).dtype == np.float16


def test_what_is_no_floating_point_number_stays() -> None:
    """Indices and labels keep their type; complex numbers have no 16 bits."""
    rows = np.arange(3)
    assert caster("float16", {})(rows) is rows
    with pytest.raises(NotImplementedError, match="complex"):
        caster("float16", {})(np.ones(2, np.complex64))
    torch = pytest.importorskip("torch")
    cast = torch_caster(torch, "bfloat16", cuda=True)
    assert cast(rows) is rows
    assert cast(np.ones(2, np.float32)).dtype is torch.bfloat16
    with pytest.raises(NotImplementedError, match="complex"):
        cast(np.ones(2, np.complex64))


def test_answers_of_16_bits_are_read_as_float32() -> None:
    """A check computes with what it is given: float16 would round once more."""
    assert plain(np.ones(2, np.float16)).dtype == np.float32
    wide = np.ones(2)
    assert plain(wide) is wide


class _OldWays:
    """A backend that knows nothing of precisions, as another package may have written it."""

    about = About(name="old-ways", device="cpu", pools=False)

    def find(self) -> BackendInfo:
        return BackendInfo(name="old-ways", device="cpu", available=True)

    def open(self) -> Opening:
        return Opening(xp=np, version="1", import_s=0.0, context_s=0.0, clock=lambda: 0.0)

    def begin_case(self, workload: str, size: int) -> None:
        pass

    def to_device(self, array: Array) -> Array:
        return array

    def to_host(self, array: Array) -> Array:
        return array

    def synchronise(self) -> None:
        pass

    def memory(self) -> DeviceMemory:
        return DeviceMemory()


def test_a_backend_without_precisions_is_not_taken_for_one_that_has_them(tmp_path: Path) -> None:
    """Without `cast` a case in bfloat16 is refused, not computed in float32 under that name."""
    backend = _OldWays()
    bench = Bench(backend, backend.open())
    request = SetUp(
        workload="matmul",
        size=8,
        folder=_case(tmp_path, "matmul", 8, "float32"),
        warm_s=0.01,
        precision="bfloat16",
    )
    with pytest.raises(NotImplementedError, match="not made for bfloat16"):
        bench.set_up(request, workloads.get("matmul"), None)


def test_cupy_is_told_before_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """TF32 is on for a TF32 entry alone, whatever the user's shell exports."""
    monkeypatch.setenv("CUPY_TF32", "1")
    rule_cupy("float32")
    assert os.environ["CUPY_TF32"] == "0"
    rule_cupy("tf32")
    assert os.environ["CUPY_TF32"] == "1"


class _Switches:
    """PyTorch's two switches; `stuck` is a product's that something else holds."""

    def __init__(self, stuck: str | None = None) -> None:
        self._stuck = stuck
        self._products = "highest"
        self.backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(allow_tf32=True))

    def set_float32_matmul_precision(self, value: str) -> None:
        self._products = value

    def get_float32_matmul_precision(self) -> str:
        return self._stuck or self._products


@pytest.mark.parametrize(
    ("precision", "products", "convolutions"),
    [("float32", "highest", False), ("tf32", "high", True), ("bfloat16", "highest", False)],
)
def test_both_switches_of_torch_move_together(
    precision: Precision, products: str, convolutions: bool
) -> None:
    """Off is off for convolutions too, where PyTorch leaves TF32 on by itself."""
    switches = _Switches()
    assert TorchSettings(switches).apply(precision) is None
    assert switches.get_float32_matmul_precision() == products
    assert switches.backends.cudnn.allow_tf32 is convolutions


def test_a_switch_that_did_not_take_is_told() -> None:
    """What something else holds on is said beside the figures of its process."""
    said = TorchSettings(_Switches(stuck="high")).apply("float32")
    assert said == "PyTorch did not switch TF32 off when it was told to"


def test_real_torch_takes_both_switches() -> None:
    """On the installed PyTorch neither order of the two mixes old and new settings."""
    torch = pytest.importorskip("torch")
    for precision in ("tf32", "float32"):
        assert TorchSettings(torch).apply(precision) is None
    assert torch.get_float32_matmul_precision() == "highest"
    assert torch.backends.cudnn.allow_tf32 is False
