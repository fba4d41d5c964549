"""Which sizes fit the time that is left; those left out are told."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from breakeven import units
from breakeven.engine.clock import now
from breakeven.engine.context import Context
from breakeven.engine.costs import Task, cost_s
from breakeven.model.run import RunRecord

# A size that costs this many times the middle one is left out for its cost alone.
DEAR = 1.5
BUSY_SHARE = 0.25


class Allotment:
    """What the budget has room for.

    Parameters
    ----------
    left_out : iterable of tuple, optional
        Workload with size, that are not measured for reasons told elsewhere.

    Attributes
    ----------
    left_out : set of tuple
        Workload with size, left out for want of time.
    """

    def __init__(self, context: Context, left_out: Iterable[tuple[str, int]] = ()) -> None:
        self._context = context
        self.left_out = set(left_out)

    def affordable(
        self, planned: Sequence[Task], allotted: float, *, first: bool
    ) -> Iterator[Task]:
        """Yield the planned sizes that fit the budget; what is left out is told once.

        The dearest size goes first. Among sizes that cost alike it is the one that is missed
        least: the one whose neighbours are nearest, never an end of the range.

        What the first round measures, later rounds measure too: figures of a size that has fewer
        rounds than the others would settle nothing.
        """
        context, slots = self._context, self._context.effort.slots
        kept = [t for t in planned if (t.workload, t.size) not in self.left_out]
        if context.spec.rounds is not None or not first:
            yield from kept
            return
        if not context.effort.scout_slots:
            yield from self._while_time_lasts(kept, allotted)
            return
        given = any(w.given for w in context.spec.workloads)
        # Sizes that the user named come before any grid.
        room = (allotted - now()) * (1.0 if given else context.effort.planned_share)
        costs = {(t.workload, t.size): cost_s(context, t, slots) for t in kept}
        while len(kept) > 1 and sum(costs[t.workload, t.size] for t in kept) > room:
            missed = _least_missed(kept, costs)
            kept.remove(missed)
            self._leave_out(missed, costs[missed.workload, missed.size])
        yield from kept

    def _while_time_lasts(self, tasks: Sequence[Task], allotted: float) -> Iterator[Task]:
        """Yield tasks by size, of all workloads in turn, as far as each still fits.

        Without scouting, what a size costs is known only from the smaller ones measured before.
        """
        context = self._context
        went = False
        place = {(w.name, s): i for w in context.spec.workloads for i, s in enumerate(w.sizes)}
        for task in sorted(tasks, key=lambda t: place[t.workload, t.size]):
            cost = cost_s(context, task, context.effort.slots)
            # One size is measured in any case: a run without a figure answers nothing.
            if went and now() + cost > allotted:
                self._leave_out(task, cost)
            else:
                went = True
                yield task

    def _leave_out(self, task: Task, cost: float) -> None:
        self.left_out.add((task.workload, task.size))
        # What a size costs is foreseen from times that were taken beside whatever else ran.
        busy = _disturbed(self._context.sink.record())
        remedy = (
            "the machine is busy, which makes it dear: stop what else runs, and run again"
            if busy
            else "a larger --budget has room"
        )
        self._context.remark(
            f"{task.workload} {task.size} was left out: one round of it would take about "
            f"{units.seconds(cost)}; {remedy}"
        )


def _disturbed(record: RunRecord) -> bool:
    """Tell whether others on the machine voided a quarter of the slots so far, or more."""
    slots = [s for c in record.cases for r in c.rounds if r.clock == "wall" for s in r.slots]
    busy = sum(s.voided == "busy" for s in slots)
    return bool(slots) and busy >= BUSY_SHARE * len(slots)


def _least_missed(tasks: Sequence[Task], costs: Mapping[tuple[str, int], float]) -> Task:
    """Return the task to leave out: a dear one, or else one with near neighbours."""
    dearest = max(tasks, key=lambda t: costs[t.workload, t.size])
    middle = statistics.median(costs[t.workload, t.size] for t in tasks)
    if costs[dearest.workload, dearest.size] > DEAR * middle:
        return dearest
    gaps: dict[float, Task] = {}
    for workload in dict.fromkeys(t.workload for t in tasks):
        own = sorted((t for t in tasks if t.workload == workload), key=lambda t: t.size)
        for before, task, after in zip(own, own[1:], own[2:], strict=False):
            gaps.setdefault(math.log(after.size / before.size), task)
    return gaps[min(gaps)] if gaps else dearest
