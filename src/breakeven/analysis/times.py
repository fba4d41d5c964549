"""Wall times of a run record, ready to be compared round by round."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable

from breakeven.model.labels import labels
from breakeven.model.run import Case, Entry, RunRecord, Slot
from breakeven.model.verdict import Scope

WARM_SCOPES: tuple[Scope, ...] = ("resident", "transfer")

_Key = tuple[str, int, str, Scope, int]


class Times:
    """The wall slots of a record by workload, size, entry, scope and round.

    Slots pair by their turn: a turn counts for an entry when one of its slots was not voided
    (an engine may measure a voided one again within the turn). Entries on the CPU have nothing
    to transfer: their resident slots stand for either scope, unless they were measured in both (a
    training's loader is there on the CPU too). Round 0 is scouting; it chooses the
    base and is not part of any figure. Only a quick run that has nothing else shows it.

    Parameters
    ----------
    record : RunRecord
        As the engine left it.
    """

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.entries: dict[str, Entry] = {e.id: e for e in record.entries}
        self._labels = labels(record.entries)
        self.cases: dict[tuple[str, int, str], Case] = {}
        self._turns: dict[_Key, dict[int, list[Slot]]] = {}
        self._rounds: dict[tuple[str, int, str, Scope], list[int]] = defaultdict(list)
        for case in record.cases:
            self.cases[case.workload, case.size, case.entry] = case
            self._read(case)
        highest = max((r for rounds in self._rounds.values() for r in rounds), default=0)
        self.rounds = highest
        self.first = 0 if record.spec.effort == "quick" and highest == 0 else 1

    def _read(self, case: Case) -> None:
        for round_ in case.rounds:
            if round_.clock != "wall":
                continue
            key = (case.workload, case.size, case.entry, round_.scope, round_.round)
            if key not in self._turns:
                self._turns[key] = defaultdict(list)
                self._rounds[key[:4]].append(round_.round)
            for slot in round_.slots:
                self._turns[key][slot.turn].append(slot)

    def workloads(self) -> tuple[str, ...]:
        """Return the names of the workloads, in the order of the plan."""
        planned = [w.name for w in self.record.spec.workloads]
        return tuple(dict.fromkeys([*planned, *(c.workload for c in self.record.cases)]))

    def sizes(self, workload: str) -> tuple[int, ...]:
        """Return every size that has a case, ascending."""
        return tuple(sorted({size for name, size, _ in self.cases if name == workload}))

    def label(self, entry: str) -> str:
        """Return what an entry is called in a sentence."""
        return self._labels.get(entry, entry)

    def on_cpu(self, entry: str) -> bool:
        """Return whether an entry works on the CPU."""
        return self.entries[entry].device == "cpu"

    def rounds_of(self, workload: str, size: int, entry: str, scope: Scope) -> list[int]:
        """Return the rounds in which an entry was measured, scouting left out."""
        rounds = self._rounds.get(
            (workload, size, entry, self._kept(workload, size, entry, scope)), ()
        )
        return sorted(r for r in rounds if r >= self.first)

    def slots(
        self, workload: str, size: int, entry: str, scope: Scope, rounds: Iterable[int]
    ) -> list[Slot]:
        """Return all slots of some rounds, voided ones too."""
        return [
            slot
            for r in rounds
            for turn in self._turn(workload, size, entry, scope, r).values()
            for slot in turn
        ]

    def sound(
        self, workload: str, size: int, entry: str, scope: Scope, round_: int
    ) -> dict[int, float]:
        """Return seconds by turn of one round; turns without a slot that counts are left out."""
        turns = self._turn(workload, size, entry, scope, round_)
        # A slot in which the clock did not move has measured nothing.
        kept = {
            t: [s.median_s for s in slots if s.voided is None and s.median_s > 0]
            for t, slots in turns.items()
        }
        return {t: statistics.median(v) for t, v in kept.items() if v}

    def lost_turns(
        self, workload: str, size: int, entry: str, scope: Scope
    ) -> tuple[int, int, dict[str, int]]:
        """Return turns lost to voided slots, turns measured, and the lost ones by reason."""
        lost, reasons = 0, defaultdict[str, int](int)
        measured = 0
        for r in self.rounds_of(workload, size, entry, scope):
            for slots in self._turn(workload, size, entry, scope, r).values():
                measured += 1
                if slots and all(s.voided is not None for s in slots):
                    lost += 1
                    reasons[slots[-1].voided or ""] += 1
        return lost, measured, dict(reasons)

    def paired(
        self, workload: str, size: int, scope: Scope, base: str, entry: str
    ) -> dict[int, float]:
        """Return the paired log ratio of each round that counts, by round.

        The value of a round is the median over its turns of ln(base time / entry time); a round
        that lost over half of its turns, or was cut short before half of what rounds have here,
        does not count.
        """
        both = set(self.rounds_of(workload, size, base, scope))
        taken = {
            r: {*self._turn(workload, size, base, scope, r),
                *self._turn(workload, size, entry, scope, r)}
            for r in self.rounds_of(workload, size, entry, scope) if r in both
        }  # fmt: skip
        # An interrupted run leaves a round of a turn or two, which a resumed one does not finish.
        usual = statistics.median(map(len, taken.values())) if taken else 0
        values = {}
        for r, turns in taken.items():
            below = self.sound(workload, size, entry, scope, r)
            above = self.sound(workload, size, base, scope, r)
            logs = [math.log(above[t] / below[t]) for t in above if t in below]
            if logs and 2 * len(logs) >= max(len(turns), usual):
                values[r] = statistics.median(logs)
        return values

    def by_round(self, workload: str, size: int, entry: str, scope: Scope) -> dict[int, float]:
        """Return the median seconds of each round, scouting left out."""
        found = {}
        for r in self.rounds_of(workload, size, entry, scope):
            sound = self.sound(workload, size, entry, scope, r)
            if sound:
                found[r] = statistics.median(sound.values())
        return found

    def median(self, workload: str, size: int, entry: str, scope: Scope) -> float | None:
        """Return the median over rounds of the rounds' median seconds; None when unmeasured."""
        rounds = self.by_round(workload, size, entry, scope)
        return statistics.median(rounds.values()) if rounds else None

    def scouted(
        self, workload: str, size: int, entry: str, *, voided: bool, scope: Scope = "resident"
    ) -> float | None:
        """Return median seconds in the scouting round; None when it was not scouted.

        Parameters
        ----------
        voided : bool
            Whether slots that do not count may be used too.
        """
        turns = self._turn(workload, size, entry, scope, 0).values()
        seconds = [s.median_s for slots in turns for s in slots if voided or s.voided is None]
        seconds = [t for t in seconds if t > 0]
        return statistics.median(seconds) if seconds else None

    def scouted_range(self, workload: str, size: int, entry: str) -> tuple[float, float] | None:
        """Return the shortest and longest scouting slot that counts; None without any."""
        turns = self._turn(workload, size, entry, "resident", 0).values()
        seconds = [s.median_s for slots in turns for s in slots if s.voided is None]
        return (min(seconds), max(seconds)) if seconds and min(seconds) > 0 else None

    def _kept(self, workload: str, size: int, entry: str, scope: Scope) -> Scope:
        measured = (workload, size, entry, scope) in self._rounds
        return scope if measured or not self.on_cpu(entry) else "resident"

    def _turn(
        self, workload: str, size: int, entry: str, scope: Scope, round_: int
    ) -> dict[int, list[Slot]]:
        key = (workload, size, entry, self._kept(workload, size, entry, scope), round_)
        return self._turns.get(key, {})
