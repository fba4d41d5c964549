"""Whether a library is there, told without importing it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from breakeven.backends.cupy import CupyBackend
from breakeven.backends.found import driver_present, first_cause, installed, version_of
from breakeven.backends.numpy import NumpyBackend
from breakeven.backends.torch import TorchBackend
from breakeven.model.machine import BackendInfo


def test_a_driver_is_there_when_it_left_a_mark(tmp_path: Path) -> None:
    """Any one of its files is enough; none is none."""
    files = (tmp_path / "one", tmp_path / "two")
    assert not driver_present(files)
    files[1].touch()
    assert driver_present(files)


def test_libraries_are_found_by_module_and_versions_by_distribution() -> None:
    """The first distribution that is installed counts."""
    assert installed("msgspec")
    assert not installed("no_such_module")
    assert version_of("no-such-thing", "msgspec") == version_of("msgspec")
    assert version_of("no-such-thing") is None


def _found(
    monkeypatch: pytest.MonkeyPatch, kind: str, *, driver: bool, version: str | None
) -> BackendInfo:
    for module in ("cupy", "torch", "numpy"):
        place = f"breakeven.backends.{module}"
        if module != "numpy":
            monkeypatch.setattr(f"{place}.driver_present", lambda: driver)
        monkeypatch.setattr(f"{place}.installed", lambda _: version is not None)
        monkeypatch.setattr(f"{place}.version_of", lambda *_: version)
    backend = {
        "numpy": NumpyBackend,
        "cupy": CupyBackend,
        "torch-cpu": lambda: TorchBackend("cpu"),
        "torch-cuda": lambda: TorchBackend("cuda"),
    }[kind]()
    return backend.find()


@pytest.mark.parametrize(
    ("kind", "driver", "version", "why"),
    [
        ("numpy", True, None, "NumPy is not installed"),
        ("torch-cpu", False, None, "PyTorch is not installed"),
        ("torch-cuda", True, None, "PyTorch is not installed"),
        ("torch-cuda", False, "2.11.0", "no NVIDIA driver"),
        ("torch-cuda", True, "2.11.0+cpu", "CPU-only build"),
        ("cupy", True, None, "CuPy is not installed"),
        ("cupy", False, "14.2.0", "no NVIDIA driver"),
    ],
)
def test_an_absent_backend_says_why_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, kind: str, driver: bool, version: str | None, why: str
) -> None:
    """A library, a driver and a build that fits are asked for in words."""
    info = _found(monkeypatch, kind, driver=driver, version=version)
    assert not info.available
    assert why in (info.why_not or "")
    assert info.fix


@pytest.mark.parametrize("kind", ["numpy", "torch-cpu", "torch-cuda", "cupy"])
def test_a_present_backend_needs_no_words(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """With library and driver there is nothing to explain."""
    info = _found(monkeypatch, kind, driver=True, version="2.11.0")
    assert (info.available, info.why_not, info.fix) == (True, None, None)
    assert info.name == kind


def test_finding_imports_nothing() -> None:
    """Asking whether CuPy is there does not load it."""
    before = set(sys.modules)
    CupyBackend().find()
    assert "cupy" not in set(sys.modules) - before


def test_the_first_of_several_failures_is_the_cause() -> None:
    """What failed while another failure was put away is not the reason."""
    first, later = ValueError("no memory"), RuntimeError("no graph")
    # As Python leaves it when one is raised while the other is handled.
    later.__context__ = first
    assert first_cause(later) is first
    assert first_cause(ValueError()).__context__ is None
