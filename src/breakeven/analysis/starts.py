"""What a fresh process pays before its calls are steady: import, context, first call."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from breakeven.analysis.times import Times
from breakeven.stats.first_call import excess
from breakeven.stats.resampling import spread


class Start(NamedTuple):
    """The cost of a fresh process, part by part, seconds.

    Attributes
    ----------
    opening : tuple of float
        Import and context, one value a process: these belong to the backend, so the processes of
        every workload count.
    excess : tuple of float
        What the first call of this workload takes beyond its last one, one value a process.
    """

    opening: tuple[float, ...]
    excess: tuple[float, ...]

    @property
    def processes(self) -> int:
        """Fresh processes that the import and context rest on."""
        return len(self.opening)

    def seconds(self) -> float:
        """Return the cost: median opening, then the median excess of the first call."""
        return statistics.median(self.opening) + statistics.median(self.excess)

    @property
    def replicated(self) -> int:
        """Processes that an interval rests on: the fewer of the two parts, once both have some."""
        return min(len(self.opening), len(self.excess)) if self._own else len(self.opening)

    @property
    def _own(self) -> bool:
        return len(self.excess) > 1

    def drawn(self, chosen: Sequence[int]) -> float:
        """Return the cost with processes drawn again.

        One first call has no spread of its own. It is then drawn in proportion to the opening:
        what makes a process slow (a file cache, a busy disk) makes its first call slow as well.
        """
        opening = statistics.median(self.opening[i % len(self.opening)] for i in chosen)
        if self._own:
            return opening + statistics.median(self.excess[i % len(self.excess)] for i in chosen)
        middle = statistics.median(self.opening)
        return opening + self.excess[0] * (opening / middle if middle > 0 else 1.0)

    def spread(self) -> tuple[float, float]:
        """Return by how much the cost may lie below and above, at 95 %; two processes at least."""
        if not self._own:
            return spread(self.drawn, len(self.opening), self.seconds())
        opening, excess = _spread_of_median(self.opening), _spread_of_median(self.excess)
        return math.hypot(opening[0], excess[0]), math.hypot(opening[1], excess[1])


def _spread_of_median(values: Sequence[float]) -> tuple[float, float]:
    def again(chosen: Sequence[int]) -> float:
        return statistics.median(values[i] for i in chosen)

    return spread(again, len(values), statistics.median(values))


def start(times: Times, workload: str, entry: str) -> Start | None:
    """Return what a fresh process of an entry pays; None when none was measured.

    A process that made one call only cannot tell its excess from the call, so that counts for
    the opening alone.
    """
    backend = times.entries[entry].backend
    mine = [c for c in times.record.cold_starts if c.backend == backend and c.as_found]
    found = (excess(c.calls_s) for c in mine if c.workload == workload)
    known = tuple(seconds for seconds in found if seconds is not None)
    if not known:
        return None
    return Start(tuple(c.import_s + c.context_s for c in mine), known)
