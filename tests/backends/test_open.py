"""Backends of this machine, opened in the test's own process."""

from __future__ import annotations

import numpy as np
import pytest

from workloads.opened import Opened


@pytest.fixture(
    scope="module",
    params=[
        "numpy",
        "torch-cpu",
        pytest.param("cupy", marks=pytest.mark.gpu),
        pytest.param("torch-cuda", marks=pytest.mark.gpu),
    ],
)
def backend(request: pytest.FixtureRequest) -> Opened:
    """Return each backend in turn, open."""
    return Opened(request.param)


def test_an_array_comes_back_as_it_went(backend: Opened) -> None:
    """In and out, nothing of value, shape or type changes."""
    for dtype in (np.float32, np.float64):
        array = np.arange(12, dtype=dtype).reshape(3, 4)
        back = backend.backend.to_host(backend.backend.to_device(array))
        assert isinstance(back, np.ndarray)
        assert back.dtype == dtype
        assert np.array_equal(back, array)


def test_opening_tells_version_and_times(backend: Opened) -> None:
    """The version is that of the library; imports and contexts take no negative time."""
    opening = backend.opening
    assert opening.version == opening.xp.__version__
    assert opening.import_s >= 0
    assert opening.context_s >= 0
    assert opening.first_call_s == 0
    on_device = backend.backend.about.device != "cpu"
    assert (opening.device_seconds is not None) == on_device


def test_a_cpu_has_no_device_memory(backend: Opened) -> None:
    """What does not exist is unknown, not zero."""
    backend.backend.begin_case("matmul", 8)
    memory = backend.backend.memory()
    if backend.backend.about.device == "cpu":
        assert (memory.peak_bytes, memory.used_bytes) == (None, None)
    else:
        assert memory.used_bytes


def test_float32_products_are_not_rounded_to_tf32(backend: Opened) -> None:
    """Matrix products are computed in full float32."""
    xp, seam = backend.opening.xp, backend.backend
    value = np.full((64, 64), 1 + 2.0**-12, np.float32)
    one = np.eye(64, dtype=np.float32)
    got = seam.to_host(xp.matmul(seam.to_device(value), seam.to_device(one)))
    assert np.array_equal(got, value)
