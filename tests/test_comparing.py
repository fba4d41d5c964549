"""What stands between Python and a comparison: options, previews, calls from inside."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import structs

import breakeven
from breakeven.engine.function_plan import FunctionPlan
from breakeven.errors import InputError
from breakeven.lab import comparing, resume_run
from breakeven.model.event import Began
from breakeven.model.machine import BackendInfo
from breakeven.model.ported import FunctionSpec
from breakeven.store.folder import Store
from breakeven.workloads.function.facts import Seen
from records import record

SOURCE = """
import numpy as np
def f(x):
    return np.nanpercentile(np.exp(x), 5)
"""


def plan(path: Path, **fields: object) -> FunctionPlan:
    """Return what would be known of the function once it was tried."""
    spec = FunctionSpec(target=f"{path}:f", **fields)  # type: ignore[arg-type]
    seen = {64: Seen(call_s=1e-3)}
    return FunctionPlan(function=spec, seen=seen, sizes=(64,), dtype="float64", source="--inputs")


@pytest.fixture
def without_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no backend of a GPU."""
    absent = BackendInfo(name="x", device="cuda:0", available=False, why_not="none is here")
    monkeypatch.setattr(
        comparing.backends, "get", lambda _name: SimpleNamespace(find=lambda: absent)
    )


def test_names_tell_what_an_absent_library_lacks(tmp_path: Path, without_gpu: None) -> None:
    """Without a GPU each library's preview lists the calls, and the first that it would lack."""
    del without_gpu
    path = tmp_path / "own.py"
    path.write_text(SOURCE)
    found = {p.entry: p for p in comparing.previews(plan(path), ("numpy", "cupy", "torch-cuda"))}
    assert set(found) == {"cupy", "torch-cuda"}
    assert {p.reach for p in found.values()} == {"preview"}
    names = [site.name for site in found["cupy"].sites]
    assert sorted(names) == ["numpy.exp", "numpy.nanpercentile"]
    failure = found["cupy"].failure
    assert failure is not None
    assert (failure.name, failure.phase) == ("numpy.nanpercentile", "scan")


def test_nothing_is_foretold_of_other_functions(tmp_path: Path, without_gpu: None) -> None:
    """A function of a namespace, or a port written by hand, calls what names do not tell."""
    del without_gpu
    path = tmp_path / "own.py"
    path.write_text(SOURCE)
    assert comparing.previews(plan(path, takes_namespace=True), ("cupy",)) == ()
    assert comparing.previews(plan(path, against="other.py:f"), ("cupy",)) == ()


def test_an_unknown_option_is_named() -> None:
    """An option that `compare` has not is refused with those that it has."""
    with pytest.raises(TypeError, match=r"no option 'size'.*sizes"):
        breakeven.compare("own.py:f", size=3)


def test_a_script_without_a_guard_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the user's file compares once more when it is run again, it is told what to do."""
    inside = SimpleNamespace(__spec__=SimpleNamespace(name=comparing.WORKER))
    monkeypatch.setitem(sys.modules, "__main__", inside)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="__main__"):
        breakeven.compare("own.py:f")


def test_a_comparison_is_not_resumed(tmp_path: Path) -> None:
    """A function may have changed since it was broken off: to go on with it is refused."""
    known = record(rounds=1, slots=1, workload="f")
    spec = structs.replace(known.spec, function=FunctionSpec(target="own.py:f"))
    begun = structs.replace(known, spec=spec, cases=(), finished=None)
    sink = Store(tmp_path).sink(begun.id)
    sink.append(Began(record=begun))
    sink.close()
    with pytest.raises(InputError, match="compare it again"):
        resume_run(begun.id, store=tmp_path)
