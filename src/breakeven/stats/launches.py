"""Where launches rule, and what calls would gain that did without a part of their time."""

from __future__ import annotations

from typing import NamedTuple


class Gain(NamedTuple):
    """How many times more calls a second; a lower bound where the time itself is one above."""

    factor: float
    at_least: bool


def issue_rules(issue_s: float | None, queued_s: float | None) -> bool:
    """Tell whether issuing a call takes longer than the device works for it."""
    return issue_s is not None and queued_s is not None and issue_s > queued_s


def gain(now_s: float, each_s: float | None, floor_s: float | None) -> Gain | None:
    """Return what calls would gain that take less of the same kind of time than they do now.

    Parameters
    ----------
    now_s : float
        Seconds that each call takes as things are.
    each_s : float or None
        Seconds that each would take.
    floor_s : float or None
        Seconds below which `each_s` says no more than that it is less.

    Returns
    -------
    Gain or None
        None where nothing is known, or nothing is gained.
    """
    if each_s is None or each_s <= 0:
        return None
    at_floor = floor_s is not None and each_s < floor_s
    factor = now_s / (floor_s if at_floor and floor_s is not None else each_s)
    return Gain(factor, at_floor) if factor > 1 else None
