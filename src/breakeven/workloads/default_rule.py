"""The default rule of agreement: an answer may err as the CPU's own does, and a little more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from breakeven.model.run import Agreement
from breakeven.model.spec import DType, Precision

if TYPE_CHECKING:
    from breakeven.workloads.base import Array

SAMPLED = 65_536


def places(length: int, seed: int) -> Array:
    """Return up to 65,536 places of an axis, ascending, its two ends among them."""
    import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

    if length <= SAMPLED:
        return np.arange(length)
    drawn = np.random.default_rng((seed, length, 1)).choice(length, SAMPLED - 2, replace=False)
    return np.unique(np.concatenate([[0, length - 1], drawn]))


def reference(
    compute: Callable[[tuple[Array, ...]], Array], inputs: tuple[Array, ...], dtype: DType
) -> dict[str, Array]:
    """Return what `agreement` compares with, from inputs that give a sample of the answer.

    Parameters
    ----------
    compute : callable
        Gives the sample from inputs of one dtype.
    inputs : tuple of ndarray
        In `dtype`.

    Returns
    -------
    dict
        ``want``, the sample in float64; ``slack``, what the CPU's own error allows (in float64,
        what inputs moved by one ulp change); ``scale``, the largest absolute value.
    """
    import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it

    from breakeven.stats.agreement import UNIT_ROUNDOFF  # noqa: PLC0415  it needs NumPy
    from breakeven.stats.rules import cpu_slack, probe_slack  # noqa: PLC0415  likewise

    exact = tuple(a.astype(np.float64) for a in inputs)
    want = compute(exact)
    u = UNIT_ROUNDOFF[dtype]
    if dtype == "float64":
        slack = probe_slack(compute(tuple(np.nextafter(a, np.inf) for a in exact)), want, u)
    else:
        slack = cpu_slack(compute(inputs), want, u)
    scale = float(np.max(np.abs(want), initial=0.0))
    return {"want": want, "slack": np.array([slack]), "scale": np.array([scale])}


def agreement(
    result: Array,
    reference: dict[str, Array],
    precision: Precision,
    pick: Callable[[Array], Array],
) -> Agreement:
    """Return how an answer compares by the default rule.

    Parameters
    ----------
    result : ndarray
        The whole answer: of the shape that the reference names, every value finite.
    pick : callable
        Takes its sample.
    """
    import numpy as np  # noqa: PLC0415  only a worker needs it

    from breakeven.stats.agreement import UNIT_ROUNDOFF  # noqa: PLC0415  it needs NumPy
    from breakeven.stats.rules import default_bound, judged, whole  # noqa: PLC0415  likewise

    want = reference["want"]
    complete = whole(result, tuple(reference["shape"]))
    return judged(
        pick(result) if complete else np.full_like(want, np.nan),
        want,
        default_bound(
            float(reference["slack"][0]), float(reference["scale"][0]), UNIT_ROUNDOFF[precision]
        ),
        precision,
        "each sampled element within 10 times the effect of one ulp, and 8 u of the largest"
        if precision == "float64"
        else "each sampled element within 3 times NumPy's own error, and 8 u of the largest",
    )


def of_sample(
    arrays: tuple[Array, ...], reference: dict[str, Array], precision: Precision, places: str
) -> Agreement:
    """Apply the rule to a part of the one result of work without products; all must be finite.

    Parameters
    ----------
    places : str
        Name of the array of `reference` that holds the indices of what was sampled.
    """
    from breakeven.stats.rules import without_products  # noqa: PLC0415  it needs NumPy
    from breakeven.workloads.base import computed_in  # noqa: PLC0415  it is imported by that

    (result,) = arrays
    computed_in(result, precision)
    return agreement(result, reference, without_products(precision), lambda a: a[reference[places]])
