"""Look-ups into a run record: its cases, its verdicts, the times to display."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import TypeVar

from breakeven import units
from breakeven.model import labels
from breakeven.model.run import Case, Entry, RunRecord
from breakeven.model.verdict import BEST_CPU, Crossover, Reference, Verdict
from breakeven.report import names
from breakeven.report.view import Figure

FLOOR_FACTOR = 10
AT_THE_FLOOR = "at the floor"
NONE = "-"
Found = TypeVar("Found", Verdict, Crossover)


def round_medians(case: Case, scope: str, *, scouting: bool = False) -> list[float]:
    """Return the median of the wall slots that count, seconds, one for each round that has any.

    Round 0 is scouting: it is read alone, when `scouting` asks for it.
    """
    medians = []
    for r in case.rounds:
        if r.scope != scope or r.clock != "wall" or (r.round == 0) != scouting:
            continue
        times = [slot.median_s for slot in r.slots if slot.voided is None]
        if times:
            medians.append(median(times))
    return medians


class Evidence:
    """One record with its cases, verdicts and crossovers at hand."""

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.quick = record.spec.effort == "quick"
        self.entries = {e.id: e for e in record.entries}
        self.labels = labels.labels(record.entries)
        self._cases = {(c.workload, c.size, c.entry): c for c in record.cases}

    def label(self, entry: str) -> str:
        """Return what an entry is called."""
        return self.labels.get(entry, entry)

    def axis(self, workload: str) -> str:
        """Return what the size of a workload is called, as this run stored it."""
        return labels.axis(workload, self.record.spec)

    def on_gpu(self, entry: str) -> bool:
        """Return whether an entry works on a GPU."""
        found = self.entries.get(entry)
        return found is not None and found.device != "cpu"

    def on_gpu_there(self, reference: Reference) -> bool:
        """Return whether a stored run's entry worked on a GPU: data travel to no other device."""
        return any(
            (r.run, r.machine, r.scope) == (reference.run, reference.machine, "transfer")
            for r in self.record.references
        )

    def workloads(self) -> tuple[str, ...]:
        """Return the workloads asked for, then any other that has cases."""
        asked = [w.name for w in self.record.spec.workloads]
        return tuple(dict.fromkeys(asked + [c.workload for c in self.record.cases]))

    def dtype(self, workload: str) -> str:
        """Return the element types that took part in a workload."""
        used = {c.entry for c in self.cases(workload)}
        types = dict.fromkeys(
            e.dtype for e in self.record.entries if e.id in used and e.variant != "precision"
        )
        return ", ".join(types) or self.record.spec.dtype

    def cases(self, workload: str) -> list[Case]:
        """Return the cases of a workload by size, entries in their own order."""
        order = {e.id: i for i, e in enumerate(self.record.entries)}
        mine = [c for c in self.record.cases if c.workload == workload]
        return sorted(mine, key=lambda c: (c.size, order.get(c.entry, len(order))))

    def sizes(self, workload: str) -> list[int]:
        """Return the sizes that have cases, ascending."""
        return sorted({c.size for c in self.record.cases if c.workload == workload})

    def taking_part(self, workload: str, *, gpu: bool | None = None) -> list[Entry]:
        """Return entries with cases of a workload, on one side if asked.

        Twins are left out, and precision variants, which are shown apart.
        """
        used = {c.entry for c in self.record.cases if c.workload == workload}
        return [
            e
            for e in self.record.entries
            if e.id in used
            and e.variant not in {"twin", "precision"}
            and (gpu is None or (e.device != "cpu") == gpu)
        ]

    def verdicts(self, workload: str, **wanted: object) -> list[Verdict]:
        """Return the verdicts of a workload whose named fields have the wanted values.

        Those of precision variants are not among them.
        """
        mine = (v for v in self.record.verdicts if v.workload == workload and v.precision is None)
        return _matching(mine, wanted)

    def variants(self, workload: str) -> list[Entry]:
        """Return the precision variants that have cases of a workload."""
        used = {c.entry for c in self.record.cases if c.workload == workload}
        return [e for e in self.record.entries if e.id in used and e.variant == "precision"]

    def variant_verdicts(self, workload: str, **wanted: object) -> list[Verdict]:
        """Return the verdicts on precision variants, sizes ascending, as `verdicts` does."""
        found = [v for v in self.record.verdicts if v.workload == workload and v.precision]
        return _matching(sorted(found, key=lambda v: v.size), wanted)

    def case(self, workload: str, size: int, entry: str) -> Case | None:
        """Return one case; None where there is none."""
        return self._cases.get((workload, size, entry))

    def crossovers(self, workload: str, **wanted: object) -> list[Crossover]:
        """Return the crossovers of a workload whose named fields have the wanted values."""
        return _matching((c for c in self.record.crossovers if c.workload == workload), wanted)

    def measured(self, workload: str, size: int, entry: str) -> bool:
        """Return whether a case is there and ok."""
        case = self._cases.get((workload, size, entry))
        return case is not None and case.status == "ok"

    def figure(self, workload: str, size: int, entry: str | None, scope: str) -> Figure:
        """Return the time to display: the median of the rounds' medians, or why there is none."""
        case = self._cases.get((workload, size, entry or ""))
        if case is None:
            return Figure(text=NONE, note="not measured at this size")
        if case.status != "ok":
            return Figure(text=names.word(case.status), note=case.why)
        # Data of a CPU entry need not travel: one time stands for both scopes.
        read = scope if self.on_gpu(case.entry) else "resident"
        medians = round_medians(case, read)
        scouting = [] if medians else round_medians(case, read, scouting=True)
        if not medians and not scouting:
            return _absent(case, read)
        return self._shown(case, medians or scouting, rounds=len(medians))

    def _shown(self, case: Case, medians: Sequence[float], *, rounds: int) -> Figure:
        value = median(medians)
        floors = self.record.limits.floors.get(case.entry)
        if floors is not None and value < FLOOR_FACTOR * floors.empty_call_s:
            floor = units.seconds(floors.empty_call_s)
            return Figure(
                text=AT_THE_FLOOR,
                rounds=rounds,
                note=f"under {FLOOR_FACTOR} times the floor of the clock ({floor})",
            )
        indicative = self.quick or rounds == 0
        return Figure(
            text=("~" if indicative else "") + units.seconds(value),
            seconds=value,
            low=min(medians),
            high=max(medians),
            rounds=rounds,
            indicative=indicative,
            note="scouting round only" if rounds == 0 else case.why,
        )

    def numpy_at(self, workload: str, size: int) -> str | None:
        """Return the NumPy entry to show: the stored base, else the library's own threads."""
        for v in self.verdicts(workload, size=size, base_kind="numpy"):
            return v.base
        mine = [e for e in self.taking_part(workload, gpu=False) if e.backend == "numpy"]
        return next((e.id for e in mine if e.default), mine[0].id if mine else None)

    def best_cpu_at(self, workload: str, size: int) -> str | None:
        """Return the best CPU entry as stored; without verdicts, the fastest one shown."""
        for v in self.verdicts(workload, size=size, base_kind=BEST_CPU):
            return v.base
        timed = [
            (figure.seconds, entry.id)
            for entry in self.taking_part(workload, gpu=False)
            if (figure := self.figure(workload, size, entry.id, "resident")).seconds is not None
        ]
        return min(timed)[1] if timed else None


def _matching(items: Iterable[Found], wanted: dict[str, object]) -> list[Found]:
    return [i for i in items if all(getattr(i, key) == value for key, value in wanted.items())]


def _absent(case: Case, scope: str) -> Figure:
    reasons = dict.fromkeys(
        slot.voided
        for r in case.rounds
        if r.scope == scope and r.clock == "wall"
        for slot in r.slots
        if slot.voided is not None
    )
    if reasons:
        return Figure(text="voided", note=f"every slot was voided: {', '.join(reasons)}")
    return Figure(text=NONE, note="no slot was measured")
