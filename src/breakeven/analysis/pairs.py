"""Which entries are compared, where, with which base."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from breakeven.analysis.bases import cpu_entries, fastest, numpy_base, repeats
from breakeven.analysis.times import WARM_SCOPES, Times
from breakeven.model.run import Entry
from breakeven.model.verdict import Scope

CONTROLS = frozenset({"same", "planted"})
"""Kinds of base whose truth is known beforehand: nothing is advised from them."""


class Line(NamedTuple):
    """One entry against one kind of base in one scope, over all sizes of a workload."""

    workload: str
    scope: Scope
    base_kind: str
    entry: str


class Pair(NamedTuple):
    """One entry against its base at one size."""

    workload: str
    size: int
    scope: Scope
    base: str
    base_kind: str
    entry: str


class Plan:
    """The comparisons that a record allows.

    Every GPU entry stands against the best CPU entry, then against NumPy; a CPU entry of another
    library against NumPy; a backend entered twice against itself, and a planted difference against
    its base. An entry that was only scouted
    is in none of them: nothing was measured that could be judged.
    """

    def __init__(self, times: Times) -> None:
        self.times = times
        self._repeats = repeats(times.record)
        self._cpus = cpu_entries(times.record)
        self._best: dict[tuple[str, int], str | None] = {}
        self._numpy = {w: numpy_base(times, w) for w in times.workloads()}

    def gpu_entries(self) -> list[Entry]:
        """Return the GPU entries that take part in comparisons."""
        return [e for e in self._contenders() if e.device != "cpu"]

    def best_cpu(self, workload: str, size: int) -> str | None:
        """Return the best CPU entry at a size, as scouted."""
        key = (workload, size)
        if key not in self._best:
            self._best[key] = fastest(self.times, workload, size, self._cpus)
        return self._best[key]

    def numpy(self, workload: str) -> str | None:
        """Return the NumPy entry that others are compared with; None without NumPy."""
        return self._numpy[workload]

    def base(self, line: Line, size: int) -> str | None:
        """Return the base of a line at a size."""
        if line.base_kind == "same":
            return self._repeats[line.entry]
        if line.base_kind == "planted":
            return self.times.entries[line.entry].twin_of
        if line.base_kind == "own":
            return self.times.entries[line.entry].precision_of
        if line.base_kind == "cpu-alike":
            return self._alike(self.times.entries[line.entry])
        if line.base_kind == "numpy":
            return self._numpy[line.workload]
        return self.best_cpu(line.workload, size)

    def lines(self, workload: str) -> Iterator[Line]:
        """Yield the lines of a workload."""
        for e in self._contenders():
            if self._only_scouted(workload, e.id):
                continue
            on_gpu = e.device != "cpu"
            for scope in WARM_SCOPES if on_gpu else WARM_SCOPES[:1]:
                if on_gpu and self._cpus:
                    yield Line(workload, scope, "best-cpu", e.id)
                if self._beside_numpy(e) and self._numpy[workload] is not None:
                    yield Line(workload, scope, "numpy", e.id)
        for identity in self._repeats:
            yield from self._control(workload, "same", identity)
        for e in self.times.record.entries:
            if e.variant == "planted" and e.twin_of in self.times.entries:
                yield from self._control(workload, "planted", e.id)

    @staticmethod
    def _beside_numpy(entry: Entry) -> bool:
        """Tell whether an entry may be compared with NumPy: a function written anew may use it."""
        return entry.backend != "numpy" or entry.variant == "against"

    def _control(self, workload: str, base_kind: str, identity: str) -> Iterator[Line]:
        on_gpu = not self.times.on_cpu(identity)
        for scope in WARM_SCOPES if on_gpu else WARM_SCOPES[:1]:
            yield Line(workload, scope, base_kind, identity)

    def variant_lines(self, workload: str) -> Iterator[Line]:
        """Yield the lines of the precision variants that the run declares.

        A GPU entry stands against the best CPU entry in the run's own precision, and against the
        CPU entry of its own one where that was measured; each variant against its entry in the
        run's precision. They are told apart from all other lines: a gain that is bought with
        precision leads no answer and makes no crossover.
        """
        for e in self.times.record.entries:
            if not self._declared(e) or self._only_scouted(workload, e.id):
                continue
            on_gpu = e.device != "cpu"
            for scope in WARM_SCOPES if on_gpu else WARM_SCOPES[:1]:
                if on_gpu and self._cpus:
                    yield Line(workload, scope, "best-cpu", e.id)
                if on_gpu and self._alike(e) is not None:
                    yield Line(workload, scope, "cpu-alike", e.id)
                if e.precision_of in self.times.entries:
                    yield Line(workload, scope, "own", e.id)

    def _declared(self, entry: Entry) -> bool:
        return entry.variant == "precision" and entry.precision in self.times.record.spec.precisions

    def _alike(self, entry: Entry) -> str | None:
        """Return the CPU variant that computes in the precision of `entry`."""
        found = (
            e.id
            for e in self.times.record.entries
            if e.device == "cpu" and self._declared(e) and e.precision == entry.precision
        )
        return next(found, None)

    def pairs(self, line: Line) -> Iterator[Pair]:
        """Yield the pairs of a line, at each size at which both sides take part."""
        for size in self.times.sizes(line.workload):
            base = self.base(line, size)
            if base is None or base == line.entry:
                continue
            if self._takes_part(line, size, base) and self._takes_part(line, size, line.entry):
                yield Pair(line.workload, size, line.scope, base, line.base_kind, line.entry)

    def _takes_part(self, line: Line, size: int, entry: str) -> bool:
        """Return whether an entry was more than scouted at a size, or failed there.

        Before the first round there is nothing but scouting; then everything takes part.
        """
        case = self.times.cases.get((line.workload, size, entry))
        if case is None or case.status != "ok":
            return case is not None
        measured = self.times.rounds_of(line.workload, size, entry, line.scope)
        return bool(measured) or self.times.rounds < 1

    def _only_scouted(self, workload: str, entry: str) -> bool:
        """Return whether later rounds left an entry out everywhere, though nothing was wrong."""
        if self.times.rounds < 1 or self.times.record.spec.effort == "quick":
            return False
        cases = [c for c in self.times.record.cases if (c.workload, c.entry) == (workload, entry)]
        scopes = WARM_SCOPES if not self.times.on_cpu(entry) else WARM_SCOPES[:1]
        measured = any(
            self.times.rounds_of(workload, c.size, entry, scope) for c in cases for scope in scopes
        )
        return not measured and all(c.status == "ok" for c in cases)

    def main(self, workload: str, scope: Scope) -> Line | None:
        """Return the line that rounds are spent on.

        That is the GPU entry that is quickest at most sizes, against the best CPU entry; without
        a GPU the CPU entry of another library that is, against NumPy; failing these a backend
        entered twice. None in a scope that has none of them.
        """
        by_kind: dict[str, list[str]] = {}
        for line in self.lines(workload):
            if line.scope == scope:
                by_kind.setdefault(line.base_kind, []).append(line.entry)
        for kind in ("best-cpu", "numpy", "same", "planted"):
            if kind in by_kind:
                return Line(workload, scope, kind, self._quickest(workload, scope, by_kind[kind]))
        return None

    def _quickest(self, workload: str, scope: Scope, entries: list[str]) -> str:
        wins: Counter[str] = Counter()
        for size in self.times.sizes(workload):
            found = {e: self._seconds(workload, size, e, scope) for e in entries}
            known = {e: s for e, s in found.items() if s is not None}
            if known:
                wins[min(known, key=lambda e: known[e])] += 1
        return max(entries, key=lambda e: wins[e])

    def _seconds(self, workload: str, size: int, entry: str, scope: Scope) -> float | None:
        case = self.times.cases.get((workload, size, entry))
        if case is None or case.status != "ok":
            return None
        median = self.times.median(workload, size, entry, scope)
        return median or self.times.scouted(workload, size, entry, voided=True, scope=scope)

    def _contenders(self) -> list[Entry]:
        return [
            e
            for e in self.times.record.entries
            if e.variant in {"default", "compiled", "against"} and e.id not in self._repeats
        ]
