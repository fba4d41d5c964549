"""A worker's own work with a user's function, on devices that NumPy plays."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from breakeven.backends import registry
from breakeven.engine import messages
from breakeven.engine.function_bench import FunctionBench
from breakeven.engine.function_maker import FunctionMaker
from breakeven.errors import InputError
from breakeven.model.entry import Variant
from breakeven.model.ported import FunctionSpec
from breakeven.workloads.function.failed import FunctionFailedError
from breakeven.workloads.function.workload import FunctionWorkload

SIZE = 32
TIMES = {"f": {"16": 1e-4, "64": 4e-4}}


class Stage:
    """A user's file with a device that it is played on."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        monkeypatch.setattr("breakeven.engine.function_maker.limit_memory", lambda: None)

    def function(self, source: str, **fields: Any) -> FunctionSpec:  # noqa: ANN401  of several types
        """Return the function `f` of a file with that source."""
        path = self.folder / "users.py"
        path.write_text("import numpy as np\n" + textwrap.dedent(source))
        return FunctionSpec(target=f"{path}:f", **fields)

    def bench(
        self, spec: FunctionSpec, *, device: str = "cuda:0", variant: Variant = "default"
    ) -> FunctionBench:
        """Return a bench on the device that is played."""
        cast = self.folder / "cast.json"
        cast.write_text(json.dumps({"actors": {"it": {"device": device, "compute_s": TIMES}}}))
        backend = registry.get(f"scripted:{cast}#it", "seed", "float64")
        return FunctionBench(backend, backend.open(), spec, variant, 42)

    def set_up(self, spec: FunctionSpec, bench: FunctionBench | None = None) -> messages.Ready:
        """Make the reference, and set the case up."""
        folder = self.folder / f"made-{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        maker = FunctionMaker(spec, 42)
        maker.make(
            messages.Make(workload="f", size=SIZE, dtype="float64", seed=42, folder=str(folder))
        )
        workload = FunctionWorkload("f", spec, 42)
        request = messages.SetUp(workload="f", size=SIZE, folder=str(folder), warm_s=0.001)
        return (bench or self.bench(spec)).set_up(request, workload)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Return a stage of its own."""
    return Stage(tmp_path, monkeypatch)


SOFTMAX = """
def f(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
"""
MATRIX = "rng.standard_normal((n, n))"


def test_a_function_runs_fully_on_a_device(stage: Stage) -> None:
    """All calls are the library's, by line; the answer lies on the device, and agrees."""
    ready = stage.set_up(stage.function(SOFTMAX, inputs=MATRIX))
    assert ready.ported is not None
    assert ready.ported.reach == "fully"
    assert ready.ported.answers_on == ("cuda:0",)
    assert {s.location.line for s in ready.ported.sites} == {4, 5}
    assert ready.agreement is not None
    assert ready.agreement.passed
    assert ready.in_bytes == ready.out_bytes == SIZE * SIZE * 8


def test_what_a_library_lacks_is_a_failure_with_its_line(stage: Stage) -> None:
    """Under strict the first call that is missing ends the case, and says where and which."""
    spec = stage.function(
        "def f(x):\n    y = x + 1\n    return np.nanpercentile(y, 5)", inputs=MATRIX
    )
    with pytest.raises(FunctionFailedError) as caught:
        stage.set_up(spec)
    failure = caught.value.ported.failure
    assert failure is not None
    assert failure.category == "missing-function"
    assert failure.location is not None
    assert failure.location.line == 4
    assert "nanpercentile" in (failure.location.text or "")
    assert caught.value.status == "unsupported"


def test_a_bridged_call_is_part_of_the_host(stage: Stage) -> None:
    """Under bridge NumPy does the missing call: it is counted, priced, and no GPU result."""
    spec = stage.function(
        "def f(x):\n    return np.nanpercentile(x + 1, 5, axis=0)", inputs=MATRIX, policy="bridge"
    )
    ready = stage.set_up(spec)
    assert ready.ported is not None
    assert ready.ported.reach == "host_part"
    assert [s.name for s in ready.ported.sites if s.bridged] == ["numpy.nanpercentile"]
    assert ready.agreement is not None
    assert ready.agreement.passed


def test_arrays_that_a_call_alters_are_given_afresh(stage: Stage) -> None:
    """A function that adds in place gives the same answer in the thousandth call as in the first."""
    spec = stage.function(
        "def f(x, y):\n    x += y\n    return x.sum()", inputs="(rng.random(n), rng.random(n))"
    )
    bench = stage.bench(spec)
    ready = stage.set_up(spec, bench)
    assert ready.agreement is not None
    assert ready.agreement.passed

    def once() -> float:
        bench._fresh()
        return float(bench._answer(bench._run()).arrays[0]._values)

    first = once()
    bench.measure("resident", 1e-3)
    assert once() == first


def test_a_port_that_alters_what_numpy_leaves_alone_disagrees(stage: Stage) -> None:
    """A port written by hand that works in place is caught, though its answer is right."""
    (stage.folder / "port.py").write_text("def other(x):\n    x *= 2.0\n    return x\n")
    spec = stage.function(
        "def f(x):\n    return x * 2.0", inputs=MATRIX, against=f"{stage.folder}/port.py:other"
    )
    ready = stage.set_up(spec, stage.bench(spec, variant="against"))
    assert ready.agreement is not None
    assert not ready.agreement.passed
    assert ready.ported is not None
    assert ready.ported.outside == ("alters x, which it leaves alone on NumPy",)


def test_an_answer_on_the_host_is_no_answer_of_the_device(stage: Stage) -> None:
    """A port written by hand that returns NumPy's arrays ran in part on the host."""
    (stage.folder / "port.py").write_text(
        "import numpy as np\ndef other(x):\n    return np.array(x._values) * 2.0\n"
    )
    spec = stage.function(
        "def f(x):\n    return x * 2.0", inputs=MATRIX, against=f"{stage.folder}/port.py:other"
    )
    ready = stage.set_up(spec, stage.bench(spec, variant="against"))
    assert ready.ported is not None
    assert ready.ported.reach == "host_part"


def test_classes_of_the_users_file_work_on_the_device(stage: Stage) -> None:
    """A method of a dataclass calls the library too: the class is that of the file run afresh."""
    source = """
        from dataclasses import dataclass
        @dataclass
        class State:
            x: np.ndarray
            def doubled(self):
                return np.add(self.x, self.x)
        def f(state):
            return State(state.doubled())
    """
    ready = stage.set_up(stage.function(source, inputs="State(rng.random(n))"))
    assert ready.ported is not None
    assert (ready.ported.reach, ready.ported.answers_on) == ("fully", ("cuda:0",))
    assert "numpy.add" in {s.name for s in ready.ported.sites}


def test_on_numpy_itself_nothing_is_ported(stage: Stage) -> None:
    """The base runs the user's own file as it stands, and tells of no library."""
    spec = stage.function(SOFTMAX, inputs=MATRIX)
    ready = stage.set_up(spec, stage.bench(spec, device="cpu"))
    assert ready.ported is None
    assert ready.agreement is not None
    assert ready.agreement.passed


def test_other_arguments_than_the_reference_had_are_refused(stage: Stage) -> None:
    """Arguments that do not follow from the seed differ by their digest, and end the case."""
    source = (
        SOFTMAX
        + "\nimport os\ndef make_inputs(n, rng):\n    return np.frombuffer(os.urandom(n * n), np.uint8).reshape(n, n) / 255"
    )
    with pytest.raises(ValueError, match="make them from n and rng alone"):
        stage.set_up(stage.function(source))


@pytest.mark.parametrize(
    ("source", "inputs", "said"),
    [
        ("def f(x):\n    return g(x)\ndef g(x):\n    return x[99, 99]", MATRIX,
         "raises at n = 32 on NumPy itself: IndexError.*users.py line 5: return x\\[99, 99\\]; called from line 3"),
        ("def f(x):\n    print(x)", MATRIX, "returns nothing, and alters none"),
        ("def f(x):\n    return 'text'", MATRIX, "returns a str, in which there is no array"),
        ("import sys\nsys.exit(3)\ndef f(x):\n    return x", MATRIX, "fails when it is run: SystemExit: 3"),
    ],
)  # fmt: skip
def test_a_fault_of_the_function_is_one_line(
    stage: Stage, source: str, inputs: str, said: str
) -> None:
    """What raises, gives nothing, or leaves, is told by the user's own lines alone."""
    with pytest.raises(InputError, match=said) as caught:
        FunctionMaker(stage.function(source, inputs=inputs), 42).tried(SIZE)
    assert "\n" not in str(caught.value)


def test_what_is_printed_is_kept(stage: Stage) -> None:
    """What the function prints in its first call is handed on, and not that of further calls."""
    spec = stage.function("def f(x):\n    print('seen', x.shape)\n    return x", inputs=MATRIX)
    tried = FunctionMaker(spec, 42).tried(SIZE)
    assert tried.printed == "seen (32, 32)\n"
    assert (tried.dtype, tried.sized, tried.source) == ("float64", True, "--inputs")


def test_a_namespace_is_given_where_it_is_asked_for(stage: Stage) -> None:
    """A function of `xp` gets NumPy for its reference, and the library's namespace elsewhere."""
    spec = stage.function(
        "def f(xp, x):\n    return xp.sqrt(x)", inputs="rng.random((n, n))", takes_namespace=True
    )
    ready = stage.set_up(spec, stage.bench(spec, device="cpu"))
    assert ready.agreement is not None
    assert ready.agreement.passed


def on_torch(spec: FunctionSpec, variant: Variant = "default") -> FunctionBench:
    """Return a bench on PyTorch's CPU."""
    pytest.importorskip("torch")
    backend = registry.get("torch-cpu", "seed", "float64")
    return FunctionBench(backend, backend.open(), spec, variant, 42)


TORCH = {
    "softmax": (SOFTMAX, MATRIX),
    "in place": ("def f(x, y):\n    x += y\n    return x.sum()", "(rng.random(n), rng.random(n))"),
    "view": ("def f(x):\n    x[::2] = x[::-1][::2]\n    return x.T", MATRIX),
    "population": ("def f(x):\n    return {'s': x.std(axis=0), 'm': float(x.mean())}", MATRIX),
    "stream": ("def f(x):\n    return x + np.random.default_rng(3).random(x.shape)", MATRIX),
    "size alone": ("def f(n):\n    return np.cumsum(np.linspace(0, 1, n))", None),
}


@pytest.mark.parametrize("name", sorted(TORCH))
def test_pytorch_answers_as_numpy_does(stage: Stage, name: str) -> None:
    """Unmodified functions run fully on PyTorch, and their answers and arguments agree."""
    source, inputs = TORCH[name]
    spec = stage.function(source, inputs=inputs)
    ready = stage.set_up(spec, on_torch(spec))
    assert ready.ported is not None
    assert (ready.ported.reach, ready.ported.failure) == ("fully", None)
    assert ready.agreement is not None
    assert ready.agreement.passed, ready.ported.outside
    assert ready.call_s > 0


def test_what_cuts_a_compiled_function_is_named(stage: Stage) -> None:
    """A function that decides by its data is not compiled whole: the line that cuts it is told."""
    source = "def f(x):\n    if float(x.sum()) > 3:\n        return x * 2\n    return x"
    spec = stage.function(source, inputs=MATRIX, compile=True)
    with pytest.raises(FunctionFailedError) as caught:
        stage.set_up(spec, on_torch(spec, "compiled"))
    ported = caught.value.ported
    assert ported.failure is not None
    assert ported.failure.category == "data-dependent-control-flow"
    assert ported.compiled is not None
    assert any(said.startswith("line 3:") for said in ported.compiled.breaks)
