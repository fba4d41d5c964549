"""Holds an answer of another library against NumPy's, array by array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from breakeven.model.case import Agreement
from breakeven.workloads.function.reference import sample
from breakeven.workloads.function.wanted import Wanted, WantedLeaf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from breakeven.workloads.function.tree import Leaf

    Array = NDArray[Any]

SCALE_TIMES = 8.0
RANDOM_TIMES = 6.0
_RULES = {
    "three_way": "each value within 3 times NumPy's own error (10 times below 500 values) and 8 u "
    "of the largest, against NumPy in float64",
    "probe": "each value within 10 times the effect of one ulp in the arguments, and 8 u of the "
    "largest, against NumPy",
    "fixed": "each value within 6e-8 of the largest (1.4e-3 in float32), against NumPy; no "
    "argument could be moved by an ulp",
    "random": "mean and deviation within 6 deviations of NumPy's own runs: the function draws "
    "other values in each call",
}
_ILL = "; the last bit of an argument decides more than a thousandth of the answer, so no point "
_ILL += "by point comparison of it means much"

_ILL_SAID = "ill-conditioned: the last bit of an argument decides more than a thousandth of it"


class Compared(NamedTuple):
    """An answer beside NumPy's.

    Attributes
    ----------
    outside : tuple of str
        What was seen besides: types that changed, ties, what differs and where.
    narrowed : str or None
        That a floating-point answer came in fewer bits than NumPy's.
    """

    agreement: Agreement
    outside: tuple[str, ...] = ()
    narrowed: str | None = None


class _Verdict(NamedTuple):
    error: float
    bound: float
    passed: bool
    said: str | None = None


def compared(
    found: Sequence[Leaf],
    wanted: Wanted,
    values: Sequence[Array],
    inputs: Sequence[Array],
    seed: int,
) -> Compared:
    """Return how an answer compares.

    Parameters
    ----------
    found : sequence of Leaf
        What came back, on the host: the answer, then the arguments that a call alters.
    inputs : sequence of ndarray
        The arguments as they were given, to tell ties from faults.
    """
    paths, expected = [x.path for x in found], [x.path for x in wanted.leaves]
    if paths != expected:
        said = f"it gives {_listed(paths)} where NumPy gives {_listed(expected)}"
        return _wrong(wanted, said)
    verdicts: list[_Verdict] = []
    outside = [*wanted.remarks, *([_ILL_SAID] if wanted.ill else [])]
    narrowed: str | None = None
    for leaf, want, value in zip(found, wanted.leaves, values, strict=True):
        verdict = _of_leaf(leaf.value, want, value, wanted, inputs, seed)
        verdicts.append(verdict)
        name = _name(want)
        if verdict.said:
            outside.append(f"{name}: {verdict.said}")
        changed = _type_changed(leaf.value, want)
        if changed:
            outside.append(f"{name}: {changed}")
            if want.kind == "float" and leaf.value.dtype.itemsize < _itemsize(want.dtype):
                narrowed = narrowed or f"{name} {changed}"
    worst = max(verdicts, key=lambda v: (not v.passed, _severity(v)))
    passed = all(v.passed for v in verdicts) and narrowed is None
    return Compared(_agreement(worst, wanted, passed=passed), tuple(outside), narrowed)


def _agreement(worst: _Verdict, wanted: Wanted, *, passed: bool) -> Agreement:
    from breakeven.stats.agreement import WRONG, classify  # noqa: PLC0415  it needs NumPy

    rule = _RULES[wanted.rule] + (_ILL if wanted.ill else "")
    if wanted.rtol is not None and wanted.rule != "random":
        rule = f"each value within {wanted.rtol:g} of the largest, as asked for, against NumPy"
    class_ = classify(worst.error)
    if not passed and worst.passed:
        # The values are right, and something else is not: a type of fewer bits.
        class_ = classify(max(worst.error, 0.0))
    return Agreement(
        error=worst.error,
        bound=worst.bound,
        class_=class_ if math.isfinite(worst.error) else WRONG,
        passed=passed,
        rule=rule,
    )


def _severity(verdict: _Verdict) -> float:
    if not math.isfinite(verdict.error):
        return math.inf
    return verdict.error / verdict.bound if verdict.bound > 0 else verdict.error


def _wrong(wanted: Wanted, said: str) -> Compared:
    return Compared(
        _agreement(_Verdict(math.inf, 0.0, passed=False), wanted, passed=False), (said,)
    )


def _of_leaf(
    got: Array,
    want: WantedLeaf,
    value: Array,
    wanted: Wanted,
    inputs: Sequence[Array],
    seed: int,
) -> _Verdict:
    import numpy as np  # noqa: PLC0415  after the backend was opened

    if tuple(got.shape) != tuple(want.shape):
        return _Verdict(math.inf, 0.0, False, f"of shape {got.shape} where NumPy's is {want.shape}")
    if want.kind == "other":
        same = [repr(x) for x in got.reshape(-1)[: len(value)]] == list(value)
        return _Verdict(0.0 if same else math.inf, 0.0, same, None if same else "differs")
    if got.dtype.kind not in "fciub":
        return _Verdict(math.inf, 0.0, False, f"of type {got.dtype} where NumPy's is {want.dtype}")
    if wanted.rule == "random":
        return _by_chance(got, want)
    places = sample(got.size, seed)
    flat = got.reshape(-1)
    mine = flat if places is None else flat[places]
    if want.kind == "discrete":
        return _discrete(got, mine, want, value, inputs, wanted.rtol)
    nonfinite = int(got.size - np.count_nonzero(np.isfinite(got)))
    return _floats(mine, want, value, wanted.rtol, nonfinite)


def _floats(
    mine: Array, want: WantedLeaf, value: Array, rtol: float | None, nonfinite: int
) -> _Verdict:
    import numpy as np  # noqa: PLC0415  after the backend was opened

    from breakeven.stats.agreement import relative_error, same_nonfinite  # noqa: PLC0415  likewise

    limit = want.slack + SCALE_TIMES * want.u * want.scale if rtol is None else rtol * want.scale
    if np.iscomplexobj(mine) != np.iscomplexobj(value):
        kinds = ("complex", "real")
        had, gives = kinds if np.iscomplexobj(value) else kinds[::-1]
        return _Verdict(math.inf, 0.0, False, f"{gives} where NumPy's is {had}")
    if nonfinite != want.nonfinite or not same_nonfinite(mine, value):
        off = f"{nonfinite} NaN and infinities where NumPy has {want.nonfinite}"
        if nonfinite == want.nonfinite:
            off = "NaN and infinities stand at other places than NumPy's"
        return _Verdict(math.inf, 0.0, False, off)
    finite = np.isfinite(value)
    gaps = np.abs(mine[finite] - value[finite])
    error = relative_error(mine, value)
    norm = float(np.linalg.norm(value[finite]))
    bound = limit * math.sqrt(max(1, gaps.size)) / norm if norm > 0 else 0.0
    beyond = int(np.count_nonzero(gaps > limit))
    said = None
    if beyond:
        said = f"{beyond} of {gaps.size} values lie further from NumPy's than the rule allows"
    return _Verdict(error, bound, beyond == 0, said)


def _discrete(
    got: Array,
    mine: Array,
    want: WantedLeaf,
    value: Array,
    inputs: Sequence[Array],
    rtol: float | None,
) -> _Verdict:
    """Compare integers and truth values: equal, but for places that the last bit decides."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    differs = int(np.count_nonzero(mine != value))
    if not differs:
        return _Verdict(0.0, want.mismatch, passed=True)
    if _ties(got, want, value, inputs):
        said = f"{differs} of {mine.size} places name another of several equal values (ties)"
        return _Verdict(0.0, want.mismatch, True, said)
    share = differs / mine.size
    allowed = want.mismatch if rtol is None else max(rtol, want.mismatch)
    said = f"{differs} of {mine.size} values differ from NumPy's"
    if np.any(np.abs(mine.astype(np.float64) - value.astype(np.float64)) >= 2.0**31):
        said += ", some as an integer that overflowed does"
    # A share of places is no size of an error: one that is allowed counts as none.
    return _Verdict(0.0 if share <= allowed else share, allowed, share <= allowed, said)


def _ties(got: Array, want: WantedLeaf, value: Array, inputs: Sequence[Array]) -> bool:
    """Tell whether two orders pick equal values of an argument: both are right then."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    if got.dtype.kind not in "iu" or got.size == 0 or got.size != value.size:
        return False
    one, other = got.astype(np.int64), value.reshape(want.shape).astype(np.int64)
    for array in inputs:
        if array.ndim == 0 or array.dtype.kind not in "fiu":
            continue
        for axis in range(array.ndim):
            length = array.shape[axis]
            if min(one.min(), other.min()) < 0 or max(one.max(), other.max()) >= length:
                continue
            if _picks_alike(array, one, other, axis):
                return True
    return False


def _picks_alike(array: Array, one: Array, other: Array, axis: int) -> bool:
    import numpy as np  # noqa: PLC0415  after the backend was opened

    reduced = tuple(n for i, n in enumerate(array.shape) if i != axis)
    if one.shape == array.shape:
        a, b = np.take_along_axis(array, one, axis), np.take_along_axis(array, other, axis)
    elif one.shape == reduced:
        a, b = (np.take_along_axis(array, np.expand_dims(x, axis), axis) for x in (one, other))
    elif array.ndim == 1 and one.ndim == 1:
        a, b = array[one], array[other]
    else:
        return False
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))


def _by_chance(got: Array, want: WantedLeaf) -> _Verdict:
    import numpy as np  # noqa: PLC0415  after the backend was opened

    if got.size == 0:
        return _Verdict(0.0, 0.0, passed=True)
    sizes = np.abs(got).astype(np.float64)
    least = want.deviation / math.sqrt(got.size)
    off = abs(float(np.mean(sizes)) - want.mean)
    wide = abs(float(np.std(sizes)) - want.deviation)
    allowed = RANDOM_TIMES * max(want.mean_spread, least)
    spread = RANDOM_TIMES * max(want.deviation_spread, least)
    passed = off <= allowed and wide <= spread
    scale = abs(want.mean) or 1.0
    said = None if passed else "its mean or its deviation is another than that of NumPy's runs"
    return _Verdict(0.0 if passed else off / scale, allowed / scale, passed, said)


def _type_changed(got: Array, want: WantedLeaf) -> str | None:
    if want.scalar and got.ndim == 0 and got.dtype.kind == want.dtype[0]:
        # Whether a number comes as Python's or as an array's is no matter.
        return None if got.dtype.itemsize >= _itemsize(want.dtype) else _types(got, want)
    return None if got.dtype.name == want.dtype else _types(got, want)


def _types(got: Array, want: WantedLeaf) -> str:
    return f"of type {got.dtype.name} where NumPy's is {want.dtype}"


def _itemsize(dtype: str) -> int:
    import numpy as np  # noqa: PLC0415  after the backend was opened

    try:
        return int(np.dtype(dtype).itemsize)
    except TypeError:
        return 0


def _name(want: WantedLeaf) -> str:
    if want.argument is not None:
        return f"{want.path}, altered in place"
    return f"answer{want.path}" if want.path else "the answer"


def _listed(paths: Sequence[str]) -> str:
    names = [f"answer{p}" for p in paths[:4]] + (["..."] if len(paths) > 4 else [])
    return ", ".join(names) or "nothing"
