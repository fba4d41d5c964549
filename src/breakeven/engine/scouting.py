"""The scouting round: what is here, which thread counts are worth measuring, what is the base."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import msgspec

from breakeven import units
from breakeven.backends import registry as backends
from breakeven.engine.clock import now
from breakeven.engine.conditions import is_busy
from breakeven.engine.context import Context
from breakeven.engine.costs import Task, cost_s
from breakeven.engine.forecast import pace
from breakeven.engine.haste import no_scouting
from breakeven.engine.plan import candidates, cpu_alike, of_function, smallest_first, twin_of
from breakeven.engine.rounds import SizeRunner
from breakeven.engine.team import Team
from breakeven.errors import NothingMeasuredError
from breakeven.model.event import BackendSeen, EntryChosen
from breakeven.model.machine import BackendInfo
from breakeven.model.run import Entry, RunRecord
from breakeven.model.settlement import Settlement
from breakeven.workloads.function.target import library_of, parsed

Wait = Callable[[float], None]
LOOK_AROUND_S = 0.5
# A thread count this many times slower than the best at one size is not tried at larger ones.
DOMINATED = 3.0
# From so many rounds on, the best GPU entry is measured twice as well.
GPU_TWIN_ROUNDS = 8
# Of the budget, after which no size but the smallest of each workload is scouted.
SCOUT_SHARE = 0.35
WORST_ENDINGS = frozenset({"crashed", "timeout", "out_of_memory", "unsupported"})


def look_around(context: Context, wait: Wait) -> None:
    """Say so when the machine is busy before anything is measured."""
    begin = context.meter.read()
    if begin is None:
        context.remark("other work on this machine cannot be seen: /proc/stat is missing")
        return
    wait(LOOK_AROUND_S)
    end = context.meter.read()
    if end is None:
        return
    foreign = context.meter.foreign_cores(begin, end)
    if is_busy(foreign, end.wall_s - begin.wall_s):
        used = units.significant(foreign, 2)
        context.remark(f"the machine was busy at the start: other processes used {used} cores")


def find_entries(context: Context) -> tuple[Entry, ...]:
    """Return all entries that may take part; those of an interrupted run stay as they were."""
    known = context.sink.record()
    if known.cases:
        # Entries are told one by one before the first case: only then are they all there.
        return tuple(
            e
            for e in known.entries
            if e.variant == "default" or (e.variant == "precision" and e.device != "cpu")
        )
    found: list[tuple[str, BackendInfo, bool]] = []
    for given in context.spec.backends:
        for name in backends.expand(given):
            backend = backends.get(name)
            # The name of its entries: an actor does not know the path of its script.
            info = msgspec.structs.replace(backend.find(), name=name)
            found.append((name, info, backend.about.pools))
            if name not in {b.name for b in context.sink.record().backends}:
                context.emit(BackendSeen(info=info))
    made = candidates(context.spec, found, context.machine)
    against = None if context.function is None else context.function.against
    library = None if against is None else library_of(parsed(against))
    return (*made, *of_function(context.spec, made, library))


def announce(context: Context, given: Sequence[Entry]) -> tuple[Entry, ...]:
    """Journal entries that the caller chose; return those whose backend can run here.

    Raises
    ------
    NothingMeasuredError
        If none can.
    """
    known = context.sink.record()
    told, seen = {e.id for e in known.entries}, {b.name for b in known.backends}
    infos = {name: backends.get(name).find() for name in dict.fromkeys(e.backend for e in given)}
    for name, info in infos.items():
        if name not in seen:
            context.emit(BackendSeen(info=msgspec.structs.replace(info, name=name)))
    here = tuple(e for e in given if infos[e.backend].available)
    if not here:
        why = "; ".join(f"{name}: {info.why_not}" for name, info in infos.items())
        raise NothingMeasuredError(f"no backend works here ({why})", "breakeven doctor says more")
    for entry in here:
        if entry.id not in told:
            context.emit(EntryChosen(entry=entry))
    return here


def scout(
    context: Context,
    entries: Sequence[Entry],
    before: RunRecord,
    settlement: Callable[[], Settlement],
    lasted: Collection[float] = (),
) -> tuple[Entry, ...]:
    """Try all thread counts on the planned sizes; return the entries that go on.

    Parameters
    ----------
    lasted : collection of float
        Seconds that fresh processes took so far.
    """
    if any(e.variant == "twin" for e in before.entries):
        kept = {"twin", "precision"}
        return tuple(e for e in before.entries if e in entries or e.variant in kept)
    for entry in entries:
        context.emit(EntryChosen(entry=entry))
    if context.effort.scout_slots == 0:
        return (*entries, *_alike(context, entries, None))
    if no_scouting(context, lasted):
        return _usual(context, entries)
    _try_all(context, entries)
    found = settlement()
    bases = [b for w in found.workloads for b in w.bases.values()]
    on_gpu = {e.id for e in entries if e.device != "cpu"}
    if not bases:
        return (*entries, *_alike(context, entries, None))
    repeated = [_most(bases)]
    best_on_gpu = [p.entry for p in found.pairs if p.entry in on_gpu]
    if best_on_gpu and (context.spec.rounds or 0) >= GPU_TWIN_ROUNDS:
        repeated.append(_most(best_on_gpu))
    twins = [twin_of(e) for e in entries if e.id in repeated]
    for twin in twins:
        context.emit(EntryChosen(entry=twin))
    keep = [e for e in entries if e.default or e.device != "cpu" or e.id in bases]
    return (*keep, *_alike(context, entries, _most(bases)), *twins)


def _usual(context: Context, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entries that go on untried: each library as it comes, the first CPU one twice."""
    keep = [e for e in entries if e.default or e.device != "cpu"]
    base = next((e for e in keep if e.device == "cpu"), None)
    twins = [] if base is None else [twin_of(base)]
    for twin in twins:
        context.emit(EntryChosen(entry=twin))
    return (*keep, *_alike(context, entries, None if base is None else base.id), *twins)


def _alike(context: Context, entries: Sequence[Entry], base: str | None) -> tuple[Entry, ...]:
    """Enter the best CPU setting in precisions of GPU variants; say so where there are none."""
    found = cpu_alike(context.spec, entries, base)
    for entry in found:
        context.emit(EntryChosen(entry=entry))
    if context.spec.precisions and not any(e.variant == "precision" for e in entries):
        context.remark(
            f"{', '.join(context.spec.precisions)} were not measured: further precisions are "
            "those of GPU entries, and there are none here"
        )
    return found


def _most(names: Sequence[str]) -> str:
    """Return the name that stands most often; the first of several."""
    return max(dict.fromkeys(names), key=names.count)


def _try_all(context: Context, entries: Sequence[Entry]) -> None:
    """Measure all thread counts at the planned sizes, as far as calls are short."""
    allowed = SCOUT_SHARE * context.spec.budget_s
    team = Team(context, 0, entries)
    by_id = {e.id: e for e in entries}
    begin, done = now(), []
    try:
        team.start()
        context.team_s, begin = now() - begin, now()
        runner = SizeRunner(context, team, lost(context), context.effort.scout_slots)
        for place, name, size in smallest_first(context.spec):
            if place > 0 and context.spec.rounds is None and now() - begin > allowed:
                break
            workload = context.workload(name)
            calls = {e: context.predicted_s(e, workload, size) for e in by_id}
            best = min((c for e, c in calls.items() if by_id[e].device == "cpu"), default=0.0)
            if best > context.effort.scout_call_s:
                continue
            tried = tuple(
                e
                for e in by_id
                if by_id[e].device != "cpu" or by_id[e].default or calls[e] <= DOMINATED * best
            )
            done.append(Task(workload=name, size=size, entries=tried, parts=False))
            runner.measure(done[-1])
    finally:
        team.end()
    foreseen = sum(cost_s(context, task, context.effort.scout_slots) for task in done)
    context.pace = pace(now() - begin - context.making_s, foreseen)


def lost(context: Context) -> set[tuple[str, str, int]]:
    """Return the cases that ended a worker, or cannot run: they are not tried again."""
    record = context.sink.record()
    return {(c.entry, c.workload, c.size) for c in record.cases if c.status in WORST_ENDINGS}


def one_a_backend(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the default entry of each backend, once."""
    chosen: dict[str, Entry] = {}
    for entry in entries:
        if entry.default:
            chosen.setdefault(entry.backend, entry)
    return tuple(chosen.values())
