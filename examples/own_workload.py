"""A workload of your own: a x + y on vectors, registered for the length of this script.

A package registers it for good in its ``pyproject.toml``::

    [project.entry-points."breakeven.workloads"]
    saxpy = "own_workload:Saxpy"
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import breakeven
from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, Precision
from breakeven.workloads.base import ITEM_BYTES, Answer, Need


class Saxpy:
    """y <- 2.5 x + y over vectors of N elements: two operations for three elements of traffic."""

    name = "saxpy"
    axis = "N"
    sizes: tuple[int, ...] = (1_000, 100_000, 1_000_000)

    def work(self, size: int, dtype: DType) -> Work:
        """Count a product and a sum an element; two elements read, one written."""
        return Work(flops=2.0 * size, bytes=3.0 * size * ITEM_BYTES[dtype])

    def need(self, size: int, dtype: DType) -> Need:
        """Count two inputs, a product, and two results: one is made while the last is dropped."""
        held = 5 * size * ITEM_BYTES[dtype]
        return Need(host=held, device=held)

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return x, y of shape (size,), with the float64 result and the sum of absolute terms."""
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

        rng = np.random.default_rng((seed, size))
        x, y = (rng.standard_normal(size, dtype=np.dtype(dtype).type) for _ in range(2))
        wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
        terms = np.abs(2.5 * wide_x) + np.abs(wide_y)
        return {"x": x, "y": y}, {"result": 2.5 * wide_x + wide_y, "terms": terms}

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Compute once; arithmetic operators serve every library alike, so `xp` is not needed."""
        del xp
        x, y = inputs
        return Answer(arrays=(2.5 * x + y,))

    def check(
        self,
        arrays: tuple[Any, ...],
        losses: tuple[float, ...],
        reference: dict[str, Any],
        precision: Precision,
    ) -> Agreement:
        """Pass when each element is within two roundings of its terms."""
        import numpy as np  # noqa: PLC0415  only a worker needs it

        from breakeven.stats.agreement import UNIT_ROUNDOFF, classify, relative_error  # noqa: PLC0415  likewise

        del losses
        got, want = arrays[0].astype(np.float64), reference["result"]
        bound = 4 * UNIT_ROUNDOFF[precision] * reference["terms"]
        error = relative_error(got, want)
        return Agreement(
            error=error,
            bound=float(np.linalg.norm(bound) / np.linalg.norm(want)),
            class_=classify(error),
            passed=bool(np.all(np.abs(got - want) <= bound)),
            rule="each element within two roundings of its absolute terms",
        )


def register(folder: Path) -> None:
    """Do what installing a package does: put an entry point where Python looks for them."""
    about = folder / "own_workload-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-workload\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[breakeven.workloads]\nsaxpy = own_workload:Saxpy\n")
    here = [str(folder), str(Path(__file__).parent)]
    sys.path[:0] = here
    # The processes that measure find it by the same road.
    os.environ["PYTHONPATH"] = os.pathsep.join([*here, os.environ.get("PYTHONPATH", "")])


def main() -> None:
    """Measure it quickly on NumPy, and print what came out."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        register(folder)
        result = breakeven.run(
            "saxpy", backends=["numpy"], quick=True, budget=5, store=folder / "store"
        )
    for case in result.record.cases:
        assert case.agreement is not None, case.why
        print(f"saxpy {case.size} on {case.entry}: {case.status}, {case.agreement.rule}")


if __name__ == "__main__":
    sys.exit(main())
