"""What earlier causes explain is not told again: rules asked one after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from breakeven.findings.rule import CAUSES, Pool, Rule, RunRule, Seen, StepRule
from breakeven.findings.scene import Scene, Window

LEFT = 0.5
"""Share of a pool that earlier causes must leave, so that a later one may speak (gpu-idle)."""


class Told(NamedTuple):
    """What one rule saw.

    Attributes
    ----------
    window : Window or None
        The steps that it speaks of; None for a whole run.
    """

    rule: Rule
    seen: Seen
    window: Window | None


def told(scene: Scene, rules: Iterable[Rule]) -> Iterator[Told]:
    """Yield what the rules see, those left out whose time earlier causes explain.

    Parameters
    ----------
    rules : iterable of StepRule, RunRule
        In the order of `CAUSES`.
    """
    ordered = tuple(rules)
    for window in scene.windows:
        yield from _of_window(window, ordered)
    for rule in ordered:
        if isinstance(rule, RunRule):
            yield from (Told(rule, seen, None) for seen in rule.look(scene))


def _of_window(window: Window, ordered: tuple[Rule, ...]) -> Iterator[Told]:
    claims: dict[Pool, dict[int, float]] = {"stall": {}, "busy": {}}
    for rule in ordered:
        if not isinstance(rule, StepRule) or rule.gate(window) is not None:
            continue
        place = CAUSES.index(rule.cause)
        if rule.pool is not None and not _left(window, rule.pool, place, claims[rule.pool]):
            continue
        for seen in rule.look(window):
            if rule.pool is not None:
                mine = claims[rule.pool]
                mine[place] = mine.get(place, 0.0) + seen.claims
            yield Told(rule, seen, window)


def _left(window: Window, pool: Pool, place: int, claims: dict[int, float]) -> bool:
    """Return whether earlier causes leave half of a pool unexplained."""
    earlier = sum(share for cause, share in claims.items() if cause < place)
    return earlier <= (1 - LEFT) * _whole(window, pool)


def _whole(window: Window, pool: Pool) -> float:
    """Return the share of the span that a pool holds; all of it where nothing tells."""
    if window.kernels is None:
        return 1.0
    return window.kernels if pool == "busy" else 1.0 - window.kernels
