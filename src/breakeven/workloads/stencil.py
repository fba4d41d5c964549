"""Steps of a five-point stencil over a square grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, Precision
from breakeven.workloads import default_rule
from breakeven.workloads.base import ITEM_BYTES, Answer, Need
from breakeven.workloads.values import normal

if TYPE_CHECKING:
    from breakeven.workloads.base import Array

STEPS = 10
SAMPLED_ROWS = 16


class Stencil:
    """10 steps of Jacobi's method: each inner point becomes the mean of its four neighbours.

    The grid has N x N points, standard normal at the start; its rim is kept. A step takes 3 sums
    and a product for each of (N - 2)^2 points. As array code each operation reads its arrays once
    and writes its result once, 3 + 3 + 3 + 2 elements a point, and the assignment 2: 13 in all.
    Before the first step the grid is copied.
    """

    name = "stencil"
    axis = "N"
    sizes: tuple[int, ...] = (64, 256, 1024, 4096)

    def work(self, size: int, dtype: DType) -> Work:
        """Return 4 operations a point and step, at least 1, on 13 elements, and a copy of 2 N^2."""
        inner = max(0, size - 2) ** 2
        return Work(
            flops=float(max(1, 4 * STEPS * inner)),
            bytes=float((13 * STEPS * inner + 2 * size**2) * ITEM_BYTES[dtype]),
        )

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of the grid, its copy, the last result, and two temporaries."""
        held = 5 * size**2 * ITEM_BYTES[dtype]
        return Need(host=held, device=held)

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return grid of shape (N, N), with sampled rows of the end.

        A row after 10 steps depends on 10 rows to each side: only those are computed with.
        """
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

        rng = np.random.default_rng((seed, size))
        grid = normal(rng, (size, size), dtype)
        drawn = rng.choice(size, min(SAMPLED_ROWS, size), replace=False)
        rows = np.unique(np.concatenate([[0, size // 2, size - 1], drawn]))
        starts = [max(0, int(r) - STEPS) for r in rows]
        bands = tuple(grid[s : int(r) + STEPS + 1] for r, s in zip(rows, starts, strict=True))

        def ends(values: tuple[Array, ...]) -> Array:
            return np.stack(
                [
                    self.run(np, (band,)).arrays[0][int(row) - start]
                    for band, row, start in zip(values, rows, starts, strict=True)
                ]
            )

        made = default_rule.reference(ends, bands, dtype)
        return {"grid": grid}, {"rows": rows, "shape": np.array(grid.shape), **made}

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Return the grid after 10 steps."""
        (grid,) = inputs
        u = xp.empty_like(grid)
        u[...] = grid
        for _ in range(STEPS):
            u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        return Answer(arrays=(u,))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Apply the default rule to sampled rows, the rim's among them; all must be finite."""
        del losses
        return default_rule.of_sample(arrays, reference, precision, "rows")
