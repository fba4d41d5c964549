"""Every comparison that a record allows, judged once and shared by what is concluded from them."""

from __future__ import annotations

from breakeven.analysis.compare import Comparison, compare
from breakeven.analysis.pairs import Line, Plan
from breakeven.analysis.times import WARM_SCOPES, Times
from breakeven.analysis.twins import Twins
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Scope


class Comparisons:
    """The comparisons of a record by line, with what they were made from.

    Those of precision variants stand apart: whatever is concluded from `by_line` is about entries
    of one precision.

    Parameters
    ----------
    record : RunRecord
        As the engine left it, finished or not.
    """

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.times = Times(record)
        self.plan = Plan(self.times)
        self.twins = Twins(self.times)
        self.by_line: dict[Line, list[Comparison]] = {
            line: [compare(self.times, self.twins, pair) for pair in self.plan.pairs(line)]
            for workload in self.times.workloads()
            for line in self.plan.lines(workload)
        }
        self.variants: dict[Line, list[Comparison]] = {
            line: [compare(self.times, self.twins, pair) for pair in self.plan.pairs(line)]
            for workload in self.times.workloads()
            for line in self.plan.variant_lines(workload)
        }

    def all(self) -> list[Comparison]:
        """Return every comparison, line by line; those of precision variants come last."""
        lines = (*self.by_line.values(), *self.variants.values())
        return [c for compared in lines for c in compared]

    def main_lines(self) -> list[Line]:
        """Return the line of each workload and scope that rounds are spent on."""
        found = [
            self.plan.main(workload, scope)
            for workload in self.times.workloads()
            for scope in WARM_SCOPES
        ]
        return [line for line in found if line is not None]

    def alongside(self, line: Line) -> list[Comparison]:
        """Return all comparisons of a line's workload, scope and kind of base."""
        kind = line._replace(entry="")
        return [
            c
            for one, found in self.by_line.items()
            if one._replace(entry="") == kind
            for c in found
        ]

    def at(self, line: Line, scope: Scope, size: int) -> Comparison | None:
        """Return the comparison of a line in another scope at a size."""
        found = self.by_line.get(line._replace(scope=scope), [])
        return next((c for c in found if c.pair.size == size), None)
