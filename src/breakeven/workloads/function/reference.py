"""Makes what answers are held against, by running the user's function on NumPy a few times."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from breakeven.workloads.function.arguments import Arguments, Maker
from breakeven.workloads.function.tree import Leaf, taken_apart
from breakeven.workloads.function.wanted import Rule, Wanted, WantedLeaf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

# Values of one array that are kept: more tell nothing new, and every process reads them.
SAMPLED = 1 << 18
# A small answer has a worst element that says little about the next library's worst.
FEW, FEW_TIMES, TIMES, PROBE_TIMES = 500, 10.0, 3.0, 10.0
# From here on the last bit of an argument decides a thousandth of the answer.
ILL = 1e-3
# Of the places of integers and truth values that were made from floats: as many may differ, or ten
# times as many as the last bit of an argument decides, never more than the second.
MISMATCH, MISMATCH_MOST = 1e-3, 0.05
# Four roots of the rounding of float64: what SciPy's own tests allow where nothing is known.
FIXED_RTOL = {"float32": 1.4e-3, "float64": 6e-8}
# Seed of the global stream before each call that is compared.
STREAM = 2024
RANDOM_RUNS, RANDOM_LEAST_S = 6, 2.0
UNCHANGING = "returns nothing, and alters none of its arguments: there is nothing to compare"


class NothingToCompareError(Exception):
    """The function gives nothing that could be held against anything."""


def sample(size: int, seed: int) -> Array | None:
    """Return the places of an array that are compared, ascending; None for all of them."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    if size <= SAMPLED:
        return None
    drawn = np.random.default_rng((seed, size)).integers(0, size, SAMPLED - 2)
    return np.unique(np.concatenate([[0, size - 1], drawn]))


class Run:
    """One call on NumPy: its answer, and what it did to its arguments."""

    def __init__(
        self, function: Callable[..., Any], arguments: Arguments, arrays: Sequence[Array]
    ) -> None:
        import numpy as np  # noqa: PLC0415  after the backend was opened

        given = [a.copy(order="K") for a in arrays]
        args, kwargs = arguments.call_with(list(given))
        before = taken_apart((args, kwargs))[1]
        # What draws from NumPy's global stream draws the same on every library.
        np.random.seed(STREAM)  # noqa: NPY002
        begin = time.perf_counter()
        answer = function(*args, **kwargs)
        self.seconds = time.perf_counter() - begin
        leaves, self.node = taken_apart(answer, numbers=True)
        self.answer = [Leaf(x.path, _kept(x.value)) for x in leaves]
        self.altered = tuple(
            i for i, (a, b) in enumerate(zip(arrays, given, strict=True)) if not _same(a, b)
        )
        self.restructured = _outline(taken_apart((args, kwargs))[1]) != _outline(before)
        self.alterations = {i: given[i] for i in range(len(given))}
        self.returned = answer

    def leaves(self, altered: Sequence[int], arguments: Arguments) -> list[Leaf]:
        """Return the answer, then the arguments that are altered."""
        more = [Leaf(arguments.leaves[i].path, self.alterations[i]) for i in altered]
        return [*self.answer, *more]


def _kept(value: Any) -> Any:  # noqa: ANN401  an array or a number
    """Return a copy: an answer may be a view of an argument that a later call alters."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    return np.array(value, copy=True)


def _same(one: Array, other: Array) -> bool:
    import numpy as np  # noqa: PLC0415  after the backend was opened

    if one.dtype.kind in "fc":
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool(np.array_equal(one, other))


def _outline(node: Any) -> Any:  # noqa: ANN401  nested tuples
    held = (
        node.held
        if node.kind == "dict"
        else repr(node.held)[:200]
        if node.kind == "constant"
        else None
    )
    return node.kind, held, tuple(_outline(child) for child in node.children)


def wanted_of(
    maker: Maker, function: Callable[..., Any], size: int, seed: int, rtol: float | None
) -> tuple[Wanted, list[Array], Run]:
    """Return what NumPy answers at one size, with how far others may lie from it.

    Raises
    ------
    NothingToCompareError
        If there are no numbers in the answer.
    """
    arguments = maker.make(size)
    arrays = [leaf.value for leaf in arguments.leaves]
    first = Run(function, arguments, arrays)
    altered = first.altered
    found = first.leaves(altered, arguments)
    if not found:
        raise NothingToCompareError(nothing_in(first.returned))
    rule, others, remarks = _others(function, arguments, arrays, first, maker, size)
    u = _roundoff(arrays, found)
    leaves, values, ill = [], [], False
    aside = [run.leaves(altered, arguments) for run in others]
    for place, leaf in enumerate(found):
        compared = [run[place].value for run in aside if len(run) == len(found)]
        made, value = _leaf(leaf, compared, rule, u, seed)
        argument = None
        if place >= len(first.answer):
            argument = altered[place - len(first.answer)]
        leaves.append(changed(made, argument=argument))
        values.append(value)
        ill |= rule in {"three_way", "probe"} and made.slack > PROBE_TIMES * ILL * made.scale > 0
    return (
        Wanted(
            rule=rule,
            leaves=tuple(leaves),
            digest=arguments.digest(),
            altered=altered,
            restructured=first.restructured,
            ill=ill,
            rtol=rtol,
            remarks=tuple(remarks),
        ),
        values,
        first,
    )


def changed(leaf: WantedLeaf, **changes: Any) -> WantedLeaf:  # noqa: ANN401
    """Return a leaf with other fields."""
    import msgspec  # noqa: PLC0415  beside what it is needed for

    return msgspec.structs.replace(leaf, **changes)


def nothing_in(returned: Any) -> str:  # noqa: ANN401  any value
    """Return what is wrong with an answer that holds no numbers, in words after its name."""
    if returned is None:
        return UNCHANGING
    kind = type(returned).__name__
    return f"returns a {kind}, in which there is no array and no number to compare"


def _others(
    function: Callable[..., Any],
    arguments: Arguments,
    arrays: Sequence[Array],
    first: Run,
    maker: Maker,
    size: int,
) -> tuple[Rule, list[Run], list[str]]:
    """Return the rule, with the further runs that it rests on."""
    floats = [a for a in arrays if a.dtype.kind in "fc"]
    remarks: list[str] = []
    if first.seconds < RANDOM_LEAST_S:
        again = Run(function, arguments, arrays)
        if not _alike(first, again):
            more = [Run(function, arguments, arrays) for _ in range(RANDOM_RUNS - 2)]
            remarks.append(
                "its answer differs from call to call on NumPy itself: means and deviations are "
                "compared, not values"
            )
            return "random", [again, *more], remarks
    del maker, size
    try:
        if any(a.dtype.itemsize < (16 if a.dtype.kind == "c" else 8) for a in floats):
            return "three_way", [Run(function, arguments, [_wide(a) for a in arrays])], remarks
        if floats:
            moved = [_moved_up(arrays), _moved_at_random(arrays)]
            return "probe", [Run(function, arguments, m) for m in moved], remarks
    except Exception as error:  # noqa: BLE001  the user's code may refuse values not made for it
        what = type(error).__name__
        remarks.append(f"it does not run on arguments changed by their last bit ({what})")
    return "fixed", [], remarks


def _alike(one: Run, other: Run) -> bool:
    return len(one.answer) == len(other.answer) and all(
        _same(a.value, b.value) for a, b in zip(one.answer, other.answer, strict=True)
    )


def _wide(array: Array) -> Array:
    kinds = {"f": "float64", "c": "complex128"}
    return array.astype(kinds[array.dtype.kind]) if array.dtype.kind in kinds else array


def _moved_up(arrays: Sequence[Array]) -> list[Array]:
    import numpy as np  # noqa: PLC0415  after the backend was opened

    return [_by_parts(a, lambda x: np.nextafter(x, np.inf)) for a in arrays]


def _moved_at_random(arrays: Sequence[Array]) -> list[Array]:
    import numpy as np  # noqa: PLC0415  after the backend was opened

    rng = np.random.default_rng(len(arrays))

    def moved(x: Array) -> Array:
        return np.nextafter(x, np.where(rng.random(x.shape) < 0.5, np.inf, -np.inf))

    return [_by_parts(a, moved) for a in arrays]


def _by_parts(array: Array, move: Callable[[Array], Array]) -> Array:
    """Move each real number of an array; zeros, which have no last bit of note, stay."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    if array.dtype.kind == "c":
        return np.asarray(_by_parts(array.real, move) + 1j * _by_parts(array.imag, move))
    if array.dtype.kind != "f":
        return array
    return np.where((array == 0) | ~np.isfinite(array), array, move(array)).astype(array.dtype)


def _roundoff(arrays: Sequence[Array], found: Sequence[Leaf]) -> float:
    from breakeven.stats.agreement import UNIT_ROUNDOFF  # noqa: PLC0415  it needs NumPy

    kinds = [*arrays, *(leaf.value for leaf in found)]
    small = any(a.dtype.name in {"float16", "float32", "complex64"} for a in kinds)
    return UNIT_ROUNDOFF["float32" if small else "float64"]


def _leaf(
    leaf: Leaf, compared: Sequence[Array], rule: Rule, u: float, seed: int
) -> tuple[WantedLeaf, Array]:
    """Return what is wanted of one array, with the values that are compared."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    own = leaf.value
    kind = own.dtype.kind
    said = WantedLeaf(
        path=leaf.path,
        kind="float" if kind in "fc" else "discrete" if kind in "iub" else "other",
        dtype=own.dtype.name,
        shape=own.shape,
        scalar=own.ndim == 0,
        u=u,
    )
    if said.kind == "other":
        return said, np.array([repr(x) for x in own.reshape(-1)[:SAMPLED]] or [""])
    places = sample(own.size, seed)
    fitting = [_picked(x, places) for x in compared if x.shape == own.shape]
    if rule == "random":
        return _spread(said, own, compared), _picked(own, places)
    if said.kind == "discrete":
        mine = _picked(own, places)
        moved = max((float(np.mean(x != mine)) for x in fitting if mine.size), default=0.0)
        floats = rule in {"three_way", "probe"}
        allowed = min(max(MISMATCH, PROBE_TIMES * moved), MISMATCH_MOST) if floats else 0.0
        return changed(said, mismatch=allowed), mine
    mine = _wide(_picked(own, places))
    # In a finer arithmetic the answer is nearer to the truth: that is what all are held against.
    want = _wide(fitting[0]) if rule == "three_way" and fitting else mine
    finite = np.isfinite(want)
    scale = float(np.max(np.abs(want[finite]), initial=0.0))
    return (
        changed(
            said,
            scale=scale,
            slack=_slack(rule, mine, want, fitting, own, scale),
            nonfinite=int(own.size - np.count_nonzero(np.isfinite(own))),
        ),
        want,
    )


def _slack(
    rule: Rule, mine: Array, want: Array, fitting: Sequence[Array], own: Array, scale: float
) -> float:
    if not fitting or rule == "fixed":
        fine = own.dtype.name in {"float64", "complex128"}
        return FIXED_RTOL["float64" if fine else "float32"] * scale
    if rule == "three_way":
        return (FEW_TIMES if mine.size < FEW else TIMES) * _farthest(mine, want)
    return PROBE_TIMES * max(_farthest(x, mine) for x in fitting)


def _farthest(one: Array, other: Array) -> float:
    import numpy as np  # noqa: PLC0415  after the backend was opened

    both = np.isfinite(one) & np.isfinite(other)
    return float(np.max(np.abs(one[both] - other[both]), initial=0.0))


def _picked(array: Array, places: Array | None) -> Array:
    flat = array.reshape(-1)
    return flat if places is None else flat[places]


def _spread(said: WantedLeaf, own: Array, compared: Sequence[Array]) -> WantedLeaf:
    """Return a leaf with the means and deviations of an answer that chance decides."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    runs = [np.abs(_wide(x)).astype(np.float64) for x in (own, *compared)]
    means = [float(np.mean(r)) if r.size else 0.0 for r in runs]
    deviations = [float(np.std(r)) if r.size else 0.0 for r in runs]
    return changed(
        said,
        mean=float(np.mean(means)),
        mean_spread=float(np.std(means, ddof=1)),
        deviation=float(np.mean(deviations)),
        deviation_spread=float(np.std(deviations, ddof=1)),
    )
