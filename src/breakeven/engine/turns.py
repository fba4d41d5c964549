"""Slots taken in turn: each turn measures every case once, in random order."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from breakeven.engine import messages
from breakeven.engine.conditions import WINDOW_S, Reading, is_busy
from breakeven.engine.context import Context
from breakeven.engine.haste import no_time
from breakeven.engine.states import stalled
from breakeven.engine.team import Team
from breakeven.engine.tenancy import void_reason
from breakeven.model.event import SlotDone, SlotVoided
from breakeven.model.run import Conditions, Entry, Slot
from breakeven.model.verdict import Scope

SHORTEST_WINDOW_S = 0.2


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A case that takes a slot in each turn.

    Attributes
    ----------
    gpu_busy : bool
        Whether somebody else was on its GPU when it was set up.
    """

    entry: Entry
    scope: Scope
    steady: bool
    gpu_busy: bool
    clock_steady: bool | None = None
    real: bool = True


class _Taken(msgspec.Struct):
    """A slot as it was journalled."""

    seat: Seat
    order: int
    turn: int
    median_s: float
    voided: bool


class Turns:
    """The turns of one size.

    Parameters
    ----------
    seats : sequence of Seat
        Cases that are set up.
    """

    def __init__(
        self, context: Context, team: Team, workload: str, size: int, seats: Sequence[Seat]
    ) -> None:
        self._context = context
        self._team = team
        self._workload = workload
        self._size = size
        self._seats = list(seats)
        self._taken: list[_Taken] = []
        self._window: Reading | None = None
        self._in_window = 0
        self._was_busy = False
        self._gpu_void = False

    def run(self, slots: int) -> None:
        """Take `slots` turns, then as many more as replace void ones, up to twice as many."""
        for turn in range(2 * slots):
            enough = not self._short_of(slots) or self._hopeless() or no_time(self._context)
            if turn >= slots and enough:
                break
            self._take_turn(turn)
            if turn >= slots - 1:
                self._close_window()
                self._void_stalls()

    def _short_of(self, slots: int) -> bool:
        """Tell whether a case that still lives lacks slots that count."""
        return any(
            sum(1 for t in self._taken if t.seat is seat and not t.voided) < slots
            for seat in self._seats
            if not seat.gpu_busy
        )

    def _hopeless(self) -> bool:
        """Tell whether machine or GPU are so busy that more turns would be void as well."""
        disturbed = self._was_busy or self._gpu_void
        return sum(t.voided for t in self._taken) > len(self._taken) / 2 and disturbed

    def _take_turn(self, turn: int) -> None:
        order = list(self._seats)
        self._context.rng.shuffle(order)
        for seat in order:
            if seat in self._seats:
                self._take_slot(seat, turn)
        self._close_window(at_least_s=WINDOW_S)

    def _take_slot(self, seat: Seat, turn: int) -> None:
        context, entry = self._context, seat.entry
        if self._window is None:
            self._window, self._in_window = context.meter.read(), len(self._taken)
        request = messages.Measure(scope=seat.scope, seconds=context.effort.slot_s)
        reply = self._team.ask_case(
            entry,
            self._workload,
            self._size,
            request,
            context.deadline_s(entry.id, context.workload(self._workload), self._size),
        )
        if not isinstance(reply, messages.Measured):
            # Its worker has ended, or the case has failed: it takes no further slot.
            self._seats = [s for s in self._seats if s.entry.id != entry.id]
            return
        gpu = self._team.conditions(entry.id, reply.look, reply.held_bytes)
        void = void_reason(gpu, shared_before=seat.gpu_busy)
        if entry.device != "cpu":
            self._gpu_void = void is not None
        taken = _Taken(seat, len(self._taken), turn, reply.median_s, voided=void is not None)
        self._taken.append(taken)
        slot = Slot(
            turn=turn,
            order=taken.order,
            median_s=reply.median_s,
            min_s=reply.min_s,
            repeats=reply.repeats,
            voided=void,
            conditions=Conditions(
                foreign_cores=self._foreign(), cores_used=reply.cores_used, gpu=gpu
            ),
        )
        context.emit(
            SlotDone(
                workload=self._workload,
                size=self._size,
                entry=entry.id,
                round=self._team.number,
                scope=seat.scope,
                clock="wall",
                slot=slot,
                steady=seat.steady,
                clock_steady=seat.clock_steady,
            )
        )

    def _foreign(self) -> float | None:
        """Return what others took since the window began, once that is long enough to read."""
        reading = self._context.meter.read()
        if self._window is None or reading is None:
            return None
        if reading.wall_s - self._window.wall_s < SHORTEST_WINDOW_S:
            return None
        return self._context.meter.foreign_cores(self._window, reading)

    def _close_window(self, at_least_s: float = SHORTEST_WINDOW_S) -> None:
        """Void the slots of a window in which others took over a tenth of a core."""
        reading = self._context.meter.read()
        if self._window is None or reading is None:
            return
        wall = reading.wall_s - self._window.wall_s
        if wall < at_least_s:
            return
        foreign = self._context.meter.foreign_cores(self._window, reading)
        self._was_busy = is_busy(foreign, wall)
        if self._was_busy:
            for taken in self._taken[self._in_window :]:
                if taken.seat.real:
                    self._void(taken, "busy")
        self._window = None

    def _void_stalls(self) -> None:
        """Void slots in which two threads shared a core."""
        for seat in self._seats:
            if seat.entry.device != "cpu":
                continue
            own = [t for t in self._taken if t.seat is seat and not t.voided]
            best = min((t.median_s for t in own), default=0.0)
            for taken in own:
                if stalled(taken.median_s, best):
                    self._void(taken, "two_states")

    def _void(self, taken: _Taken, reason: str) -> None:
        if taken.voided:
            return
        taken.voided = True
        self._context.emit(
            SlotVoided(
                workload=self._workload,
                size=self._size,
                entry=taken.seat.entry.id,
                round=self._team.number,
                scope=taken.seat.scope,
                order=taken.order,
                reason=reason,
            )
        )
