"""An opened backend that runs workloads in the test's own process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from breakeven.backends import registry
from breakeven.model.run import Agreement
from breakeven.model.spec import DType
from breakeven.workloads.base import Workload

Arrays = tuple[np.ndarray[Any, Any], ...]


class Opened:
    """A backend, opened; a machine without it skips the test with what it says."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.backend = registry.get(name)
        info = self.backend.find()
        if not info.available:
            pytest.skip(f"{name}: {info.why_not}")
        self.opening = self.backend.open()

    def run(self, workload: Workload, inputs: Arrays) -> tuple[Arrays, tuple[float, ...]]:
        """Compute once from host arrays; return host arrays and losses."""
        moved = tuple(self.backend.to_device(a) for a in inputs)
        answer = workload.run(self.opening.xp, moved)
        self.backend.synchronise()
        return tuple(self.backend.to_host(a) for a in answer.arrays), answer.losses

    def agreement(self, workload: Workload, size: int, dtype: DType, seed: int = 42) -> Agreement:
        """Make a case, compute it here, and return how its answer compares."""
        inputs, reference = workload.make(size, dtype, seed)
        arrays, losses = self.run(workload, tuple(inputs.values()))
        return workload.check(arrays, losses, reference, dtype)


def rounded(values: np.ndarray[Any, Any], bits: int) -> np.ndarray[Any, Any]:
    """Round to `bits` bits after the leading one, as tensor cores do with their inputs."""
    mantissa, exponent = np.frexp(values.astype(np.float64))
    scale = 2.0 ** (bits + 1)
    return np.ldexp(np.round(mantissa * scale) / scale, exponent).astype(values.dtype)
