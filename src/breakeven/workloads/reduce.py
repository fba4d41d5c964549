"""Sums of the rows and of the columns of a matrix: reductions along memory and across it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, Precision
from breakeven.workloads.base import ITEM_BYTES, Answer, Need, computed_in
from breakeven.workloads.values import normal

if TYPE_CHECKING:
    from breakeven.workloads.base import Array


class Reduce:
    """r = row sums, c = column sums of a matrix of shape (N, N) of standard normal values.

    N (N - 1) additions in each direction. The matrix is read once for each, and 2 N sums are
    written. A sum of everything would be one number, whose rounding hides missing terms.
    """

    name = "reduce"
    axis = "N"
    sizes: tuple[int, ...] = (128, 512, 2048, 8192)

    def work(self, size: int, dtype: DType) -> Work:
        """Return 2 N (N - 1) additions, at least 1, on 2 N^2 elements read and 2 N written."""
        return Work(
            flops=float(max(1, 2 * size * (size - 1))),
            bytes=float((2 * size**2 + 2 * size) * ITEM_BYTES[dtype]),
        )

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of the matrix, and of the sums of this call and the last."""
        held = (size**2 + 4 * size) * ITEM_BYTES[dtype]
        return Need(host=held, device=held)

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return x of shape (N, N), with all 2 N sums in float64 and those of absolute values."""
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

        x = normal(np.random.default_rng((seed, size)), (size, size), dtype)
        sums, terms = np.zeros((2, size)), np.zeros((2, size))
        # In blocks of rows, so that a float64 copy never stands whole in memory.
        for start in range(0, size, 1024):
            block = x[start : start + 1024].astype(np.float64)
            for into, values in ((sums, block), (terms, np.abs(block))):
                into[0, start : start + 1024] = values.sum(axis=1)
                into[1] += values.sum(axis=0)
        return {"x": x}, {"sums": sums, "terms": terms}

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Return the row sums and the column sums."""
        (x,) = inputs
        return Answer(arrays=(xp.sum(x, axis=1), xp.sum(x, axis=0)))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Pass when every sum is within 4 sqrt(N) u of its sum of absolute terms.

        In float64 the reference rounds as well, so the bound counts twice.
        """
        import numpy as np  # noqa: PLC0415  only a worker needs it

        from breakeven.stats.agreement import UNIT_ROUNDOFF, product_bound  # noqa: PLC0415  it needs NumPy
        from breakeven.stats.rules import judged, whole, without_products  # noqa: PLC0415  likewise

        del losses
        for one in arrays:
            computed_in(one, precision)
        precision = without_products(precision)
        size = reference["sums"].shape[1]
        complete = len(arrays) == 2 and all(whole(a, (size,)) for a in arrays)
        sides = 2 if precision == "float64" else 1
        return judged(
            np.stack(arrays) if complete else np.full((2, size), np.nan),
            reference["sums"],
            sides * product_bound(reference["terms"], size, UNIT_ROUNDOFF[precision]),
            precision,
            "each of all sums within 4 sqrt(N) u of its absolute terms",
            complete=complete,
        )
