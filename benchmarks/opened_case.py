"""One case opened in this process as a worker opens it, beside the bare operation on its arrays."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from breakeven.backends import registry
from breakeven.backends.base import Backend, Opening
from breakeven.engine.bench import Bench
from breakeven.engine.messages import SetUp
from breakeven.workloads import registry as workloads

Call = Callable[[], object]
SEED, WARM_S = 42, 0.3


class OpenedCase:
    """The harness's own way to a time, and the operation that a hand loop would call.

    Attributes
    ----------
    bench : Bench
        With the case set up: checked, and warmed until steady.
    bare : callable
        The library's function on the same arrays, nothing of ours around it.
    """

    def __init__(self, backend: Backend, opening: Opening, size: int, folder: Path) -> None:
        import numpy as np  # noqa: PLC0415  after the backend was opened

        self.backend, self.opening, self.size = backend, opening, size
        workload = workloads.get("matmul")
        made = workload.make(size, "float32", SEED)
        for prefix, arrays in zip(("input", "reference"), made, strict=True):
            for place, (name, array) in enumerate(arrays.items()):
                np.save(folder / f"{prefix}-{place}-{name}.npy", array)
        self.bench = Bench(backend, opening)
        request = SetUp(
            workload="matmul", size=size, folder=str(folder), warm_s=WARM_S, parts=False
        )
        ready = self.bench.set_up(request, workload, None)
        if not ready.agreement.passed:
            message = f"{backend.about.name} disagrees with the reference at {size}"
            raise ValueError(message)
        self.call_s = ready.call_s
        # The same arrays: where two copies lie in memory is worth 10 % of a product of 96.
        a, b = self.bench.arrays
        self.bare = _product(opening.xp, a, b)

    @property
    def waits(self) -> bool:
        """Whether calls return before the work is done."""
        return self.backend.about.device != "cpu"


def _product(xp: Any, a: Any, b: Any) -> Call:  # noqa: ANN401  any namespace, its arrays
    matmul = xp.matmul
    return lambda: matmul(a, b)


def opened(name: str) -> tuple[Backend, Opening]:
    """Open a backend in this process."""
    backend = registry.get(name)
    return backend, backend.open()


@contextmanager
def matmul_case(backend: Backend, opening: Opening, size: int) -> Iterator[OpenedCase]:
    """Set a product of size N up, and let go of it at the end."""
    with tempfile.TemporaryDirectory() as folder:
        case = OpenedCase(backend, opening, size, Path(folder))
        yield case
        case.bench.end_case()
