"""One size of a round, with the time that it is foreseen to take."""

from __future__ import annotations

import msgspec

from breakeven.engine.cold_caches import CACHES, last_cache_bytes
from breakeven.engine.context import Context
from breakeven.engine.page_locked import foreseen_bytes, locking_s
from breakeven.engine.references import STEPS
from breakeven.engine.timed_slot import PREFETCH, loaded_s
from breakeven.model.run import Entry
from breakeven.model.verdict import Scope
from breakeven.workloads.jobs import JOBS

# Seconds beside the calls themselves: loading a case, a slot's message and wake-up.
SET_UP_S, SLOT_S, WARM_CALLS = 0.06, 0.005, 4
# A model is built and its data are read.
JOB_SET_UP_S = 0.8
# One process of a loader starts, and ends with its job.
LOADER_S = 0.1
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
        building = JOB_SET_UP_S if task.workload in JOBS else SET_UP_S
        set_up = building + max(context.effort.warm_s, WARM_CALLS * call) + LOOKS * look
        total += set_up + seats * slots * (max(context.effort.slot_s + SLOT_S, call) + look)
        total += _loading_s(context, task, call, slots)
        if task.parts and task.workload in JOBS:
            # Its first losses are checked once.
            total += STEPS * call
        elif task.parts:
            total += (0.0 if on_cpu else PARTS_S) + _detail_s(
                context, entry, call, foreseen_bytes(workload, task.size, entry.dtype)
            )
    return total


def _loading_s(context: Context, task: Task, call: float, slots: int) -> float:
    """Return the seconds that processes of a loader add to a job: its slots are longer then.

    What was loaded ahead is used up first, then several turns of the loader are timed. The
    processes start for the first of its steps, and again for the parts of a step.
    """
    training = context.spec.training
    if task.workload not in JOBS or training is None or not training.workers:
        return 0.0
    plain = max(context.effort.slot_s, call)
    timed = max(loaded_s(context.effort.slot_s, call, training.workers), call)
    each = PREFETCH * training.workers * call + timed - plain
    return LOADER_S * training.workers + slots * max(0.0, each)


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
