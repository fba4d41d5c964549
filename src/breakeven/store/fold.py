"""Events folded into the run record that they amount to."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import msgspec

from breakeven.errors import CorruptRunError
from breakeven.model.event import (
    BackendSeen,
    Began,
    CaseSet,
    CeilingsDone,
    ColdDone,
    Ended,
    EntryChosen,
    FloorsDone,
    NaiveDone,
    PortSeen,
    Remark,
    Resumed,
    RoundDone,
    Sensed,
    SlotDone,
    SlotVoided,
    Studied,
    TeamDone,
)
from breakeven.model.run import Floors, Limits, Phases
from breakeven.stats.first_call import excess
from breakeven.store.growing import GrowingCase
from breakeven.store.studies import joined
from breakeven.store.unfold import bare, parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from breakeven.model.event import Event
    from breakeven.model.machine import BackendInfo, Blas, Ceilings, Machine
    from breakeven.model.ported import Ported
    from breakeven.model.run import ColdStart, Entry, NaiveShot, RunRecord
    from breakeven.model.scaling import Team
    from breakeven.model.study import Study

NO_COLD_START = Phases()


def fold(events: Iterable[Event]) -> RunRecord:
    """Return the record that `events` amount to.

    Raises
    ------
    CorruptRunError
        The events do not begin with `Began`, or begin twice.
    """
    whole = Fold()
    for event in events:
        whole.add(event)
    return whole.record()


class Fold:
    """A record that grows event by event; reading it rebuilds only what changed."""

    def __init__(self) -> None:
        self._base: RunRecord | None = None
        self._blas: dict[str, tuple[Blas, ...]] = {}
        self._machine: Machine | None = None
        self._backends: dict[str, BackendInfo] = {}
        self._entries: dict[str, Entry] = {}
        self._floors: dict[str, Floors] = {}
        self._ceilings: dict[str, Ceilings] = {}
        self._cases: dict[tuple[str, int, str], GrowingCase] = {}
        self._cold_starts: list[ColdStart] = []
        self._cold: dict[tuple[str, str], Phases] = {}
        self._naive_shots: list[NaiveShot] = []
        self._studies: dict[tuple[str, int, str], Study] = {}
        self._teams: list[Team] = []
        self._sensed: Sensed | None = None
        self._ported: dict[tuple[str, str, int], Ported] = {}
        self._remarks: dict[str, None] = {}
        self._rounds_planned = 0
        self._end: Ended | None = None
        self._built: RunRecord | None = None
        self._takers: dict[type, Callable[[Any], None]] = {
            Began: self._began,
            Resumed: self._resumed,
            BackendSeen: self._backend_seen,
            EntryChosen: self._entry_chosen,
            CaseSet: self._case_set,
            SlotDone: self._slot_done,
            SlotVoided: self._slot_voided,
            ColdDone: self._cold_done,
            NaiveDone: self._naive_done,
            FloorsDone: self._floors_done,
            CeilingsDone: self._ceilings_done,
            Studied: self._studied,
            TeamDone: self._team_done,
            Sensed: self._sensors_read,
            PortSeen: self._port_seen,
            Remark: self._remark,
            RoundDone: self._round_done,
            Ended: self._ended,
        }

    def add(self, event: Event) -> None:
        """Take one event.

        Raises
        ------
        CorruptRunError
            The first event is not `Began`, or a later one is; nothing changed then.
        """
        if (self._base is None) != isinstance(event, Began):
            began = "began twice" if isinstance(event, Began) else "did not begin"
            raise CorruptRunError(f"the events are not those of one run: it {began}")
        self._takers[type(event)](event)
        self._built = None

    def record(self) -> RunRecord:
        """Return the record so far; without an `Ended` event it is interrupted.

        Raises
        ------
        CorruptRunError
            No event was added yet.
        """
        if self._built is None:
            self._built = self._build()
        return self._built

    @property
    def begun(self) -> bool:
        """Whether an event said that the run began."""
        return self._base is not None

    def _build(self) -> RunRecord:
        if self._base is None or self._machine is None:
            raise CorruptRunError("no event says that the run began")
        return msgspec.structs.replace(
            self._base,
            machine=self._machine,
            finished=self._end.finished if self._end else None,
            interrupted=self._end.interrupted if self._end else True,
            rounds_planned=self._rounds_planned,
            backends=tuple(self._backends.values()),
            entries=tuple(self._entries.values()),
            cases=tuple(case.built(self._cold_of(case)) for case in self._cases.values()),
            cold_starts=tuple(self._cold_starts),
            naive_shots=tuple(self._naive_shots),
            limits=Limits(floors=dict(self._floors), ceilings=tuple(self._ceilings.values())),
            studies=tuple(self._studies.values()),
            teams=tuple(self._teams),
            ported=tuple(self._ported.values()),
            timeline=self._sensed.timeline if self._sensed else (),
            sensing=self._sensed.sensing if self._sensed else None,
            remarks=tuple(self._remarks),
        )

    def _cold_of(self, case: GrowingCase) -> Phases:
        entry = self._entries.get(case.entry)
        if entry is None:
            return NO_COLD_START
        return self._cold.get((entry.backend, case.workload), NO_COLD_START)

    def _began(self, event: Began) -> None:
        self._base = bare(event.record)
        self._machine = event.record.machine
        self._blas = dict(event.record.machine.blas)
        self._rounds_planned = event.record.rounds_planned
        for part in parts(event.record):
            self.add(part)

    def _resumed(self, _event: Resumed) -> None:
        self._end = None
        for case in self._cases.values():
            case.reopen()

    def _backend_seen(self, event: BackendSeen) -> None:
        self._backends[event.info.name] = event.info
        if event.blas and self._machine is not None:
            self._blas[event.info.name] = event.blas
            self._machine = msgspec.structs.replace(self._machine, blas=dict(self._blas))

    def _entry_chosen(self, event: EntryChosen) -> None:
        self._entries[event.entry.id] = event.entry

    def _case(self, event: CaseSet | SlotDone) -> GrowingCase:
        key = (event.workload, event.size, event.entry)
        if key not in self._cases:
            self._cases[key] = GrowingCase(*key)
        return self._cases[key]

    def _case_set(self, event: CaseSet) -> None:
        self._case(event).hear(event)

    def _slot_done(self, event: SlotDone) -> None:
        self._case(event).add(event)

    def _slot_voided(self, event: SlotVoided) -> None:
        case = self._cases.get((event.workload, event.size, event.entry))
        if case is None or not case.void(event):
            # Saying nothing would let a slot count that was found not to.
            self._remark(
                Remark(
                    text=f"a slot to be voided ({event.reason}) is missing: {event.workload} "
                    f"{event.size}, {event.entry}, round {event.round}, {event.scope}, "
                    f"order {event.order}"
                )
            )

    def _cold_done(self, event: ColdDone) -> None:
        start = event.start
        self._cold_starts.append(start)
        if not start.as_found:
            return
        alike = [
            each
            for each in self._cold_starts
            if each.as_found and (each.backend, each.workload) == (start.backend, start.workload)
        ]
        self._cold[start.backend, start.workload] = cold_phases(alike)

    def _naive_done(self, event: NaiveDone) -> None:
        self._naive_shots.append(event.shot)

    def _floors_done(self, event: FloorsDone) -> None:
        known = self._floors.get(event.entry)
        self._floors[event.entry] = lowest(known, event.floors) if known else event.floors

    def _ceilings_done(self, event: CeilingsDone) -> None:
        self._ceilings[event.ceilings.device] = event.ceilings

    def _studied(self, event: Studied) -> None:
        new = event.study
        key = (new.workload, new.size, new.entry)
        self._studies[key] = joined(self._studies[key], new) if key in self._studies else new

    def _team_done(self, event: TeamDone) -> None:
        self._teams.append(event.team)

    def _sensors_read(self, event: Sensed) -> None:
        self._sensed = event

    def _port_seen(self, event: PortSeen) -> None:
        new = event.ported
        self._ported[new.workload, new.entry, new.size] = new

    def _remark(self, event: Remark) -> None:
        self._remarks.setdefault(event.text)

    def _round_done(self, event: RoundDone) -> None:
        self._rounds_planned = event.planned

    def _ended(self, event: Ended) -> None:
        self._end = event


def cold_phases(starts: list[ColdStart]) -> Phases:
    """Return import, context and first-call seconds: medians over fresh processes.

    The first call is what it took beyond the last call of its process, never below 0; a process
    that made one call alone says nothing about it.
    """
    found = (excess(s.calls_s) for s in starts)
    known = [seconds for seconds in found if seconds is not None]
    return Phases(
        import_s=statistics.median(s.import_s for s in starts),
        context_s=statistics.median(s.context_s for s in starts),
        first_call_s=statistics.median(known) if known else None,
    )


def lowest(one: Floors, other: Floors) -> Floors:
    """Return the lower reading of each floor; None is no reading."""
    return Floors(
        empty_call_s=min(one.empty_call_s, other.empty_call_s),
        message_s=min(one.message_s, other.message_s),
        synchronise_s=_lower(one.synchronise_s, other.synchronise_s),
        event_pair_s=_lower(one.event_pair_s, other.event_pair_s),
        empty_kernel_s=_lower(one.empty_kernel_s, other.empty_kernel_s),
    )


def _lower(one: float | None, other: float | None) -> float | None:
    known = [value for value in (one, other) if value is not None]
    return min(known, default=None)
