"""Backends that workloads are run on: those of this machine, and those of a GPU where marked."""

from __future__ import annotations

import pytest

from workloads.opened import Opened


@pytest.fixture(
    scope="session",
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
