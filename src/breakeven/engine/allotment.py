"""Which sizes fit the time that is left: the largest are left out first, and told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven import units
from breakeven.engine.clock import now
from breakeven.engine.context import Context
from breakeven.engine.rounds import Task, cost_s


class Allotment:
    """What the budget has room for.

    Attributes
    ----------
    left_out : set of tuple
        Workload with size, left out for want of time.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self.left_out: set[tuple[str, int]] = set()

    def affordable(
        self, planned: Sequence[Task], allotted: float, *, first: bool
    ) -> Iterator[Task]:
        """Yield the planned sizes that fit the budget, told once; the largest are left out first.

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
        room = (allotted - now()) * context.effort.planned_share
        costs = {(t.workload, t.size): cost_s(context, t, slots) for t in kept}
        while len(kept) > 1 and sum(costs[t.workload, t.size] for t in kept) > room:
            worst = max(kept, key=lambda t: costs[t.workload, t.size])
            kept.remove(worst)
            self._leave_out(worst, costs[worst.workload, worst.size])
        yield from kept

    def _while_time_lasts(self, tasks: Sequence[Task], allotted: float) -> Iterator[Task]:
        """Yield tasks by size, of all workloads in turn, as far as each still fits.

        Without scouting, what a size costs is known only from the smaller ones measured before.
        """
        context = self._context
        place = {(w.name, s): i for w in context.spec.workloads for i, s in enumerate(w.sizes)}
        for task in sorted(tasks, key=lambda t: place[t.workload, t.size]):
            cost = cost_s(context, task, context.effort.slots)
            if now() + cost > allotted:
                self._leave_out(task, cost)
            else:
                yield task

    def _leave_out(self, task: Task, cost: float) -> None:
        self.left_out.add((task.workload, task.size))
        self._context.remark(
            f"{task.workload} {task.size} was left out: one round of it would take about "
            f"{units.seconds(cost)}; a larger --budget has room"
        )
