"""Runs a plan: first calls, scouting, then rounds until all is settled or the budget is spent."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Sequence

import msgspec

from breakeven import units
from breakeven.backends import registry as backends
from breakeven.engine.clock import now, stamp
from breakeven.engine.conditions import CpuMeter, is_busy
from breakeven.engine.context import Context, Progress
from breakeven.engine.first_calls import ColdStarts, shoot_naively
from breakeven.engine.inputs import Inputs, scratch_folder
from breakeven.engine.plan import candidates, effort_of, twin_of
from breakeven.engine.processes import crew, deaf_to_interrupts
from breakeven.engine.rounds import SizeRunner, Task, cost_s
from breakeven.engine.search import Search
from breakeven.engine.team import Team
from breakeven.errors import NothingMeasuredError
from breakeven.model.event import BackendSeen, Ended, EntryChosen, RoundDone, Sink
from breakeven.model.machine import BackendInfo
from breakeven.model.run import Entry, RunRecord
from breakeven.model.settlement import Settlement
from breakeven.model.spec import RunSpec
from breakeven.stats.intervals import LOOKS
from breakeven.workloads import registry as workloads

StopRule = Callable[[RunRecord], Settlement]
Wait = Callable[[float], None]
LOOK_AROUND_S = 0.5
LEAST_ROUNDS = LOOKS[0]
# A thread count this many times slower than the best at one size is not tried at larger ones.
DOMINATED = 3.0
# Rounds that do not count are replaced, up to this many times the rounds asked for.
REPLACED = 2
# Share of a round's time that must be left for one of the first three to begin.
ENOUGH_OF_ROUND = 0.5
WORST_ENDINGS = frozenset({"crashed", "timeout", "out_of_memory", "unsupported"})


def measure(
    sink: Sink, stop_rule: StopRule, progress: Progress, *, wait: Wait, patience_s: float = 20.0
) -> None:
    """Measure the run that `sink` has begun, or go on with it; every slot is journalled.

    Parameters
    ----------
    sink : Sink
        Its record holds the spec and the machine, with whatever was measured before.
    stop_rule : callable
        Judges the record so far.
    wait : callable
        Lets seconds pass.

    Raises
    ------
    NothingMeasuredError
        If no backend works here.
    KeyboardInterrupt
        After the journal says that the run was interrupted.
    """
    record = sink.record()
    scratch = scratch_folder()
    interrupted = True
    try:
        with crew() as made:
            cpu = record.machine.cpu
            context = Context(
                spec=record.spec,
                machine=record.machine,
                effort=effort_of(record.spec, gpu=bool(record.machine.gpus)),
                sink=sink,
                crew=made,
                inputs=Inputs(made, scratch, record.spec.dtype, record.spec.seed),
                scratch=scratch,
                meter=CpuMeter(
                    cpu.affinity,
                    spare=max(0.0, len(cpu.affinity) - (cpu.quota_cores or len(cpu.affinity))),
                    own_s=made.cpu_s,
                ),
                progress=progress,
                deadline=now() + record.spec.budget_s,
                patience_s=patience_s,
                rng=random.Random(record.spec.seed),  # noqa: S311  an order, not a secret
            )
            _Session(context, stop_rule, wait).run()
        interrupted = False
    except NothingMeasuredError:
        interrupted = False
        raise
    finally:
        with deaf_to_interrupts():
            sink.append(Ended(finished=stamp(), interrupted=interrupted))
            shutil.rmtree(scratch, ignore_errors=True)


class _Session:
    def __init__(self, context: Context, stop_rule: StopRule, wait: Wait) -> None:
        self._context = context
        self._stop_rule = stop_rule
        self._wait = wait
        self._search = Search(context.spec, context.effort)
        self._left_out: set[tuple[str, int]] = set()
        self._lasted: list[float] = []
        self._grid_task_s = 0.5

    def run(self) -> None:
        """Run what the plan says, less what an interrupted run has done already."""
        context = self._context
        self._look_around()
        entries = self._find_entries()
        before = context.sink.record()
        cold = ColdStarts(context, _one_a_backend(entries))
        cold.run(context.spec.workloads, before.cold_starts)
        entries = tuple(e for e in entries if e.backend not in cold.unavailable)
        if not entries:
            why = "; ".join(f"{b.name}: {b.why_not}" for b in context.sink.record().backends)
            raise NothingMeasuredError(
                f"no backend works here ({why})", "breakeven doctor says more"
            )
        if context.spec.naive:
            # One-shot readings come last, each about as long as a fresh process took above.
            context.deadline -= sum(cold.lasted.values())
        taking_part = self._scout(entries, before)
        self._rounds(taking_part)
        if context.spec.naive:
            done = {s.workload for s in context.sink.record().naive_shots}
            specs = [w for w in context.spec.workloads if w.name not in done]
            shoot_naively(context, _one_a_backend(entries), specs)

    def _look_around(self) -> None:
        """Say so when the machine is busy before anything is measured."""
        begin = self._context.meter.read()
        if begin is None:
            self._context.remark("other work on this machine cannot be seen: /proc/stat is missing")
            return
        self._wait(LOOK_AROUND_S)
        end = self._context.meter.read()
        if end is None:
            return
        foreign = self._context.meter.foreign_cores(begin, end)
        if is_busy(foreign, end.wall_s - begin.wall_s):
            text = f"the machine was busy at the start: other processes used {foreign:.1f} cores"
            self._context.remark(text)

    def _find_entries(self) -> tuple[Entry, ...]:
        context = self._context
        known = context.sink.record()
        if known.cases:
            # Entries are told one by one before the first case: only then are they all there.
            return tuple(e for e in known.entries if e.variant == "default")
        found: list[tuple[str, BackendInfo, bool]] = []
        for given in context.spec.backends:
            for name in backends.expand(given):
                backend = backends.get(name)
                # The name of its entries: an actor does not know the path of its script.
                info = msgspec.structs.replace(backend.find(), name=name)
                found.append((name, info, backend.about.pools))
                if name not in {b.name for b in context.sink.record().backends}:
                    context.emit(BackendSeen(info=info))
        return candidates(context.spec, found, context.machine)

    def _scout(self, entries: Sequence[Entry], before: RunRecord) -> tuple[Entry, ...]:
        """Try all thread counts on the planned sizes; return the entries that go on."""
        context = self._context
        if any(e.variant == "twin" for e in before.entries):
            return tuple(e for e in before.entries if e in entries or e.variant == "twin")
        for entry in entries:
            context.emit(EntryChosen(entry=entry))
        if context.effort.scout_slots == 0:
            return tuple(entries)
        self._scout_tasks(0, entries)
        bases = [b for w in self._settlement().workloads for b in w.bases.values()]
        if not bases:
            return tuple(entries)
        most = max(dict.fromkeys(bases), key=bases.count)
        twin = twin_of(next(e for e in entries if e.id == most))
        context.emit(EntryChosen(entry=twin))
        keep = [e for e in entries if e.default or e.device != "cpu" or e.id in bases]
        return (*keep, twin)

    def _settlement(self) -> Settlement:
        return self._stop_rule(self._context.sink.record())

    def _rounds(self, entries: Sequence[Entry]) -> None:
        context = self._context
        record = context.sink.record()
        seen = [r.round for c in record.cases for r in c.rounds]
        # Of the rounds that were begun before, an interrupted one may not count.
        number, ran = max(seen, default=0) + 1, 0
        resumed = number > 1
        target = record.rounds_planned if resumed else 0
        while True:
            settlement = self._settlement()
            planned, on_grids = self._search.tasks(settlement, entries)
            done = 0 if self._unmeasured() else _rounds_done(settlement, context.spec)
            if done >= context.effort.rounds_most or not (planned or on_grids):
                break
            if ran and context.spec.effort == "quick":
                break
            completing = resumed and done < target and ran < REPLACED * target
            if not completing and not self._worth_another(ran + 1, done):
                break
            used = {e for t in (*planned, *on_grids) for e in t.entries}
            self._run_round(
                number, [e for e in entries if e.id in used], planned, on_grids, done=done
            )
            context.emit(RoundDone(round=number, planned=self._foreseen(done + 1)))
            number, ran = number + 1, ran + 1

    def _unmeasured(self) -> bool:
        """Tell whether a planned size that could be measured was not reached in any round yet."""
        record = self._context.sink.record()
        planned = {(w.name, s) for w in record.spec.workloads for s in w.sizes} - self._left_out
        seen = {
            (c.workload, c.size)
            for c in record.cases
            if c.status != "ok" or any(r.round > 0 for r in c.rounds)
        }
        return not planned <= seen

    def _worth_another(self, number: int, done: int) -> bool:
        """Tell whether the session's round `number` fits the budget, with `done` that count."""
        context = self._context
        if done == 0 and number > LEAST_ROUNDS:
            # Nothing counts on this machine now: more rounds would be void as well.
            return False
        if context.spec.rounds is not None:
            return done < context.spec.rounds and number <= REPLACED * context.spec.rounds
        round_s = max(self._lasted[-2:], default=0.0)
        if number <= LEAST_ROUNDS:
            # Fewer than three rounds settle nothing: the third may end a little late.
            return context.left_s() > ENOUGH_OF_ROUND * round_s
        return number <= LOOKS[-1] and round_s < context.left_s()

    def _foreseen(self, done: int) -> int:
        context = self._context
        if context.spec.rounds is not None:
            return context.spec.rounds
        if context.effort.rounds_most == 1:
            return 1
        round_s = max(self._lasted[-1:], default=1.0)
        more = int(context.left_s() / max(round_s, 1e-3))
        return max(LEAST_ROUNDS, min(context.effort.rounds_most, done + more))

    def _run_round(
        self,
        number: int,
        entries: Sequence[Entry],
        planned: Sequence[Task],
        on_grids: Sequence[Task],
        *,
        done: int = 0,
    ) -> None:
        context, begin = self._context, now()
        least = min(LEAST_ROUNDS, context.effort.rounds_most)
        allotted = begin + context.left_s() / max(1, least - done)
        team = Team(context, number, entries)
        try:
            team.start()
            runner = SizeRunner(context, team, self._lost(), context.effort.slots)
            for task in self._affordable(planned, allotted, first=done == 0):
                runner.measure(task)
            for task in on_grids:
                if context.spec.rounds is None and now() + self._grid_task_s > allotted:
                    break
                started = now()
                runner.measure(task)
                self._grid_task_s = now() - started
        finally:
            team.end()
        self._lasted.append(now() - begin)

    def _affordable(
        self, planned: Sequence[Task], allotted: float, *, first: bool
    ) -> Iterator[Task]:
        """Return the planned sizes that fit the budget, told once; the largest are left out first.

        What the first round measures, later rounds measure too: figures of a size that has fewer
        rounds than the others would settle nothing.
        """
        context, slots = self._context, self._context.effort.slots
        kept = [t for t in planned if (t.workload, t.size) not in self._left_out]
        if context.spec.rounds is not None or not first:
            yield from kept
            return
        if not context.effort.scout_slots:
            yield from self._while_time_lasts(kept, allotted)
            return
        room = (allotted - now()) * context.effort.planned_share
        costs = {(t.workload, t.size): cost_s(context, t, slots) for t in kept}
        while len(kept) > 1 and sum(costs[t.workload, t.size] for t in kept) > room:
            worst = max(kept, key=lambda t: costs[t.workload, t.size])
            kept.remove(worst)
            self._leave_out(worst, costs[worst.workload, worst.size])
        yield from kept

    def _while_time_lasts(self, tasks: Sequence[Task], allotted: float) -> Iterator[Task]:
        """Yield tasks by size, of all workloads in turn, as far as each still fits.

        Without scouting, what a size costs is known only from the smaller ones measured before.
        """
        context = self._context
        place = {(w.name, s): i for w in context.spec.workloads for i, s in enumerate(w.sizes)}
        for task in sorted(tasks, key=lambda t: place[t.workload, t.size]):
            cost = cost_s(context, task, context.effort.slots)
            if now() + cost > allotted:
                self._leave_out(task, cost)
            else:
                yield task

    def _leave_out(self, task: Task, cost: float) -> None:
        self._left_out.add((task.workload, task.size))
        self._context.remark(
            f"{task.workload} {task.size} was left out: one round of it would take about "
            f"{units.seconds(cost)}; a larger --budget has room"
        )

    def _scout_tasks(self, number: int, entries: Sequence[Entry]) -> None:
        """Measure all thread counts at the planned sizes, as far as calls are short."""
        context = self._context
        team = Team(context, number, entries)
        by_id = {e.id: e for e in entries}
        try:
            team.start()
            runner = SizeRunner(context, team, self._lost(), context.effort.scout_slots)
            for spec in context.spec.workloads:
                for size in spec.sizes:
                    workload = workloads.get(spec.name)
                    calls = {e: context.predicted_s(e, workload, size) for e in by_id}
                    best = min(
                        (c for e, c in calls.items() if by_id[e].device == "cpu"), default=0.0
                    )
                    if best > context.effort.scout_call_s:
                        break
                    tried = tuple(
                        e
                        for e in by_id
                        if by_id[e].device != "cpu"
                        or by_id[e].default
                        or calls[e] <= DOMINATED * best
                    )
                    runner.measure(Task(workload=spec.name, size=size, entries=tried, parts=False))
        finally:
            team.end()

    def _lost(self) -> set[tuple[str, str, int]]:
        """Return the cases that ended a worker, or cannot run: they are not tried again."""
        record = self._context.sink.record()
        return {(c.entry, c.workload, c.size) for c in record.cases if c.status in WORST_ENDINGS}


def _one_a_backend(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the default entry of each backend, once."""
    chosen: dict[str, Entry] = {}
    for entry in entries:
        if entry.default:
            chosen.setdefault(entry.backend, entry)
    return tuple(chosen.values())


def _rounds_done(settlement: Settlement, spec: RunSpec) -> int:
    """Return the rounds that count at the planned size, still open, that has fewest."""
    planned = {(w.name, s) for w in spec.workloads for s in w.sizes}
    states = [s for p in settlement.pairs for s in p.sizes if (p.workload, s.size) in planned]
    still_open = [s for s in states if not s.settled]
    # Without a pair to compare, the number of the last round is all there is to count.
    return min((s.rounds for s in still_open or states), default=settlement.rounds)
