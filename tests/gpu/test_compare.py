"""The user's own functions on a real GPU, from the command to the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from breakeven.model.machine import Gpu
from breakeven.model.run import RunRecord
from breakeven.store.upgrade import decode
from engine.casts import Commands

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(400)]

OWN = """
import numpy as np
from dataclasses import dataclass

TABLE = np.linspace(0.0, 1.0, 16)

def make_inputs(n, rng):
    return rng.standard_normal((n, 64))

def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

def table(x):
    return TABLE[np.clip((x * 4 + 8).astype(np.int64), 0, 15)]

def alters(x):
    x -= x.mean(axis=0)

def total(x):
    return float((x * x).sum())

@dataclass
class Parts:
    mean: np.ndarray
    spread: np.ndarray

def parts(x):
    return Parts(x.mean(axis=0), x.std(axis=0))

def lacking(x):
    y = x * 2
    return np.apply_over_axes(np.nanmedian, y, [0]) + np.frompyfunc(abs, 1, 1)(y[0])
"""
FULLY = ("softmax", "table", "alters", "total", "parts")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """Return a folder with the functions in it."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own.py").write_text(OWN)
    (folder / "port.py").write_text(
        "import torch\ndef softmax(x):\n    return torch.softmax(x, 1)\n"
        "def wrong(x):\n    return torch.softmax(x, 0)\n"
        "def fetched(x):\n    return torch.softmax(x, 1).cpu().numpy()\n"
    )
    return Commands(folder)


def compared(here: Commands, name: str, *words: str) -> RunRecord:
    """Return the record of a quick comparison."""
    code, out, err = here.run(
        "compare", f"own.py:{name}", "--sizes", "4096", "--quick", "--no-report", "--json", *words
    )
    assert code == 0, err
    assert json.loads(out)["schema"] == "breakeven.run/1"
    return decode(out.encode(), "stdout")


@pytest.mark.parametrize("function", FULLY)
def test_a_function_runs_fully_on_the_gpu(
    here: Commands, gpu: Gpu, name: str, function: str
) -> None:
    """Unmodified functions run on the device, agree with NumPy, and are timed in both scopes."""
    del gpu
    record = compared(here, function, "--backends", f"numpy,{name}")
    (ported,) = (p for p in record.ported if p.entry == name)
    assert ported.failure is None
    assert ported.reach == "fully"
    assert set(ported.answers_on) <= {"cuda:0"}
    assert ported.sites
    (case,) = (c for c in record.cases if c.entry == name)
    assert case.status == "ok"
    assert case.agreement is not None
    assert case.agreement.passed
    assert {r.scope for r in case.rounds} == {"resident", "transfer"}


def test_kernels_are_seen(here: Commands, gpu: Gpu, name: str) -> None:
    """In a run that takes first calls apart, the kernels of one call are counted."""
    del gpu
    code, out, err = here.run(
        "compare", "own.py:softmax", "--sizes", "4096", "--budget", "15", "--no-report", "--json",
        "--backends", f"numpy,{name}",
    )  # fmt: skip
    assert code == 0, err
    record = decode(out.encode(), "stdout")
    (ported,) = (p for p in record.ported if p.entry == name)
    assert ported.kernels is None or ported.kernels > 0


def test_what_the_gpu_library_lacks_is_named(here: Commands, gpu: Gpu, name: str) -> None:
    """A missing call is a failure with its line, and the run goes on with NumPy."""
    del gpu
    record = compared(here, "lacking", "--backends", f"numpy,{name}")
    (ported,) = (p for p in record.ported if p.entry == name)
    assert ported.reach == "failed"
    assert ported.failure is not None
    assert ported.failure.location is not None
    assert ported.failure.location.line >= OWN.splitlines().index("def lacking(x):") + 2
    assert any(c.status == "ok" for c in record.cases if c.entry.startswith("numpy"))


@pytest.mark.parametrize(
    ("other", "status"), [("softmax", "ok"), ("wrong", "disagrees"), ("fetched", "ran_on_host")]
)
def test_a_port_by_hand_is_judged(here: Commands, gpu: Gpu, other: str, status: str) -> None:
    """A port for torch passes, disagrees, or is no GPU result, as it deserves."""
    del gpu
    record = compared(
        here, "softmax", "--backends", "numpy,torch-cuda", "--against", f"port.py:{other}"
    )
    statuses = {c.status for c in record.cases if c.entry == "torch-cuda-hand-written"}
    assert statuses == {status}


def test_the_compiled_variant_says_what_it_took(here: Commands, gpu: Gpu) -> None:
    """PyTorch's compiled variant is one graph with its seconds, or says what cuts it."""
    del gpu
    record = compared(here, "softmax", "--backends", "numpy,torch-cuda", "--compile")
    (ported,) = (p for p in record.ported if p.entry == "torch-cuda-compiled")
    if ported.reach == "failed":
        assert ported.failure is not None
        assert ported.failure.message
    else:
        assert ported.compiled is not None
        assert (ported.compiled.graphs, ported.reach) == (1, "fully")
        assert ported.compiled.seconds > 0


def test_a_function_that_outgrows_the_gpu_ends_as_out_of_memory(
    here: Commands, gpu: Gpu, name: str, tmp_path: Path
) -> None:
    """What needs more device memory than there is keeps its status, and NumPy's is not touched."""
    del gpu, tmp_path
    (Path(here.folder) / "big.py").write_text(
        "import numpy as np\ndef f(n):\n    return np.zeros((n, 1 << 38)).sum()"
        " if not hasattr(np.zeros(1), 'ctypes') else np.float64(0.0)\n"
    )
    code, out, err = here.run(
        "compare", "big.py:f", "--sizes", "1", "--quick", "--no-report", "--json",
        "--backends", f"numpy,{name}",
    )  # fmt: skip
    assert code == 0, err
    record = decode(out.encode(), "stdout")
    assert {c.status for c in record.cases if c.entry == name} <= {"out_of_memory", "disagrees"}
