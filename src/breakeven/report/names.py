"""What entries, scopes, bases and sizes are called on the page."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import units

_BASES = {"best-cpu": "the best CPU setting", "numpy": "NumPy"}
_ON_GPU = {
    "resident": "if the data already lives on the GPU",
    "transfer": "if the data must travel",
    "cold": "from a cold start (composed: import + context + first call + transfer)",
}
SCOPE_TITLES = {
    "resident": "data already on the device",
    "transfer": "data must travel",
    "cold": "cold start (composed)",
}
SCOPE_ORDER = ("transfer", "resident", "cold")
_LISTED_SIZES = 9


def base(base_kind: str, entry: str) -> str:
    """Return what a base is called in a sentence."""
    return _BASES.get(base_kind, entry)


def scope(name: str, *, on_gpu: bool) -> str:
    """Return the words for a scope; empty for a CPU entry, whose data need not travel."""
    if on_gpu:
        return _ON_GPU[name]
    return "from a cold start (composed: import + first call)" if name == "cold" else ""


def word(verdict: str) -> str:
    """Return a verdict's or a status's word for reading."""
    return verdict.replace("_", " ")


def size(value: float) -> str:
    """Return a size: whole as it is, an interpolated one to three digits."""
    return str(int(value)) if value == round(value) else units.significant(value)


def tested(axis_name: str, sizes: Sequence[int]) -> str:
    """Return the sizes tested, listed if few, otherwise as a range with their number."""
    if not sizes:
        return "no size could be judged"
    if len(sizes) <= _LISTED_SIZES:
        return f"{axis_name} = {', '.join(size(s) for s in sizes)} tested"
    return f"{len(sizes)} sizes from {axis_name} = {size(min(sizes))} to {size(max(sizes))} tested"


def joined(parts: Sequence[str], last: str = "and") -> str:
    """Return words joined as in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def interval(low: float, high: float) -> str:
    """Return an interval such as ``"[1.71, 2.46]"``."""
    return f"[{units.significant(low)}, {units.significant(high)}]"
