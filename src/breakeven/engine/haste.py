"""What a training does without when its budget runs short, and how long each piece may take."""

from __future__ import annotations

from collections.abc import Iterable

from breakeven.engine.context import Context
from breakeven.model.spec import RunSpec

# To build model and data twice, and count what a step takes.
EXAMINE_DEADLINE_S, LEAST_S = 300.0, 5.0
# Of the budget, for the float64 steps of one reference.
REFERENCE_SHARE = 0.1
# Of the budget: with less than this left no first call is taken apart, and nothing is scouted.
COLD_LEFT, SCOUT_LEFT = 0.5, 0.15
# A round takes at least as long as a fresh process does; scouting and one round are two.
PROCESSES = 2.0


def bounded(spec: RunSpec) -> bool:
    """Tell whether a budget bounds the pieces of a run: that of a training without a number."""
    return spec.training is not None and spec.rounds is None


def examine_s(spec: RunSpec) -> float:
    """Return the seconds in which model and data have to be there: the budget at most."""
    if not bounded(spec):
        return EXAMINE_DEADLINE_S
    return min(EXAMINE_DEADLINE_S, max(LEAST_S, spec.budget_s))


def reference_s(spec: RunSpec, most_s: float) -> float:
    """Return the seconds after which no further step of a reference is begun."""
    return min(most_s, max(1.0, REFERENCE_SHARE * spec.budget_s)) if bounded(spec) else most_s


def no_first_calls(context: Context) -> bool:
    """Tell whether there is no time for first calls; say so once."""
    if not _under(context, COLD_LEFT):
        return False
    _leave_out(context, "first calls were not measured")
    return True


def no_scouting(context: Context, lasted: Iterable[float]) -> bool:
    """Tell whether there is no time to try thread counts; say so once.

    Parameters
    ----------
    lasted : iterable of float
        Seconds that fresh processes took so far.
    """
    needed = PROCESSES * max(lasted, default=0.0)
    if not bounded(context.spec) or not (_under(context, SCOUT_LEFT) or context.left_s() < needed):
        return False
    _leave_out(context, "thread counts were not tried")
    return True


def no_time(context: Context, seconds: float = 0.0) -> bool:
    """Tell whether a piece that enters no verdict goes beyond the budget."""
    return bounded(context.spec) and context.left_s() <= seconds


def _under(context: Context, share: float) -> bool:
    return bounded(context.spec) and context.left_s() < share * context.spec.budget_s


def _leave_out(context: Context, what: str) -> None:
    context.remark(
        f"{what}: too much of the budget was spent before; a quiet machine or a larger --budget "
        "has room"
    )
