"""Distances between all pairs of two sets of points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, Precision
from breakeven.workloads.base import ITEM_BYTES, Answer, Need, computed_in
from breakeven.workloads.values import normal

if TYPE_CHECKING:
    from breakeven.workloads.base import Array

FEATURES = 32
SAMPLED_ROWS = 16


class Pairwise:
    """D[i, j] = |x_i - y_j| for N points x and N points y of 32 standard normal features.

    By |x|^2 + |y|^2 - 2 x.y, clipped at 0, as array code does it without a temporary of N x N x 32:
    2 F N^2 operations for the product, 2 N (2 F - 1) for the squares, and for each pair a sum, a
    product with 2, a difference, a comparison and a root (F = 32 features). Each array operation
    reads its arrays once and writes its result once.
    """

    name = "pairwise"
    axis = "N"
    sizes: tuple[int, ...] = (64, 256, 1024, 4096)

    def work(self, size: int, dtype: DType) -> Work:
        """Return 2 F N^2 + 5 N^2 + 2 N (2 F - 1) operations, and 11 N^2 + 8 N F + 4 N elements.

        Elements of N^2: the product writes 1; times 2 reads and writes 2, the sum of squares
        writes 1, the difference 3, clipping 2, the root 2. Of N F: each set is squared (read,
        written), summed (read) and multiplied (read). Of N: two sets of squares, written and read.
        """
        n, f = size, FEATURES
        return Work(
            flops=float(2 * f * n**2 + 5 * n**2 + 2 * n * (2 * f - 1)),
            bytes=float((11 * n**2 + 8 * n * f + 4 * n) * ITEM_BYTES[dtype]),
        )

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of both sets and their squares, and of five matrices of N x N."""
        held = (5 * size**2 + 4 * size * FEATURES) * ITEM_BYTES[dtype]
        return Need(host=held, device=held)

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return x, y of shape (N, 32), with sampled rows of distances in float64.

        The reference holds ``rows``, ``distances`` by differences, and ``terms``: the sums of
        absolute terms of the squared distances.
        """
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

        rng = np.random.default_rng((seed, size))
        x, y = (normal(rng, (size, FEATURES), dtype) for _ in range(2))
        rows = np.sort(rng.choice(size, min(SAMPLED_ROWS, size), replace=False))
        left, right = x[rows].astype(np.float64), y.astype(np.float64)
        distances = np.stack([np.sqrt(np.sum((right - one) ** 2, axis=1)) for one in left])
        squares = np.sum(left**2, axis=1)[:, None] + np.sum(right**2, axis=1)
        terms = squares + 2 * np.abs(left) @ np.abs(right).T
        return {"x": x, "y": y}, {"rows": rows, "distances": distances, "terms": terms}

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Return the distances."""
        x, y = inputs
        squares = xp.sum(x * x, axis=1, keepdims=True) + xp.sum(y * y, axis=1, keepdims=True).T
        return Answer(arrays=(xp.sqrt(xp.clip(squares - 2 * xp.matmul(x, y.T), 0, None)),))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Pass when squared distances are within 4 sqrt(32) u of their absolute terms.

        The bound is carried through the root. References come from differences, without
        cancellation; in float64 they round as well, so the bound counts twice.
        """
        import numpy as np  # noqa: PLC0415  only a worker needs it

        from breakeven.stats.agreement import UNIT_ROUNDOFF  # noqa: PLC0415  it needs NumPy
        from breakeven.stats.rules import distance_bound, judged, whole  # noqa: PLC0415  likewise

        del losses
        (result,) = arrays
        computed_in(result, precision)
        want = reference["distances"]
        size = want.shape[1]
        complete = whole(result, (size, size))
        sides = 2 if precision == "float64" else 1
        return judged(
            result[reference["rows"]] if complete else np.full_like(want, np.nan),
            want,
            sides * distance_bound(want, reference["terms"], FEATURES, UNIT_ROUNDOFF[precision]),
            precision,
            f"each of {len(want)} sampled rows within 4 sqrt({FEATURES}) u of its absolute terms",
            complete=complete,
        )
