"""One size of a round: set up on every entry that has it, then measured in slots taken in turn."""

from __future__ import annotations

import msgspec

from breakeven.engine import messages, room
from breakeven.engine.clock import now
from breakeven.engine.cold_caches import CACHES, last_cache_bytes
from breakeven.engine.context import Context
from breakeven.engine.graphs import why_no_graph
from breakeven.engine.inputs import CannotMakeError
from breakeven.engine.page_locked import foreseen_bytes, locking_s
from breakeven.engine.references import STEPS
from breakeven.engine.team import Team
from breakeven.engine.tenancy import can_tell, is_shared
from breakeven.engine.turns import Seat, Turns
from breakeven.model.event import CaseSet, SlotDone
from breakeven.model.run import (
    Agreement,
    Clock,
    DeviceTimes,
    Entry,
    GpuConditions,
    Phases,
    Slot,
    Status,
    Work,
)
from breakeven.model.verdict import Scope
from breakeven.stats.classes import WRONG, honest
from breakeven.workloads.jobs import JOBS, JobWorkload
from breakeven.workloads.planned import Planned

NOT_ALL_TRIED = "memory is short for all thread counts together, so the usual ones alone were tried"
UNSEEN = (
    "other processes on the GPU are not named here (the driver names none of ours, as in "
    "containers): only their memory gives them away"
)
UNSEEN_AT_ALL = (
    "other processes on the GPU cannot be seen from here (the driver names none of ours, as in "
    "containers): slots that they disturb count"
)
BLIND = (
    "clocks, power and temperature of the GPU cannot be read, and others on the GPU cannot be "
    "seen, so that slots which either disturbs count"
)
REPLAYED = "the GPU's conditions were played from a recording (BREAKEVEN_REPLAY), not measured"
# Seconds beside the calls themselves: loading a case, a slot's message and wake-up.
SET_UP_S, SLOT_S, WARM_CALLS = 0.06, 0.005, 4
# Pieces that each take as long as one part of the detail may: events and a queue and two copies;
# hot and cold caches, and the copies made for them.
CLOCK_PARTS, CACHE_PARTS = 4, 3
# Copies each way, events and issue times of a GPU entry, timed in the first round.
PARTS_S = 0.14
# Looks at the GPU while a case is set up, beside the one after each slot.
LOOKS = 2
# Copies for cold caches are made in memory that was not touched before.
COPIES_BYTES_PER_S = 1e9
# A step as long as this needs no others beside it in its slot, nor many slots.
LONG_STEP_S, SLOTS_OF_LONG_STEPS = 0.25, 3
# Variants that do once more what another entry does: their parts are known from that one.
REPEATING = ("twin", "planted")


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One size of one workload in a round.

    Attributes
    ----------
    scopes : tuple
        Scopes that GPU entries are measured in; on a CPU nothing travels.
    parts : bool
        Whether the parts of a call are timed as well.
    """

    workload: str
    size: int
    entries: tuple[str, ...]
    scopes: tuple[Scope, ...] = ("resident", "transfer")
    parts: bool = True


def cost_s(context: Context, task: Task, slots: int) -> float:
    """Return the seconds that a task is foreseen to take in one round.

    Calls of sizes not measured yet are foreseen from smaller ones.
    """
    workload = context.workload(task.workload)
    entries = {e.id: e for e in context.sink.record().entries}
    total, slots = 0.0, slots_of(context, task, slots)
    for entry in (entries[name] for name in task.entries):
        on_cpu = entry.device == "cpu"
        call = context.predicted_s(entry.id, workload, task.size)
        seats, look = len(scopes_of(task, entry.device)), 0.0 if on_cpu else context.look_s
        set_up = SET_UP_S + max(context.effort.warm_s, WARM_CALLS * call) + LOOKS * look
        total += set_up + seats * slots * (max(context.effort.slot_s + SLOT_S, call) + look)
        if task.parts and task.workload in JOBS:
            # Its first losses are checked once.
            total += STEPS * call
        elif task.parts:
            total += (0.0 if on_cpu else PARTS_S) + _detail_s(
                context, entry, call, foreseen_bytes(workload, task.size, entry.dtype)
            )
    return total


def scopes_of(task: Task, device: str) -> tuple[Scope, ...]:
    """Return the scopes that an entry is measured in: arrays on a CPU have no way to go.

    A training's batches come from its loader on a CPU too.
    """
    if task.workload in JOBS:
        return ("resident", "transfer")
    return ("resident",) if device == "cpu" else task.scopes


def slots_of(context: Context, task: Task, slots: int) -> int:
    """Return the slots of a task: few where each is a long step of a training."""
    if task.workload not in JOBS:
        return slots
    workload = context.workload(task.workload)
    longest = max(context.predicted_s(e, workload, task.size) for e in task.entries)
    return min(slots, SLOTS_OF_LONG_STEPS) if longest > LONG_STEP_S else slots


def _detail_s(context: Context, entry: Entry, call: float, data_bytes: int) -> float:
    """Return the seconds that the parts of a case beside its slots are foreseen to take."""
    effort, on_cpu = context.effort, entry.device == "cpu"
    if effort.detail_s <= 0 or entry.variant in REPEATING:
        return 0.0
    each = max(effort.detail_s, call)
    clocks = CLOCK_PARTS if entry.id in context.device_clocks else 0
    total = each * clocks + (locking_s(data_bytes) if clocks else 0.0)
    if effort.cold_caches:
        cache = (last_cache_bytes(context.machine.cpu) if on_cpu else None) or 0
        timed = bool(cache) if on_cpu else bool(clocks)
        total += CACHES * cache / COPIES_BYTES_PER_S + (each * CACHE_PARTS if timed else 0.0)
    return total


def remark_on(entry: Entry, agreement: Agreement) -> str | None:
    """Return what an answer's error says of its case; None where there is nothing to say."""
    if not agreement.passed:
        if agreement.class_ == WRONG or honest(agreement.class_, entry.precision):
            return "its answer is further from the reference than rounding is"
        return f"it errs as {agreement.class_} does, though {entry.precision} was asked for"
    if entry.precision == "tf32" and agreement.class_ in {"float32", "float64"}:
        return "it errs no more than float32 does: here TF32 changes little, or did not take"
    return None


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
        gpu = self._team.conditions(entry.id, ready.look, ready.held_bytes, set_up=True)
        self._ready(task, entry, workload, ready)
        if ready.look is not None:
            _tell(context, ready, gpu)
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
        passed = ready.agreement is None or ready.agreement.passed
        context.emit(
            CaseSet(
                workload=task.workload,
                size=task.size,
                entry=entry.id,
                round=self._team.number,
                status="ok" if passed else "disagrees",
                why=_why(workload, entry, ready.agreement),
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


def _why(workload: Planned, entry: Entry, agreement: Agreement | None) -> str | None:
    """Return what an answer says of its case; losses are computed in float32 for every entry."""
    if agreement is None or (isinstance(workload, JobWorkload) and agreement.passed):
        return None
    return remark_on(entry, agreement)


def _work(workload: Planned, size: int, entry: Entry, ready: messages.Ready) -> Work | None:
    """Return the work of one call; None for a job whose operations could not be counted."""
    if isinstance(workload, JobWorkload):
        return workload.work(size, entry.dtype) if workload.counted else None
    return msgspec.structs.replace(
        workload.work(size, entry.dtype),
        to_device_bytes=float(ready.in_bytes),
        to_host_bytes=float(ready.out_bytes),
    )


def _tell(context: Context, ready: messages.Ready, gpu: GpuConditions | None) -> None:
    """Journal what a look at the GPU could not see, or saw of others."""
    look = ready.look
    assert look is not None
    if gpu is not None and gpu.others:
        context.remark(f"{gpu.others} other process(es) used the GPU; slots do not count")
    if look.source == "replay":
        context.remark(REPLAYED)
        return
    if not ready.real:
        return
    if look.why is not None:
        context.remark(f"{BLIND}: {look.why}")
    elif look.unknown:
        context.remark(f"the GPU's driver does not tell here: {', '.join(look.unknown)}")
    if gpu is not None and gpu.others is None:
        context.remark(UNSEEN if can_tell(gpu) else UNSEEN_AT_ALL)
