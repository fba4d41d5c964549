"""A planted fault, judged by the workload that it is planted in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from breakeven.model.run import Agreement
from breakeven.model.spec import DType
from breakeven.workloads.base import Workload

Array = np.ndarray[Any, Any]
Fault = Callable[..., Any]


def judge(workload: Workload, size: int, fault: Fault, dtype: DType = "float32") -> Agreement:
    """Return how an answer compares that `fault` computed from the inputs."""
    inputs, reference = workload.make(size, dtype, 42)
    made = fault(*inputs.values())
    arrays = made if isinstance(made, tuple) else (made,)
    return workload.check(arrays, (), reference, dtype)


def right(workload: Workload, *inputs: Array) -> Any:  # noqa: ANN401  one array or several
    """Return the right answer by NumPy: one array, or a tuple of several."""
    arrays = workload.run(np, inputs).arrays
    return arrays if len(arrays) > 1 else arrays[0].copy()
