"""What scopes, bases and sizes are called on the page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

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
SCOPE_SHORT = {"resident": "on the device", "transfer": "travelling", "cold": "cold"}
SCOPE_ORDER = ("transfer", "resident", "cold")
_ONCE = {
    "matmul": "multiplies",
    "mlp": "trains",
    "elementwise": "computes lengths",
    "reduce": "sums",
    "stencil": "smooths",
    "pairwise": "measures distances",
    "fft": "transforms",
    "sort": "sorts",
    "solve": "solves",
    "svd": "decomposes",
}
_LISTED_SIZES = 9
_NAMED_SIZES = 3
_PARTS = 4


def base(base_kind: str, entry: str) -> str:
    """Return what a base is called in a sentence."""
    return _BASES.get(base_kind, entry)


def scope(name: str, *, on_gpu: bool) -> str:
    """Return the words for a scope; empty for a CPU entry, whose data need not travel."""
    if on_gpu:
        return _ON_GPU[name]
    return "from a cold start (composed: import + first call)" if name == "cold" else ""


def once(workload: str) -> str:
    """Return what a script does that calls a workload a single time."""
    return f"{_ONCE.get(workload, 'runs')} once"


def word(verdict: str) -> str:
    """Return a verdict's or a status's word for reading."""
    return verdict.replace("_", " ")


def size(value: float) -> str:
    """Return a size: whole as it is, an interpolated one to three digits, whole from 10 on."""
    if value == round(value):
        return str(int(value))
    return str(round(value)) if 10 <= value < 1000 else units.significant(value)


def sizes(values: Sequence[int], among: Sequence[int] = ()) -> str:
    """Return sizes in few words: ``512``, ``168, 200 and 232``, ``32 to 512``.

    Parameters
    ----------
    among : sequence of int
        All sizes there are: four and more neighbours among them become a range.
    """
    found = sorted(set(values))
    if len(found) <= _NAMED_SIZES:
        return joined([size(s) for s in found])
    place = {s: i for i, s in enumerate(sorted({*among, *found}))}
    runs = [[found[0]]]
    for before, after in pairwise(found):
        if place[after] == place[before] + 1:
            runs[-1].append(after)
        else:
            runs.append([after])
    parts = [
        part
        for run in runs
        for part in (
            [f"{size(run[0])} to {size(run[-1])}"]
            if len(run) >= _NAMED_SIZES
            else [size(s) for s in run]
        )
    ]
    if len(parts) > _PARTS:
        return f"{size(found[0])} to {size(found[-1])} ({len(found)} of the sizes)"
    return joined(parts)


def tested(axis_name: str, found: Sequence[int]) -> str:
    """Return the sizes tested, listed if few, otherwise as a range with their number."""
    if not found:
        return "no size could be judged"
    if len(found) <= _LISTED_SIZES:
        return f"{axis_name} = {', '.join(size(s) for s in found)} tested"
    low, high = size(min(found)), size(max(found))
    return f"{len(found)} sizes from {axis_name} = {low} to {high} tested"


def alone(axis_name: str, found: Sequence[int]) -> str:
    """Return where a claim about one single size holds; empty when it is about several."""
    only = f"at {axis_name} = {size(found[0])} (the only size judged)" if found else ""
    return only if len(set(found)) == 1 else ""


def joined(parts: Sequence[str], last: str = "and") -> str:
    """Return words joined as in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def interval(low: float, high: float) -> str:
    """Return an interval such as ``"[1.71, 2.46]"``."""
    return f"[{units.significant(low)}, {units.significant(high)}]"


def rounds(n: int) -> str:
    """Return a number of rounds in words."""
    return f"{n} round" if n == 1 else f"{n} rounds"
