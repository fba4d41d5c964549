"""Fourier transform of a real signal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, Precision
from breakeven.workloads import default_rule
from breakeven.workloads.base import ITEM_BYTES, Answer, Need, computed_in
from breakeven.workloads.values import normal

if TYPE_CHECKING:
    from breakeven.workloads.base import Array

_FACTORS = (2, 3, 5)


def fast_length(size: int) -> int:
    """Return the least length of at least `size` whose prime factors are 2, 3 and 5.

    Every library has fast code for these. A signal is padded to such a length in practice: one
    with a large prime factor would show how a library meets primes.
    """
    best = 1 << (size - 1).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            two = 1 << max(0, -(-size // three) - 1).bit_length()
            best = min(best, two * three)
            three *= 3
        five *= 5
    return best


class Fft:
    """Y = rfft(x), x of L standard normal samples, L the least product of 2, 3 and 5 from N on.

    2.5 L log2 L operations, half the 5 L log2 L by which benchmarks of complex transforms count
    (the convention of FFTW's benchFFT, whatever an algorithm really does). L samples are read,
    L / 2 + 1 complex values written.
    """

    name = "fft"
    axis = "N"
    sizes: tuple[int, ...] = (1024, 16_384, 262_144, 4_194_304)

    def work(self, size: int, dtype: DType) -> Work:
        """Return 2.5 L log2 L operations, at least 1, on about 2 L elements."""
        length = fast_length(size)
        return Work(
            flops=max(1.0, 2.5 * length * math.log2(length)),
            bytes=float((length + 2 * (length // 2 + 1)) * ITEM_BYTES[dtype]),
        )

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of the signal, two spectra, and four more to work in, as NumPy takes."""
        held = (7 * fast_length(size) + 8) * ITEM_BYTES[dtype]
        return Need(host=held, device=held)

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return x of shape (L,), with sampled values of its spectrum."""
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

        length = fast_length(size)
        rng = np.random.default_rng((seed, size))
        x = normal(rng, (length,), dtype)
        at = default_rule.places(length // 2 + 1, seed)
        made = default_rule.reference(lambda v: self.run(np, v).arrays[0][at], (x,), dtype)
        return {"x": x}, {"places": at, "shape": np.array([length // 2 + 1]), **made}

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Return the spectrum."""
        return Answer(arrays=(xp.fft.rfft(inputs[0]),))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Apply the default rule to sampled values; all others must be finite.

        Raises
        ------
        NotImplementedError
            In 16 bits: libraries widen such signals and answer in complex64, the time of which is
            not that of the precision named.
        """
        from breakeven.stats.rules import without_products  # noqa: PLC0415  it needs NumPy

        del losses
        (result,) = arrays
        if precision in {"float16", "bfloat16"}:
            raise NotImplementedError(f"the spectrum is {result.dtype.name}: no {precision} type")
        computed_in(result, precision)
        return default_rule.agreement(
            result, reference, without_products(precision), lambda a: a[reference["places"]]
        )
