"""One size of a round: set up on every entry that has it, then measured in slots taken in turn."""

from __future__ import annotations

import msgspec

from breakeven.engine import messages, room
from breakeven.engine.case_remarks import remark_on, tell_look
from breakeven.engine.clock import now
from breakeven.engine.cold_caches import last_cache_bytes
from breakeven.engine.context import Context
from breakeven.engine.costs import REPEATING, Task, scopes_of, slots_of
from breakeven.engine.graphs import why_no_graph
from breakeven.engine.inputs import CannotMakeError
from breakeven.engine.ported_cases import named, why_of
from breakeven.engine.team import Team
from breakeven.engine.tenancy import is_shared
from breakeven.engine.turns import Seat, Turns
from breakeven.model.event import CaseSet, SlotDone
from breakeven.model.run import Clock, DeviceTimes, Entry, Phases, Slot, Status, Work
from breakeven.workloads.function.facts import PlannedFunction
from breakeven.workloads.jobs import JOBS, JobWorkload
from breakeven.workloads.planned import Planned

NOT_ALL_TRIED = "memory is short for all thread counts together, so the usual ones alone were tried"


class SizeRunner:
    """Measures tasks with the workers of one round.

    Parameters
    ----------
    skip : set of tuple
        Cases (entry, workload, size) that ended a worker in an earlier round.
    slots : int
        Slots of a case.
    """

    def __init__(
        self, context: Context, team: Team, skip: set[tuple[str, str, int]], slots: int
    ) -> None:
        self._context = context
        self._team = team
        self._skip = skip
        self._slots = slots

    def measure(self, task: Task) -> None:
        """Set a size up on every entry that has it, measure slots in turn, and let go of it."""
        workload = self._context.workload(task.workload)
        entries = [
            self._team.entries[e]
            for e in task.entries
            if self._team.alive(e) and (e, task.workload, task.size) not in self._skip
        ]
        if not entries or not self._fits(task, workload, entries):
            return
        begin = now()
        made = self._with_inputs(task, workload, entries)
        self._context.making_s += now() - begin
        if not made:
            return
        seats: list[Seat] = []
        for entry, folder in made:
            seats.extend(self._set_up(task, entry, workload, folder))
        self._context.tell(f"{self._team.title}: {task.workload} {task.size}")
        slots = slots_of(self._context, task, self._slots)
        Turns(self._context, self._team, task.workload, task.size, seats).run(slots)
        seated = {seat.entry.id for seat in seats}
        present = [e for e in entries if e.id in seated and self._team.alive(e.id)]
        self._context.aside.sized(self._team, task, present)
        for entry in entries:
            if self._team.alive(entry.id):
                self._team.ask(entry, messages.EndCase(), self._context.patience_s)

    def _with_inputs(
        self, task: Task, workload: Planned, entries: list[Entry]
    ) -> list[tuple[Entry, str]]:
        """Return each entry with the folder of its inputs; nothing is made while one is set up."""
        found = []
        for entry in entries:
            try:
                folder = self._context.inputs.folder_of(workload, task.size, entry.dtype)
            except CannotMakeError as error:
                self._set_all(task, [entry], error.status, str(error))
            else:
                found.append((entry, str(folder)))
        return found

    def _fits(self, task: Task, workload: Planned, entries: list[Entry]) -> bool:
        """Tell whether all live workers together have the memory; say so where they do not."""
        free = self._context.free_memory_bytes()
        locks = task.parts and self._context.effort.detail_s > 0
        short = room.host_shortage(workload, task.size, entries, free, locks=locks)
        if short and self._team.number == 0:
            # Thread counts that are tried side by side live together in this round alone.
            later = [e for e in entries if e.default or e.device != "cpu"]
            if room.host_shortage(workload, task.size, later, free, locks=locks) is None:
                self._context.remark(f"{task.workload} {task.size}: {NOT_ALL_TRIED}")
                entries[:], short = later, None
        if short:
            self._set_all(task, entries, "out_of_memory", short)
            return False
        on_gpu = [e for e in entries if e.device != "cpu"]
        short = room.device_shortage(workload, task.size, on_gpu, self._free_on_gpu())
        if short:
            self._set_all(task, on_gpu, "out_of_memory", short)
            entries[:] = [e for e in entries if e.device == "cpu"]
        return bool(entries)

    def _free_on_gpu(self) -> int | None:
        gpus = self._context.machine.gpus
        total = gpus[0].memory_bytes if gpus else None
        return None if total is None else total - (self._team.gpu_used_bytes or 0)

    def _set_all(self, task: Task, entries: list[Entry], status: Status, why: str) -> None:
        for entry in entries:
            self._context.emit(
                CaseSet(
                    workload=task.workload,
                    size=task.size,
                    entry=entry.id,
                    round=self._team.number,
                    status=status,
                    why=why,
                )
            )

    def _set_up(self, task: Task, entry: Entry, workload: Planned, folder: str) -> list[Seat]:
        context = self._context
        context.tell(f"{self._team.title}: {task.workload} {task.size}, {entry.id} warming up")
        own = self._team.gpu_pids()
        request = messages.SetUp(
            workload=task.workload,
            size=task.size,
            folder=folder,
            precision=entry.precision,
            warm_s=context.effort.warm_s,
            parts=task.parts,
            calls=entry.calls,
            gpu=context.gpu_uuid(entry),
            own_pids=own,
            detail_s=context.effort.detail_s if entry.variant not in REPEATING else 0.0,
            cold_caches=context.effort.cold_caches,
            cache_bytes=last_cache_bytes(context.machine.cpu),
            seed=context.spec.seed,
            check=task.workload not in JOBS or self._unchecked(task, entry),
        )
        deadline = context.deadline_s(entry.id, workload, task.size)
        ready = self._team.ask_case(entry, task.workload, task.size, request, deadline)
        if not isinstance(ready, messages.Ready):
            return []
        if ready.remark is not None:
            context.remark(f"{entry.id}: {ready.remark}")
        gpu = self._team.conditions(entry.id, ready.look, ready.held_bytes, set_up=True)
        if ready.ported is not None:
            kernels = context.kernels.get(entry.id)
            ported = named(ready.ported, entry.id, task.workload, task.size, kernels)
            ready = msgspec.structs.replace(ready, ported=ported)
            context.tell_ported(ported)
        self._ready(task, entry, workload, ready)
        if ready.look is not None:
            tell_look(context, ready, gpu)
        return [
            Seat(
                entry=entry,
                scope=s,
                steady=ready.steady,
                gpu_busy=is_shared(gpu),
                clock_steady=ready.clock_steady,
                real=ready.real,
            )
            for s in scopes_of(task, entry.device)
        ]

    def _unchecked(self, task: Task, entry: Entry) -> bool:
        """Tell whether the losses of a job are still to be checked; scouting leaves that out."""
        if self._team.number == 0:
            return False
        case = (task.workload, task.size, entry.id)
        return not any(
            (c.workload, c.size, c.entry) == case and c.agreement is not None
            for c in self._context.sink.record().cases
        )

    def _ready(self, task: Task, entry: Entry, workload: Planned, ready: messages.Ready) -> None:
        context = self._context
        context.call_s[entry.id, task.workload, task.size] = ready.call_s
        context.emit(
            CaseSet(
                workload=task.workload,
                size=task.size,
                entry=entry.id,
                round=self._team.number,
                status=_status(ready),
                why=_why(workload, entry, ready),
                work=_work(workload, task.size, entry, ready),
                agreement=ready.agreement,
                memory=ready.memory,
                phases=Phases(
                    to_device_s=ready.to_device_s,
                    compute_s=ready.compute_s,
                    to_host_s=ready.to_host_s,
                    to_device_pinned_s=ready.to_device_pinned_s,
                    to_host_pinned_s=ready.to_host_pinned_s,
                    pinned_why=ready.pinned_why,
                ),
                device=self._with_graph(task, entry, ready.device),
                caches=ready.caches,
                losses=ready.losses,
                loss_epochs=ready.loss_epochs,
            )
        )
        self._emit_block(task, entry, "device", ready.device_s, steady=ready.steady)
        self._emit_block(task, entry, "issue", ready.issue_s, steady=ready.steady)

    def _with_graph(
        self, task: Task, entry: Entry, times: DeviceTimes | None
    ) -> DeviceTimes | None:
        """Return the device's times with what was read of the case as a graph before the rounds."""
        if times is None:
            return None
        found = self._context.graphs.get((entry.id, task.workload, task.size))
        if found is None:
            # Never empty without a reason: no process was started for it, or it failed early.
            return msgspec.structs.replace(times, graph_why=why_no_graph(entry))
        return msgspec.structs.replace(times, graph_s=found.seconds, graph_why=found.why)

    def _emit_block(
        self, task: Task, entry: Entry, clock: Clock, seconds: float | None, *, steady: bool
    ) -> None:
        if seconds is None:
            return
        self._context.emit(
            SlotDone(
                workload=task.workload,
                size=task.size,
                entry=entry.id,
                round=self._team.number,
                scope="resident",
                clock=clock,
                slot=Slot(turn=0, order=0, median_s=seconds, min_s=seconds, repeats=1),
                steady=steady,
            )
        )


def _status(ready: messages.Ready) -> Status:
    if ready.agreement is not None and not ready.agreement.passed:
        return "disagrees"
    on_host = ready.ported is not None and ready.ported.reach == "host_part"
    return "ran_on_host" if on_host else "ok"


def _why(workload: Planned, entry: Entry, ready: messages.Ready) -> str | None:
    """Return what an answer says of its case; losses are computed in float32 for every entry."""
    agreement = ready.agreement
    if isinstance(workload, PlannedFunction):
        return why_of(ready.ported, agreement)
    if agreement is None or (isinstance(workload, JobWorkload) and agreement.passed):
        return None
    return remark_on(entry, agreement)


def _work(workload: Planned, size: int, entry: Entry, ready: messages.Ready) -> Work | None:
    """Return the work of one call; None where its operations could not be counted."""
    if isinstance(workload, PlannedFunction):
        return None
    if isinstance(workload, JobWorkload):
        return workload.work(size, entry.dtype) if workload.counted else None
    return msgspec.structs.replace(
        workload.work(size, entry.dtype),
        to_device_bytes=float(ready.in_bytes),
        to_host_bytes=float(ready.out_bytes),
    )
