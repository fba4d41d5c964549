"""What a trial says: the share of a step that would vanish, and the gain with its interval."""

from __future__ import annotations

from breakeven.model.estimate import Estimate
from breakeven.model.profiled import Trial


def share_of(trial: Trial | None) -> float | None:
    """Return the share of a step that the change saved; None where it was not tried."""
    if trial is None or trial.plain_s is None or trial.tried_s is None or trial.plain_s.value <= 0:
        return None
    return max(0.0, 1.0 - trial.tried_s.value / trial.plain_s.value)


def gain(trial: Trial | None) -> Estimate | None:
    """Return how many times faster the trial was.

    The interval is the widest that both sides allow: low plain over high tried, and reverse.
    """
    if trial is None or trial.plain_s is None or trial.tried_s is None:
        return None
    plain, tried = trial.plain_s, trial.tried_s
    if min(tried.value, tried.low, tried.high, plain.low) <= 0:
        return None
    return Estimate(
        value=plain.value / tried.value,
        low=plain.low / tried.high,
        high=plain.high / tried.low,
        level=min(plain.level, tried.level),
        n=min(plain.n, tried.n),
    )
