"""What the engine says while it measures: the lines of a journal, folded into a run record."""

from __future__ import annotations

from typing import Protocol

import msgspec

from breakeven.model.machine import BackendInfo, Blas, Ceilings
from breakeven.model.ported import Ported
from breakeven.model.run import (
    Agreement,
    CacheTimes,
    Clock,
    ColdStart,
    DeviceTimes,
    Entry,
    Floors,
    Memory,
    NaiveShot,
    Phases,
    RunRecord,
    Slot,
    Status,
    Work,
)
from breakeven.model.scaling import Team
from breakeven.model.sensing import Sensing
from breakeven.model.study import Study
from breakeven.model.timeline import Series
from breakeven.model.verdict import Scope


class Began(msgspec.Struct, frozen=True, kw_only=True, tag="began"):
    """The run began; the record holds id, command, spec, machine and no cases yet."""

    record: RunRecord


class Resumed(msgspec.Struct, frozen=True, kw_only=True, tag="resumed"):
    """An interrupted run goes on in a new coordinator: `finished` and `interrupted` are void."""

    at: str


class BackendSeen(msgspec.Struct, frozen=True, kw_only=True, tag="backend"):
    """A backend was found, or not; the last word about a name counts.

    Attributes
    ----------
    blas : tuple of Blas
        Thread pools read in a worker after import; empty before that.
    """

    info: BackendInfo
    blas: tuple[Blas, ...] = ()


class EntryChosen(msgspec.Struct, frozen=True, kw_only=True, tag="entry"):
    """An entry takes part."""

    entry: Entry


class CaseSet(msgspec.Struct, frozen=True, kw_only=True, tag="case"):
    """A case was set up in a round, or could not be.

    Fields that are None (or empty) leave what earlier rounds said. A status other than ``ok``
    stays; an ``ok`` does not overrule it. Of phases and memory the last reading stands.
    """

    workload: str
    size: int
    entry: str
    round: int
    status: Status
    why: str | None = None
    work: Work | None = None
    agreement: Agreement | None = None
    memory: Memory | None = None
    phases: Phases | None = None
    device: DeviceTimes | None = None
    caches: CacheTimes | None = None
    losses: tuple[float, ...] = ()
    loss_epochs: tuple[int, ...] = ()


class SlotDone(msgspec.Struct, frozen=True, kw_only=True, tag="slot"):
    """One slot was measured."""

    workload: str
    size: int
    entry: str
    round: int
    scope: Scope
    clock: Clock
    slot: Slot
    steady: bool = True
    clock_steady: bool | None = None


class SlotVoided(msgspec.Struct, frozen=True, kw_only=True, tag="void"):
    """A slot written earlier turned out not to count (same round, scope and order, wall clock)."""

    workload: str
    size: int
    entry: str
    round: int
    scope: Scope
    order: int
    reason: str


class ColdDone(msgspec.Struct, frozen=True, kw_only=True, tag="cold"):
    """First calls were measured in a fresh process."""

    start: ColdStart


class NaiveDone(msgspec.Struct, frozen=True, kw_only=True, tag="naive"):
    """A one-shot reading was taken."""

    shot: NaiveShot


class FloorsDone(msgspec.Struct, frozen=True, kw_only=True, tag="floors"):
    """Floors were measured for an entry; the lowest of several readings stands, field by field."""

    entry: str
    floors: Floors


class CeilingsDone(msgspec.Struct, frozen=True, kw_only=True, tag="ceilings"):
    """Ceilings of a device were measured; the last word about a device counts."""

    ceilings: Ceilings


class Studied(msgspec.Struct, frozen=True, kw_only=True, tag="studied"):
    """More of a study was measured: what is new joins what earlier events said of that case."""

    study: Study


class TeamDone(msgspec.Struct, frozen=True, kw_only=True, tag="team"):
    """A stretch of steps on several processes was measured."""

    team: Team


class Sensed(msgspec.Struct, frozen=True, kw_only=True, tag="sensed"):
    """Sensors were read: the last word counts, as a recording is handed over whole."""

    timeline: tuple[Series, ...]
    sensing: Sensing


class PortSeen(msgspec.Struct, frozen=True, kw_only=True, tag="ported"):
    """How far a function got on an entry at a size; the last word about the three counts."""

    ported: Ported


class Remark(msgspec.Struct, frozen=True, kw_only=True, tag="remark"):
    """Something was seen that weakens the record; said once each."""

    text: str


class RoundDone(msgspec.Struct, frozen=True, kw_only=True, tag="round"):
    """A round is complete; `planned` is how many the plan foresees now."""

    round: int
    planned: int


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """The run ended, by its plan or interrupted."""

    finished: str
    interrupted: bool = False


Event = (
    Began
    | Resumed
    | BackendSeen
    | EntryChosen
    | CaseSet
    | SlotDone
    | SlotVoided
    | ColdDone
    | NaiveDone
    | FloorsDone
    | CeilingsDone
    | Studied
    | TeamDone
    | Sensed
    | PortSeen
    | Remark
    | RoundDone
    | Ended
)


class Sink(Protocol):
    """Where the engine's events go, and where the record so far is read."""

    def append(self, event: Event) -> None:
        """Keep one event; it is safe against a killed coordinator once this returns."""
        ...

    def record(self) -> RunRecord:
        """Return everything kept so far as one record."""
        ...
