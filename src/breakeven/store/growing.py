"""One case while its events come in."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from breakeven.model.run import CacheTimes, Case, DeviceTimes, Memory, Phases, Round

if TYPE_CHECKING:
    from breakeven.model.event import CaseSet, SlotDone, SlotVoided
    from breakeven.model.run import Agreement, Clock, Slot, Status, Work
    from breakeven.model.verdict import Scope

Readings = TypeVar("Readings", Phases, Memory, DeviceTimes, CacheTimes)


def overlaid(under: Readings, over: Readings) -> Readings:
    """Return `under` with every field replaced that `over` knows; None is no reading."""
    known = {
        name: value for name, value in msgspec.structs.asdict(over).items() if value is not None
    }
    return msgspec.structs.replace(under, **known) if known else under


class GrowingRound:
    """Slots of one round, scope and clock, made into a `Round` again only after a change."""

    def __init__(self, number: int, scope: Scope, clock: Clock) -> None:
        self.number = number
        self.scope = scope
        self.clock = clock
        self._slots: list[Slot] = []
        self._steady = True
        self._clock_steady: bool | None = None
        self._built: Round | None = None

    def add(self, slot: Slot, *, steady: bool, clock_steady: bool | None) -> None:
        """Take one slot; a round with one unsteady slot is not steady."""
        self._slots.append(slot)
        self._steady = self._steady and steady
        if clock_steady is not None:
            self._clock_steady = clock_steady and self._clock_steady is not False
        self._built = None

    def void(self, order: int, reason: str) -> bool:
        """Void the newest slot at `order`; return whether there is one.

        The first reason stands: a slot voided twice was already out for the first.
        """
        for place in reversed(range(len(self._slots))):
            slot = self._slots[place]
            if slot.order == order:
                if slot.voided is None:
                    self._slots[place] = msgspec.structs.replace(slot, voided=reason)
                    self._built = None
                return True
        return False

    def built(self) -> Round:
        """Return the round so far."""
        if self._built is None:
            self._built = Round(
                round=self.number,
                scope=self.scope,
                clock=self.clock,
                slots=tuple(self._slots),
                steady=self._steady,
                clock_steady=self._clock_steady,
            )
        return self._built


class GrowingCase:
    """What the events said about one case so far.

    A case starts as ``ok`` with nothing known: a slot may come before any word about its case.
    """

    def __init__(self, workload: str, size: int, entry: str) -> None:
        self.workload = workload
        self.size = size
        self.entry = entry
        self._status: Status = "ok"
        self._why: str | None = None
        self._open_to_change = False
        self._work: Work | None = None
        self._agreement: Agreement | None = None
        self._memory: Memory | None = None
        self._phases = Phases()
        self._device: DeviceTimes | None = None
        self._caches: CacheTimes | None = None
        self._losses: tuple[float, ...] = ()
        self._loss_epochs: tuple[int, ...] = ()
        self._rounds: dict[tuple[int, Scope, Clock], GrowingRound] = {}
        self._built: tuple[Phases, Case] | None = None

    def hear(self, event: CaseSet) -> None:
        """Take a word about the case; what it leaves out stays as it was."""
        self._built = None
        self._hear_status(event)
        self._work = event.work or self._work
        if event.agreement is not None and (self._agreement is None or self._agreement.passed):
            self._agreement = event.agreement
        if event.memory is not None:
            self._memory = overlaid(self._memory or Memory(), event.memory)
        if event.phases is not None:
            self._phases = overlaid(self._phases, event.phases)
        if event.device is not None:
            self._device = overlaid(self._device or DeviceTimes(), event.device)
        if event.caches is not None:
            self._caches = overlaid(self._caches or CacheTimes(), event.caches)
        self._losses = event.losses or self._losses
        self._loss_epochs = event.loss_epochs or self._loss_epochs

    def _hear_status(self, event: CaseSet) -> None:
        settled = self._status != "ok" and not self._open_to_change
        if settled:
            return
        if event.status != self._status:
            # A reason belongs to its status: the remark of an ok case does not explain a crash.
            self._status, self._why = event.status, event.why
        elif event.why is not None:
            self._why = event.why
        self._open_to_change = False

    def reopen(self) -> None:
        """Let the next word replace ``interrupted``: the run goes on."""
        self._open_to_change = self._status == "interrupted"

    def add(self, event: SlotDone) -> None:
        """Take one measured slot."""
        key = (event.round, event.scope, event.clock)
        if key not in self._rounds:
            self._rounds[key] = GrowingRound(*key)
        self._rounds[key].add(event.slot, steady=event.steady, clock_steady=event.clock_steady)
        self._built = None

    def void(self, event: SlotVoided) -> bool:
        """Void one wall slot; return whether it is there."""
        group = self._rounds.get((event.round, event.scope, "wall"))
        found = group is not None and group.void(event.order, event.reason)
        self._built = None if found else self._built
        return found

    def built(self, cold: Phases) -> Case:
        """Return the case so far, with the phases that fresh processes showed laid over its own."""
        if self._built is None or self._built[0] is not cold:
            case = Case(
                workload=self.workload,
                size=self.size,
                entry=self.entry,
                status=self._status,
                why=self._why,
                work=self._work,
                agreement=self._agreement,
                memory=self._memory,
                phases=overlaid(self._phases, cold),
                device=self._device,
                caches=self._caches,
                rounds=tuple(group.built() for group in self._rounds.values()),
                losses=self._losses,
                loss_epochs=self._loss_epochs,
            )
            self._built = (cold, case)
        return self._built[1]
