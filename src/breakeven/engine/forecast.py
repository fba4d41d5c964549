"""What a run will take: announced before it starts, told once more after scouting, and kept."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from msgspec.structs import replace

from breakeven import units
from breakeven.engine.context import Context
from breakeven.engine.costs import Task, cost_s
from breakeven.model.run import RunRecord
from breakeven.model.spec import RunSpec

# An announcement is kept when the run takes no more than this beyond it.
KEPT = 1.2
# A round that fewer than three others precede may end late by this share of the budget: what is
# left of KEPT goes to judging, storing and the report.
LEEWAY = 0.15


def announcement(spec: RunSpec) -> str:
    """Return what a run will cost, in words that hold before anything is measured.

    A budget is an upper end: a run that settles everything ends before it. A number of rounds has
    none before calls have been timed, only a lower end: all slots in all rounds.
    """
    if spec.rounds is not None:
        return f"{units.about(least_s(spec))} and more, told after scouting"
    said = f"at most about {units.about(spec.budget_s)}"
    # A quick run settles nothing.
    return said if spec.effort == "quick" else f"{said}, less if all is settled before"


def least_s(spec: RunSpec, *, slots: int = 6, slot_s: float = 0.02) -> float:
    """Return the seconds that the slots of all rounds take at least: two entries, one scope."""
    sizes = sum(len(w.sizes) for w in spec.workloads)
    return (spec.rounds or 0) * sizes * 2 * slots * slot_s


def pace(taken_s: float, foreseen_s: float) -> float:
    """Return how many times longer tasks take here than their plan foresees.

    Read off the scouting round. Nothing is foreseen to go quicker than its plan: what was scouted
    in a lucky moment must not make the announcement too short.
    """
    return max(1.0, taken_s / foreseen_s) if foreseen_s > 0 else 1.0


def rounds_s(
    context: Context, planned: Sequence[Task], on_grids: Sequence[Task], rounds: int
) -> float:
    """Return the seconds that so many rounds of these tasks are foreseen to take.

    Each starts its processes as scouting did, then sets up and measures every size. The parts of
    a call are timed in the first round alone.
    """
    slots = context.effort.slots
    tasks = (*planned, *on_grids)
    plain = [replace(task, parts=False) for task in tasks]
    one = sum(cost_s(context, task, slots) for task in plain)
    once = sum(cost_s(context, task, slots) for task in tasks) - one
    return rounds * (context.team_s + context.pace * one) + context.pace * once


def known_calls(record: RunRecord) -> dict[tuple[str, str, int], float]:
    """Return the seconds of one call by entry, workload and size, of a run that goes on.

    The medians of all its slots on resident data: of those alone, as an ended process has told
    nothing else.
    """
    found: dict[tuple[str, str, int], list[float]] = {}
    for case in record.cases:
        for r in case.rounds:
            if (r.scope, r.clock) == ("resident", "wall"):
                key = (case.entry, case.workload, case.size)
                found.setdefault(key, []).extend(s.median_s for s in r.slots)
    return {key: statistics.median(times) for key, times in found.items() if times}


def another_fits(left_s: float, round_s: float, budget_s: float) -> bool:
    """Tell whether one of the first three rounds still fits the announcement.

    Fewer than three settle nothing, so the third may end a little late: within what is kept.
    """
    return round_s <= left_s + LEEWAY * budget_s


def kept(announced_s: float, taken_s: float) -> bool:
    """Tell whether an announcement was kept."""
    return taken_s <= KEPT * announced_s
