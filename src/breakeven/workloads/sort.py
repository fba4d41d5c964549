"""Values put in ascending order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, OtherWork, Precision
from breakeven.workloads.base import ITEM_BYTES, Answer, Need, computed_in
from breakeven.workloads.values import normal

if TYPE_CHECKING:
    from breakeven.workloads.base import Array

_INDEX_BYTES = 8
_PLACES = f"also returns the place where each value stood, {_INDEX_BYTES} bytes each"


class Sort:
    """N standard normal values in ascending order.

    N log2 N comparisons stand for the operations: no sort by comparison takes fewer in the end
    (Knuth, The Art of Computer Programming, section 5.3.1); a radix sort, as GPUs have, compares
    nothing. N values are read and written.

    PyTorch has no sort of values alone: it also carries the places where they stood, 8 bytes each.
    """

    name = "sort"
    axis = "N"
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    unlike = tuple(OtherWork(backend=b, also=_PLACES) for b in ("torch-cpu", "torch-cuda"))

    def work(self, size: int, dtype: DType) -> Work:
        """Return N log2 N comparisons, at least 1, on 2 N elements."""
        return Work(flops=max(1.0, size * math.log2(size)), bytes=2.0 * size * ITEM_BYTES[dtype])

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of the values four times, and of their places three times.

        Input, result, the last result, and a buffer; the buffer of places is PyTorch's.
        """
        held = size * (4 * ITEM_BYTES[dtype] + 3 * _INDEX_BYTES)
        return Need(host=held, device=held)

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return x of shape (N,), with the same values in order."""
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

        x = normal(np.random.default_rng((seed, size)), (size,), dtype)
        return {"x": x}, {"sorted": np.sort(x)}

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Return the values in order."""
        made = xp.sort(inputs[0])
        # Some libraries return the places beside the values.
        return Answer(arrays=(made[0] if isinstance(made, tuple) else made,))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Pass when each value equals the reference's: all of the input, in order, none changed.

        In 16 bits the input was rounded before it was sorted. Rounding keeps the order, so the
        reference rounded alike is what must come out; the error shown is that rounding.
        """
        import numpy as np  # noqa: PLC0415  only a worker needs it

        from breakeven.stats.agreement import classify, relative_error  # noqa: PLC0415  it needs NumPy
        from breakeven.stats.rules import as_stored  # noqa: PLC0415  likewise

        del losses
        (result,) = arrays
        computed_in(result, precision)
        exact = reference["sorted"]
        want = as_stored(exact, precision)
        error = relative_error(result, exact)
        return Agreement(
            error=error,
            bound=relative_error(want, exact),
            class_=classify(error),
            passed=result.shape == want.shape and bool(np.array_equal(result, want)),
            rule="every value equal to the input's, in ascending order",
        )
