"""Lengths of vectors, element by element: a chain of operations that memory rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, Precision
from breakeven.workloads import default_rule
from breakeven.workloads.base import ITEM_BYTES, Answer, Need
from breakeven.workloads.values import normal

if TYPE_CHECKING:
    from breakeven.workloads.base import Array


class Elementwise:
    """z = sqrt(x x + y y) of two vectors of N standard normal values.

    Two products, a sum and a root an element: 4 N operations. As array code each operation reads
    its arrays once and writes its result once: 2 + 2 + 3 + 2 elements, 9 N in all, so that memory
    and not arithmetic sets the time.
    """

    name = "elementwise"
    axis = "N"
    sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000, 10_000_000)

    def work(self, size: int, dtype: DType) -> Work:
        """Return 4 N operations on 9 N elements of traffic."""
        return Work(flops=4.0 * size, bytes=9.0 * size * ITEM_BYTES[dtype])

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of two inputs, three temporaries, and the result of the last call."""
        held = 6 * size * ITEM_BYTES[dtype]
        return Need(host=held, device=held)

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return x, y of shape (N,), with lengths at sampled places."""
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

        rng = np.random.default_rng((seed, size))
        x, y = (normal(rng, (size,), dtype) for _ in range(2))
        at = default_rule.places(size, seed)
        made = default_rule.reference(lambda v: self.run(np, v).arrays[0], (x[at], y[at]), dtype)
        return {"x": x, "y": y}, {"places": at, "shape": np.array([size]), **made}

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Return the lengths."""
        x, y = inputs
        return Answer(arrays=(xp.sqrt(x * x + y * y),))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Apply the default rule to sampled elements; all others must be finite."""
        del losses
        return default_rule.of_sample(arrays, reference, precision, "places")
