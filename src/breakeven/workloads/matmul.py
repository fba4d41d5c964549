"""Product of two square matrices of standard normal values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, Precision
from breakeven.workloads.base import ITEM_BYTES, Answer, Need

if TYPE_CHECKING:
    from breakeven.workloads.base import Array

SAMPLED_ROWS = 16
BLOCK = 1024


class Matmul:
    """C = A @ B with A, B of shape (N, N).

    2 N^3 floating-point operations (N^3 products, N^3 sums) on 3 N^2 elements: each input read
    once, the result written once.
    """

    name = "matmul"
    axis = "N"
    sizes: tuple[int, ...] = (128, 512, 2048, 8192)

    def work(self, size: int, dtype: DType) -> Work:
        """Return 2 N^3 operations on 3 N^2 elements."""
        return Work(flops=2.0 * size**3, bytes=3.0 * size**2 * ITEM_BYTES[dtype])

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of two inputs and two results: one is made while the last is dropped."""
        matrix = size**2 * ITEM_BYTES[dtype]
        return Need(host=4 * matrix, device=4 * matrix)

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return a, b of shape (N, N), with sampled rows of the product in float64.

        The reference holds ``rows`` (indices), ``product`` (rows of A @ B) and ``terms`` (the same
        rows of |A| @ |B|, the sum of absolute terms that bounds rounding).
        """
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

        rng = np.random.default_rng((seed, size))
        a, b = np.empty((2, size, size), dtype)
        for matrix in (a, b):
            # Drawn in float64 and rounded, in blocks of rows: in every type the same values.
            for start in range(0, size, BLOCK):
                part = matrix[start : start + BLOCK]
                part[...] = rng.standard_normal(part.shape)
        rows = np.sort(rng.choice(size, min(SAMPLED_ROWS, size), replace=False))
        # In blocks of columns, so that a float64 copy of B never stands whole in memory.
        product = np.empty((len(rows), size))
        terms = np.empty((len(rows), size))
        left = a[rows].astype(np.float64)
        for start in range(0, size, BLOCK):
            block = b[:, start : start + BLOCK].astype(np.float64)
            product[:, start : start + BLOCK] = left @ block
            terms[:, start : start + BLOCK] = np.abs(left) @ np.abs(block)
        return {"a": a, "b": b}, {"rows": rows, "product": product, "terms": terms}

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Return the product."""
        return Answer(arrays=(xp.matmul(inputs[0], inputs[1]),))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Pass when every sampled element is within 4 sqrt(N) u of its sum of absolute terms.

        All of them together must err as little as the arithmetic does that was asked for. In
        float64 the reference rounds as well, so its bound counts twice. The bound shown is the
        norm of the bounds over the norm of the product: the same scale as the error shown.
        """
        import numpy as np  # noqa: PLC0415  only a worker needs it

        from breakeven.stats.agreement import (  # noqa: PLC0415  it needs NumPy
            UNIT_ROUNDOFF,
            classify,
            honest,
            product_bound,
            relative_error,
            same_nonfinite,
        )

        del losses
        (result,) = arrays
        size = result.shape[0]
        got = result[reference["rows"]].astype(np.float64)
        want, terms = reference["product"], reference["terms"]
        sides = 2 if precision == "float64" else 1
        bound = sides * product_bound(terms, size, UNIT_ROUNDOFF[precision])
        passed = same_nonfinite(got, want) and bool(np.all(np.abs(got - want) <= bound))
        error = relative_error(got, want)
        # A sum of over 10,000 terms may err by more than inputs rounded to TF32 do: there the whole
        # error tells them apart, as it grows with the root of the terms and not with their number.
        passed = passed and honest(classify(error), precision)
        return Agreement(
            error=error,
            bound=float(np.linalg.norm(bound) / np.linalg.norm(want)),
            class_=classify(error),
            passed=passed,
            rule=f"each of {len(want)} sampled rows within 4 sqrt(N) u of its absolute terms",
        )
