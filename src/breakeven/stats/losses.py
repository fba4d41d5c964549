"""Whether two trainings from the same weights, on the same data in the same order, are the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

from breakeven.model.run import Agreement
from breakeven.stats.classes import LIMITS, WRONG, classify
from breakeven.stats.quantile import t_quantile

STEPS = 10
"""First steps that are compared."""

TOLERANCE = 1e-4
"""Largest relative difference of a loss in float32."""

PROBE_FACTOR = 10.0
"""Differences of two backends to those of the probes: a backend rounds in many places, not one."""

SILENT = 0.05
"""A bound over this says nothing about a step, so the step is left out."""


def bounds(losses: Sequence[float], probes: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return the largest relative difference that each of the first steps may have.

    It is 1e-4, or ten times what a change of one unit in the last place of the weights did to this
    loss or an earlier one, whichever is more.

    Parameters
    ----------
    losses : sequence of float
        Of the base.
    probes : sequence of sequence of float
        Of the base, from weights that were moved so.
    """
    return tuple(max(TOLERANCE, moved) for moved in _moved(losses, probes))


def _moved(losses: Sequence[float], probes: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return what rounding may do to each of the first losses, by the probes; 0 without any."""
    found: list[float] = []
    moved = 0.0
    for step, loss in enumerate(losses[:STEPS]):
        apart = [_apart(probe[step], loss) for probe in probes if step < len(probe)]
        moved = max(moved, *apart, 0.0)
        found.append(PROBE_FACTOR * moved)
    return tuple(found)


def _class_of(steps: Sequence[tuple[float, float]], moved: Sequence[float]) -> str:
    """Return the arithmetic that the differences are typical of.

    A network magnifies rounding from step to step: what it made of one unit in the last place is
    taken out of each difference before it is judged, as far as that is beyond plain float32.
    """
    plain = LIMITS["float32"]
    return classify(
        max(
            apart * min(1.0, plain / part if part else 1.0)
            for (apart, _), part in zip(steps, moved, strict=False)
        )
    )


def _apart(value: float, reference: float) -> float:
    """Return the relative difference; infinity where only one of the two is finite."""
    if math.isfinite(value) and math.isfinite(reference):
        if value == reference:
            return 0.0
        return abs(value - reference) / abs(reference) if reference else math.inf
    alike = math.isnan(value) and math.isnan(reference)
    return 0.0 if alike or value == reference else math.inf


def agreement(
    losses: Sequence[float], base: Sequence[float], probes: Sequence[Sequence[float]] = ()
) -> Agreement:
    """Return how the losses of the first steps compare with those of the base.

    The first step, which is a forward pass alone, is always held to 1e-4.

    Parameters
    ----------
    losses, base : sequence of float
        Step by step, in float32.
    probes : sequence of sequence of float
        Of the base: see `bounds`.

    Returns
    -------
    Agreement
        Error and bound are those of the step that comes nearest to its bound, or goes beyond.

    Raises
    ------
    ValueError
        If there is no loss, or the two are not of equally many steps.
    """
    if not base or len(losses) != len(base):
        message = f"agreement needs equally many losses, got {len(losses)} and {len(base)}"
        raise ValueError(message)
    allowed = bounds(base, probes)
    kept = (TOLERANCE, *allowed[1:])
    told = next((n for n, bound in enumerate(kept) if bound > SILENT), len(kept))
    steps = [(_apart(losses[n], base[n]), kept[n]) for n in range(told)]
    error, bound = max(steps, key=lambda pair: pair[0] / pair[1])
    passed = error <= bound
    reach = f"the first {told} steps" if told > 1 else "the first step"
    rule = f"relative difference of the losses of {reach}"
    if bound > TOLERANCE:
        rule += ", ten times what one unit in the last place of the weights does"
    if told < len(kept):
        rule += "; rounding alone moves later ones by more than can be judged"
    class_ = _class_of(steps, (0.0, *_moved(base, probes)[1:]))
    return Agreement(
        error=error, bound=bound, class_=class_ if passed else WRONG, passed=passed, rule=rule
    )


def spread(losses: Sequence[float]) -> tuple[float, float] | None:
    """Return between which bounds one more training from another seed would end, at 95 %.

    A prediction interval of the logarithm, by Student's t.

    Parameters
    ----------
    losses : sequence of float
        Last losses of trainings that differ in their seed alone.

    Returns
    -------
    tuple of float or None
        None for fewer than two, or where one is not a positive number.
    """
    n = len(losses)
    if n < 2 or not all(math.isfinite(loss) and loss > 0 for loss in losses):
        return None
    logs = [math.log(loss) for loss in losses]
    mean = math.fsum(logs) / n
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in logs) / (n - 1))
    reach = t_quantile(0.975, n - 1) * deviation * math.sqrt(1 + 1 / n)
    return math.exp(mean - reach), math.exp(mean + reach)


def within_spread(losses: Sequence[float], base: Sequence[float]) -> bool | None:
    """Return whether trainings end where others of the base's seeds would.

    Parameters
    ----------
    losses, base : sequence of float
        Last losses, one a seed.

    Returns
    -------
    bool or None
        None where there is nothing to compare, or the base has a single seed: one training has no
        spread.
    """
    reach = spread(base)
    if reach is None or not losses:
        return None
    if not all(math.isfinite(loss) and loss > 0 for loss in losses):
        return False
    # The mean of several spreads less than a single one, so it is held to no less than it could be.
    mean = math.fsum(math.log(loss) for loss in losses) / len(losses)
    return math.log(reach[0]) <= mean <= math.log(reach[1])
