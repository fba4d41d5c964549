"""The seam of a workload: what is computed, what it costs, how its answer is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, OtherWork, Precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

ITEM_BYTES: dict[DType, int] = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes that one live worker holds for one case."""

    host: int
    device: int


class Answer(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one call gives back; made in the timed piece, so nothing tracks it for cycles.

    Attributes
    ----------
    arrays : tuple
        Result arrays of the backend's own type, on its device.
    losses : tuple of float
        Training losses that the call itself read to the host while it ran.
    loss_epochs : tuple of int
        Epochs that they belong to, counted from 0.
    """

    arrays: tuple[Any, ...]
    losses: tuple[float, ...] = ()
    loss_epochs: tuple[int, ...] = ()


def computed_in(result: Array, precision: Precision) -> None:
    """Refuse an answer of another type than was asked for: it took the time of other work.

    Raises
    ------
    NotImplementedError
        If the library widened its input, as NumPy before version 2 does to transform float32.
    """
    wanted = {"float64", "complex128"} if precision == "float64" else {"float32", "complex64"}
    if result.dtype.name not in wanted:
        raise NotImplementedError(
            f"the library answers in {result.dtype.name} where {precision} was asked for"
        )


def unlike(workload: object) -> tuple[OtherWork, ...]:
    """Return which libraries do other work in a workload than the rest.

    A workload says so in an attribute of this name, and most have none to name: it is no part of
    the seam.
    """
    found: tuple[OtherWork, ...] = getattr(workload, "unlike", ())
    return found


class Workload(Protocol):
    """One computation over an axis of sizes, in array code for any namespace.

    Attributes
    ----------
    name, axis : str
        Its name, with what its size is called (``"N"``).
    sizes : tuple of int
        Default sizes, ascending, far enough apart for a first look.
    """

    name: str
    axis: str
    sizes: tuple[int, ...]

    def work(self, size: int, dtype: DType) -> Work:
        """Return the floating-point operations and bytes of one call."""
        ...

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes that a worker holds while it runs this case."""
        ...

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return inputs by name, in the order that `run` takes them, with float64 references.

        A type has the same values as any other, rounded to it: draw in float64, then cast. Only
        float32 and float64 are made; 16 bits are cast from float32 in the worker.
        """
        ...

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Compute once with the functions of namespace `xp`; inputs are left as they are."""
        ...

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Compare an answer, on the host, with its reference.

        Arrays of 16-bit precisions arrive as float32; `precision` says what was computed in, and
        so how much an honest answer may err.
        """
        ...
