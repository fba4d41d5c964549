"""Solution of a dense system of linear equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, OtherWork, Precision
from breakeven.workloads.base import ITEM_BYTES, Answer, Need, computed_in
from breakeven.workloads.values import normal

if TYPE_CHECKING:
    from breakeven.workloads.base import Array

SAMPLED_ROWS = 64


class Solve:
    """A x = b with A of shape (N, N), b of shape (N, 1).

    A is a standard normal matrix plus 2 sqrt(N) on the diagonal, its rows shuffled: its condition
    number stays near 5 at every size, while the search for pivots moves rows as in any system.

    Elimination takes 2/3 N^3 - N^2 / 2 - N / 6 operations, both substitutions 2 N^2 - N: at step
    k of N - 1 there are N - k quotients, (N - k)^2 products and as many differences (Golub and
    Van Loan, Matrix Computations, section 3.2, give 2/3 N^3). A and b are read, x is written.

    NumPy solves in float64 what is given in float32, and rounds the answer: its time is that of
    float64.
    """

    name = "solve"
    axis = "N"
    sizes: tuple[int, ...] = (64, 256, 1024, 4096)
    unlike = (OtherWork(backend="numpy", computes_in="float64"),)

    def work(self, size: int, dtype: DType) -> Work:
        """Return the operations of elimination and substitution, and N^2 + 2 N elements."""
        n = size
        eliminate = n * (n - 1) / 2 + n * (n - 1) * (2 * n - 1) / 3
        return Work(flops=eliminate + 2 * n**2 - n, bytes=float((n**2 + 2 * n) * ITEM_BYTES[dtype]))

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of A with a copy to eliminate in, in float64 where NumPy widens it."""
        item = ITEM_BYTES[dtype]
        return Need(
            host=size**2 * (item + 2 * 8) + 8 * size * 8,
            device=(3 * size**2 + 8 * size) * item,
        )

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return a of shape (N, N), b of shape (N, 1), with sampled rows of both in float64."""
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

        rng = np.random.default_rng((seed, size))
        a = normal(rng, (size, size), dtype)
        order = rng.permutation(size)
        # Row i of the shuffled matrix is row order[i] of the one with the heavy diagonal.
        a[np.arange(size), order] += 2 * size**0.5
        b = normal(rng, (size, 1), dtype)
        rows = np.sort(rng.choice(size, min(SAMPLED_ROWS, size), replace=False))
        return {"a": a, "b": b}, {
            "rows_of_a": a[rows].astype(np.float64),
            "rows_of_b": b[rows].astype(np.float64),
        }

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Return the solution."""
        return Answer(arrays=(xp.linalg.solve(inputs[0], inputs[1]),))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Pass by the residual: A x - b in sampled rows, each for itself and all together.

        Each row must be within 4 sqrt(N) u of |A| |x| + |b|, and the norm of all within as much of
        the norm of b: systems here are well conditioned, so a right answer errs by a tenth of that,
        and one wrong element of x, which changes every row a little, shows. In float64 the
        residual rounds as well, so the bounds count twice.
        """
        import numpy as np  # noqa: PLC0415  only a worker needs it
        from msgspec.structs import replace  # noqa: PLC0415  beside NumPy

        from breakeven.stats.agreement import (  # noqa: PLC0415  it needs NumPy
            UNIT_ROUNDOFF,
            product_bound,
        )
        from breakeven.stats.rules import judged, whole  # noqa: PLC0415  likewise

        del losses
        (result,) = arrays
        computed_in(result, precision)
        a, b = reference["rows_of_a"], reference["rows_of_b"]
        size = a.shape[1]
        complete = whole(result, (size, 1))
        x = result.astype(np.float64) if complete else np.full((size, 1), np.nan)
        terms = np.abs(a) @ np.abs(np.nan_to_num(x)) + np.abs(b)
        u = (2 if precision == "float64" else 1) * UNIT_ROUNDOFF[precision]
        found = judged(
            a @ x,
            b,
            product_bound(terms, size, u),
            precision,
            f"residual of {len(b)} sampled rows within 4 sqrt(N) u of |A| |x| + |b|, and of |b|",
            complete=complete,
        )
        bound = float(product_bound(1.0, size, u))
        return replace(found, bound=bound, passed=found.passed and found.error <= bound)
