"""A GPU library's first kernel is tried where its crash does no harm."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from breakeven.backends.first_kernel import probe_library, tried_cupy, tried_torch
from breakeven.model.setup import LibraryTrial


def child(code: str) -> list[str]:
    """Return a command that runs `code` in place of the trial."""
    return [sys.executable, "-c", code]


class Tensor:
    """A NumPy array with the few methods of a tensor that a trial calls."""

    def __init__(self, array: Any) -> None:  # noqa: ANN401  any array
        self.array = array

    def __mul__(self, other: float) -> Tensor:
        return Tensor(self.array * other)

    def __add__(self, other: float) -> Tensor:
        return Tensor(self.array + other)

    def matmul(self, other: Tensor) -> Tensor:
        """Return a matrix product."""
        return Tensor(self.array @ other.array)

    def reshape(self, *shape: int) -> Tensor:
        """Return another shape."""
        return Tensor(self.array.reshape(shape))

    def sum(self) -> Tensor:
        """Return the sum."""
        return Tensor(self.array.sum())

    def item(self) -> float:
        """Return the one value."""
        return float(self.array)


def torch(*, devices: int = 1, init: Exception | None = None, shift: float = 0.0) -> Any:  # noqa: ANN401  a stand-in
    """Return what a trial sees of PyTorch: kernels answer `shift` too much."""

    def start() -> None:
        if init is not None:
            raise init

    return SimpleNamespace(
        __version__="2.11.0+cu130",
        version=SimpleNamespace(cuda="13.0", hip=None),
        float32="float32",
        cuda=SimpleNamespace(
            init=start, device_count=lambda: devices, get_arch_list=lambda: ["sm_90"]
        ),
        arange=lambda n, **_: Tensor(np.arange(n, dtype=np.float32) + shift),
        ones=lambda shape, **_: Tensor(np.ones(shape, dtype=np.float32)),
    )


def cupy(runtime: Any = None) -> Any:  # noqa: ANN401  a stand-in
    """Return what a trial sees of CuPy, over NumPy."""
    return SimpleNamespace(
        __version__="14.2.0",
        float32=np.float32,
        arange=np.arange,
        ones=np.ones,
        cuda=SimpleNamespace(
            get_local_runtime_version=lambda: 13000,
            runtime=runtime or SimpleNamespace(getDeviceCount=lambda: 1),
        ),
    )


def test_right_answers_end_a_trial() -> None:
    """Where kernels answer rightly, the trial is done and has no error."""
    assert tried_torch(torch()) == LibraryTrial(
        library="torch", stage="done", version="2.11.0+cu130", cuda="13.0",
        architectures=("sm_90",),
    )  # fmt: skip
    assert tried_cupy(cupy()) == LibraryTrial(
        library="cupy", stage="done", version="14.2.0", cuda="13.0"
    )


def test_wrong_answers_are_no_success() -> None:
    """A kernel that runs and answers wrongly ends the trial at the kernel."""
    trial = tried_torch(torch(shift=1.0))
    assert trial.stage == "kernel"
    assert "answer 24 and 20, not 16 and 12" in (trial.error or "")


def test_a_trial_ends_where_the_library_ended() -> None:
    """No device, and a driver that is too old, end it before a kernel, with the library's words."""
    none = tried_torch(torch(devices=0))
    assert (none.stage, none.error) == ("device", "it finds no CUDA device")
    old = tried_torch(torch(init=RuntimeError("The NVIDIA driver is too old\nUpdate it")))
    assert (old.stage, old.error) == ("device", "RuntimeError: The NVIDIA driver is too old")
    trial = tried_cupy(cupy(SimpleNamespace(getDeviceCount=lambda: 1 // 0)))
    assert (trial.stage, trial.version) == ("device", "14.2.0")


def test_a_crash_is_an_answer() -> None:
    """A process that dies of a signal is told by its number."""
    code = "import os, signal; os.kill(os.getpid(), signal.SIGABRT)"
    trial = probe_library("cupy", command=child(code))
    assert (trial.stage, trial.error) == ("import", "its process died of signal 6")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import sys; sys.exit(3)", "its process ended with exit code 3"),
        ("raise SystemExit('no luck')", "no luck"),
    ],
)
def test_an_end_without_an_answer_is_told(code: str, error: str) -> None:
    """The last words of a process that gave no answer are its error."""
    assert probe_library("torch", command=child(code)).error == error


def test_what_a_library_prints_is_not_its_answer() -> None:
    """Words on import before the answer do no harm."""
    code = 'print("hello"); print(\'{"library": "torch", "stage": "done"}\')'
    assert probe_library("torch", command=child(code)).stage == "done"


def test_a_process_that_hangs_is_given_up() -> None:
    """A driver that never answers ends the trial at its deadline."""
    trial = probe_library("torch", 0.05, child("import signal; signal.pause()"))
    assert (trial.stage, trial.error) == ("kernel", "it did not answer within 0.05 s")


def test_the_torch_of_this_machine_is_imported_in_the_child() -> None:
    """The child imports PyTorch and says how it was built; this process does not."""
    before = "torch" in sys.modules
    trial = probe_library("torch")
    assert trial.version is not None
    assert trial.stage != "import"
    assert ("torch" in sys.modules) == before
