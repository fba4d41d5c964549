"""One way of doing the work that takes part."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.spec import DType, Precision

Variant = Literal["default", "compiled", "naive", "twin", "planted", "precision", "against"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One way of doing the work that takes part.

    Attributes
    ----------
    threads : int or None
        CPU threads of its pools; None for a GPU entry.
    device : str
        ``"cpu"`` or ``"cuda:0"``.
    default : bool
        Whether these threads are what the library takes by itself.
    twin_of : str or None
        For a twin: the entry that it repeats. For a planted difference: its base, None for the
        base itself.
    precision_of : str or None
        For variants ``precision``: the entry that it is, but for what it computes in.
    calls : int
        Calls of the work in one timed unit: 1, unless a difference is planted on purpose. All
        wall times of the entry are those of a unit.
    """

    id: str
    backend: str
    device: str
    threads: int | None = None
    dtype: DType = "float32"
    matmul_precision: str = "ieee"
    variant: Variant = "default"
    default: bool = False
    twin_of: str | None = None
    precision_of: str | None = None
    calls: int = 1

    @property
    def precision(self) -> Precision:
        """What it computes in: its dtype, or TF32 where products of float32 are made in that."""
        if self.dtype == "float32" and self.matmul_precision == "tf32":
            return "tf32"
        return self.dtype
