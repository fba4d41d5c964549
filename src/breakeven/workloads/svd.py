"""Singular value decomposition of a square matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, OtherWork, Precision
from breakeven.workloads.base import ITEM_BYTES, Answer, Need, computed_in
from breakeven.workloads.values import normal

if TYPE_CHECKING:
    from breakeven.workloads.base import Array

SAMPLED = 16


class Svd:
    """A = U S Vt with A of shape (N, N) of standard normal values; all three factors.

    21 N^3 operations: 4 m^2 n + 8 m n^2 + 9 n^3 for a matrix of m rows and n columns by the
    algorithm of Golub and Reinsch (Golub and Van Loan, Matrix Computations, the table of work for
    the SVD), whatever algorithm a library takes. A is read, three factors of 2 N^2 + N elements
    are written.

    NumPy decomposes in float64 what is given in float32, and rounds the factors: its time is that
    of float64.
    """

    name = "svd"
    axis = "N"
    sizes: tuple[int, ...] = (32, 128, 512, 1024)
    unlike = (OtherWork(backend="numpy", computes_in="float64"),)

    def work(self, size: int, dtype: DType) -> Work:
        """Return 21 N^3 operations on 3 N^2 + N elements."""
        return Work(flops=21.0 * size**3, bytes=float((3 * size**2 + size) * ITEM_BYTES[dtype]))

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of A, a copy, the factors of two calls, and LAPACK's 4 N^2 to work in.

        On the host the copy and that room are in float64, where NumPy widens the matrix.
        """
        item = ITEM_BYTES[dtype]
        return Need(
            host=size**2 * (5 * item + 7 * 8) + 16 * size * 8,
            device=(10 * size**2 + 16 * size) * item,
        )

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return a of shape (N, N), with sampled rows and all singular values in float64."""
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

        rng = np.random.default_rng((seed, size))
        a = normal(rng, (size, size), dtype)
        rows = np.sort(rng.choice(size, min(SAMPLED, size), replace=False))
        exact = a.astype(np.float64)
        return {"a": a}, {
            "rows": rows,
            "rows_of_a": exact[rows],
            "values": np.linalg.svd(exact, compute_uv=False),
        }

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Return U, S and Vt."""
        left, values, right = xp.linalg.svd(inputs[0], full_matrices=False)
        return Answer(arrays=(left, values, right))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Pass by residual, orthogonality and singular values, each within 16 sqrt(N) u.

        Vectors are not compared: their signs are free, and of close values they mix. U S Vt is
        formed in sampled rows; of U and V as many columns are multiplied with all others. The
        error shown is the largest of the three. In float64 the values compared with round as
        well, so the bound counts twice.
        """
        import math  # noqa: PLC0415  beside NumPy

        from breakeven.stats.agreement import UNIT_ROUNDOFF, classify, honest  # noqa: PLC0415  it needs NumPy
        from breakeven.stats.factors import (  # noqa: PLC0415  likewise
            factor_bound,
            orthogonality_error,
            residual_error,
            values_error,
        )
        from breakeven.stats.rules import whole  # noqa: PLC0415  likewise

        del losses
        for one in arrays:
            computed_in(one, precision)
        rows, values = reference["rows"], reference["values"]
        size = len(values)
        error = math.inf
        if all(
            whole(a, shape)
            for a, shape in zip(arrays, ((size, size), (size,), (size, size)), strict=True)
        ):
            left, got, right = arrays
            error = max(
                residual_error(left, got, right, rows, reference["rows_of_a"]),
                orthogonality_error(left, rows),
                orthogonality_error(right.T, rows),
                values_error(got, values),
            )
        sides = 2 if precision == "float64" else 1
        bound = sides * factor_bound(size, UNIT_ROUNDOFF[precision])
        return Agreement(
            error=error,
            bound=bound,
            class_=classify(error),
            passed=error <= bound and honest(classify(error), precision),
            rule="residual, orthogonality and singular values within 16 sqrt(N) u",
        )
