"""The workers of one round, an entry each: started together, asked one at a time."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from breakeven.engine import messages
from breakeven.engine.clock import now
from breakeven.engine.context import OPEN_DEADLINE_S, Context
from breakeven.engine.floors import with_message
from breakeven.engine.ported_cases import named
from breakeven.engine.processes import WorkerProcess
from breakeven.engine.tenancy import Tenancy
from breakeven.errors import DeadlineError, WorkerError
from breakeven.model.event import BackendSeen, CaseSet, FloorsDone, PortSeen
from breakeven.model.machine import BackendInfo, Blas
from breakeven.model.run import Entry, GpuConditions, Status
from breakeven.sensors.base import Look

MESSAGES = 20


class Team:
    """One fresh process for each entry of a round.

    Parameters
    ----------
    number : int
        Round; 0 scouts.

    Attributes
    ----------
    lost : set of tuple
        Cases (entry, workload, size) that ended their worker.
    gpu_used_bytes : int or None
        Device memory in use once all workers were open: contexts, the driver's, other tenants'.
    """

    def __init__(self, context: Context, number: int, entries: Sequence[Entry]) -> None:
        self._context = context
        self.number = number
        self.entries = {e.id: e for e in entries}
        self._workers: dict[str, WorkerProcess] = {}
        self._tenancy = Tenancy()
        self.lost: set[tuple[str, str, int]] = set()
        self.gpu_used_bytes: int | None = None

    @property
    def title(self) -> str:
        """What this round is called on screen."""
        return "scouting" if self.number == 0 else f"round {self.number}"

    def alive(self, entry_id: str) -> bool:
        """Tell whether the worker of an entry lives."""
        return entry_id in self._workers

    def gpu_pids(self) -> tuple[int, ...]:
        """Return the ids of our processes on the GPU."""
        return tuple(
            w.pid for e, w in self._workers.items() if self.entries[e].device.startswith("cuda")
        )

    def start(self) -> None:
        """Start all workers, wait until each is open and idle, and measure their floors."""
        self._context.tell(f"{self.title}: starting {len(self.entries)} processes")
        for entry in self.entries.values():
            try:
                self._workers[entry.id] = self._context.start_worker(
                    entry, number=self.number, pinned=True
                )
            except WorkerError as error:
                self._context.remark(f"{entry.id} could not start in {self.title}: {error.what}")
        opened = [e for e in self.entries.values() if self.alive(e.id) and self._open(e)]
        for entry in opened:
            self._measure_floors(entry)
        for entry in opened:
            if entry.device.startswith("cuda") and self.alive(entry.id):
                self._look_at_gpu(entry)
                # The first one opened the driver's library.
                self._context.look_s = self._look_at_gpu(entry) or self._context.look_s

    def _open(self, entry: Entry) -> bool:
        context = self._context
        try:
            reply = self._workers[entry.id].receive(OPEN_DEADLINE_S)
        except WorkerError as error:
            self.drop(entry.id)
            context.remark(f"{entry.id} could not start in {self.title}: {error.what}")
            return False
        if not isinstance(reply, messages.Opened):
            self.drop(entry.id)
            why, fix = type(reply).__name__, None
            if isinstance(reply, messages.Failed):
                why, fix = reply.why, reply.fix
            context.remark(f"{entry.id} could not start in {self.title}: {why}")
            if entry.default and self.number <= 1:
                info = BackendInfo(
                    name=entry.backend, device=entry.device, available=False, why_not=why, fix=fix
                )
                context.emit(BackendSeen(info=info))
            return False
        if reply.device_clock:
            # Of variants and of a run that goes on, no first call has told it.
            context.device_clocks.add(entry.id)
        if entry.default:
            info = BackendInfo(
                name=entry.backend, device=entry.device, available=True, version=reply.version
            )
            context.emit(BackendSeen(info=info, blas=reply.blas))
        others = _other_counts(entry, reply.blas)
        if others:
            context.remark(
                f"{entry.id}: its pools have {others} threads instead of {entry.threads}"
            )
        if reply.remark:
            context.remark(f"{entry.id}: {reply.remark}")
        return True

    def _measure_floors(self, entry: Entry) -> None:
        patience = self._context.patience_s
        reply = self.ask(
            entry, messages.MeasureFloors(detail=self._context.effort.detail_s > 0), patience
        )
        if not isinstance(reply, messages.FloorsAre):
            return
        times = []
        for _ in range(MESSAGES):
            begin = now()
            if not isinstance(self.ask(entry, messages.EndCase(), patience), messages.Done):
                return
            times.append(now() - begin)
        floors = with_message(reply.floors, sorted(times)[len(times) // 2])
        self._context.emit(FloorsDone(entry=entry.id, floors=floors))

    def _look_at_gpu(self, entry: Entry) -> float | None:
        """See what the GPU's memory holds before any case is on it; return the seconds it took."""
        if not self.alive(entry.id):
            return None
        begin = now()
        request = messages.LookAtGpu(gpu=self._context.gpu_uuid(entry), own_pids=self.gpu_pids())
        reply = self.ask(entry, request, self._context.patience_s)
        if not isinstance(reply, messages.Looked):
            return None
        self.conditions(entry.id, reply.look, reply.held_bytes, set_up=True)
        self.gpu_used_bytes = reply.look.memory_used_bytes
        return now() - begin

    def conditions(
        self, entry_id: str, look: Look | None, held_bytes: int | None, *, set_up: bool = False
    ) -> GpuConditions | None:
        """Return how the GPU was at a look, with what of its memory is nobody's of this round.

        Parameters
        ----------
        look : Look or None
            By the worker of the entry; None, or one that read nothing, gives None.
        set_up : bool
            Whether a case was set up since the last look.
        """
        if look is None or look.why is not None:
            return None
        others = self._tenancy.others_bytes(
            entry_id,
            used=look.memory_used_bytes,
            held=held_bytes,
            alive=self._workers.keys(),
            set_up=set_up,
        )
        return msgspec.structs.replace(look.conditions, others_bytes=others)

    def ask(
        self, entry: Entry, request: messages.Request, deadline_s: float
    ) -> messages.Reply | WorkerError:
        """Ask the worker of an entry; an ended or hung worker is an answer too, and is dropped."""
        try:
            return self._workers[entry.id].ask(request, deadline_s)
        except WorkerError as error:
            self.drop(entry.id)
            return error

    def ask_case(
        self, entry: Entry, workload: str, size: int, request: messages.Request, deadline_s: float
    ) -> messages.Reply | None:
        """Ask about a case; a failure becomes the status of the case, and None is returned."""
        reply = self.ask(entry, request, deadline_s)
        match reply:
            case messages.Failed():
                self._fail(entry, workload, size, reply.status, reply.why)
                if reply.ported is not None:
                    ported = named(reply.ported, entry.id, workload, size)
                    self._context.emit(PortSeen(ported=ported))
                if entry.device.startswith("cuda"):
                    # What its allocator took before it failed is ours, and no other tenant's.
                    self._look_at_gpu(entry)
            case DeadlineError():
                self._fail(entry, workload, size, "timeout", reply.what)
            case WorkerError():
                short = "want of memory" in reply.what
                self._fail(
                    entry, workload, size, "out_of_memory" if short else "crashed", reply.what
                )
            case _:
                return reply
        return None

    def _fail(self, entry: Entry, workload: str, size: int, status: Status, why: str) -> None:
        self.lost.add((entry.id, workload, size))
        self._context.emit(
            CaseSet(
                workload=workload,
                size=size,
                entry=entry.id,
                round=self.number,
                status=status,
                why=why,
            )
        )

    def drop(self, entry_id: str) -> None:
        """End the worker of an entry, if it lives."""
        worker = self._workers.pop(entry_id, None)
        if worker is not None:
            self._context.crew.end(worker)

    def end(self) -> None:
        """End all workers."""
        for entry_id in list(self._workers):
            self.drop(entry_id)


def _other_counts(entry: Entry, pools: Sequence[Blas]) -> str:
    """Return the thread counts of pools that did not take what was asked for, if there are any."""
    found = {p.threads for p in pools if p.threads not in {None, entry.threads}}
    return "" if entry.threads is None else ", ".join(str(n) for n in sorted(map(int, found)))
