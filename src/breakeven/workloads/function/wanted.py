"""What an answer is held against: NumPy's own, with how far an honest one may lie from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Rule = Literal["three_way", "probe", "fixed", "random"]


class WantedLeaf(msgspec.Struct, frozen=True, kw_only=True):
    """One array, or number, of NumPy's answer.

    Attributes
    ----------
    path : str
        Where it stands in the answer; of an altered argument, its name.
    argument : int or None
        Which array of the arguments it is, altered by the call; None for what is returned.
    kind : str
        ``float``, ``discrete`` (integers and truth values) or ``other`` (texts, objects).
    scalar : bool
        Whether NumPy gives a number rather than an array.
    nonfinite : int
        NaN and infinities among all its values.
    slack, scale : float
        What is allowed beside 8 u of the scale, absolute; largest finite absolute value.
    mismatch : float
        Share of the places that may differ, of a discrete one.
    """

    path: str
    kind: Literal["float", "discrete", "other"]
    dtype: str
    shape: tuple[int, ...]
    argument: int | None = None
    scalar: bool = False
    nonfinite: int = 0
    slack: float = 0.0
    scale: float = 0.0
    mismatch: float = 0.0
    u: float = 0.0
    mean: float = 0.0
    mean_spread: float = 0.0
    deviation: float = 0.0
    deviation_spread: float = 0.0


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """NumPy's answer at one size, but for its values.

    Attributes
    ----------
    digest : int
        Of the arguments that it belongs to.
    altered : tuple of int
        Arrays of the arguments that a call alters.
    restructured : bool
        Whether a call alters a list, dict or object among its arguments.
    ill : bool
        Whether the last bit of an argument moves the answer by more than a thousandth of it.
    rtol : float or None
        That the user allows, of the largest value.
    """

    rule: Rule
    leaves: tuple[WantedLeaf, ...]
    digest: int
    altered: tuple[int, ...] = ()
    restructured: bool = False
    ill: bool = False
    rtol: float | None = None
    remarks: tuple[str, ...] = ()

    @property
    def fresh(self) -> bool:
        """Whether each call needs arguments of its own."""
        return bool(self.altered) or self.restructured


def stored(wanted: Wanted, values: list[Array]) -> dict[str, Array]:
    """Return arrays by name that hold everything, to be kept as files."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    told = np.frombuffer(msgspec.json.encode(wanted), dtype=np.uint8)
    return {"told": told} | {f"value{i}": v for i, v in enumerate(values)}


def read(kept: dict[str, Array]) -> tuple[Wanted, list[Array]]:
    """Return what `stored` was given."""
    wanted = msgspec.json.decode(kept["told"].tobytes(), type=Wanted)
    return wanted, [kept[f"value{i}"] for i in range(len(wanted.leaves))]
