"""Runs a plan: first calls, scouting, then rounds until all is settled or the budget is spent."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from breakeven import units
from breakeven.backends.scripted import PREFIX
from breakeven.engine.allotment import Allotment
from breakeven.engine.case_remarks import tell_facts
from breakeven.engine.clock import now, stamp
from breakeven.engine.closing import Closing
from breakeven.engine.conditions import meter_of
from breakeven.engine.context import Context, Progress
from breakeven.engine.costs import Task
from breakeven.engine.first_calls import ColdStarts, shoot_naively
from breakeven.engine.forecast import another_fits, kept, known_calls, rounds_s
from breakeven.engine.function_plan import FunctionPlan
from breakeven.engine.haste import bounded, no_first_calls
from breakeven.engine.inputs import Inputs, scratch_folder
from breakeven.engine.jobs import Jobs, effort_of_jobs, references_of
from breakeven.engine.plan import Effort, effort_of, effort_of_given
from breakeven.engine.processes import Crew, crew, deaf_to_interrupts
from breakeven.engine.recorder import Recorder, recorded
from breakeven.engine.rounds import SizeRunner
from breakeven.engine.scouting import (
    Wait,
    announce,
    find_entries,
    look_around,
    lost,
    one_a_backend,
    scout,
)
from breakeven.engine.search import Search
from breakeven.engine.study import Studies
from breakeven.engine.survey import survey_in_session
from breakeven.engine.team import Team
from breakeven.errors import NothingMeasuredError
from breakeven.model.event import Ended, RoundDone, Sink
from breakeven.model.remarks import ROUNDS_TOOK, RUN_TOOK
from breakeven.model.run import Entry, RunRecord
from breakeven.model.settlement import Settlement
from breakeven.model.spec import RunSpec
from breakeven.stats.intervals import LOOKS

StopRule = Callable[[RunRecord], Settlement]
LEAST_ROUNDS = LOOKS[0]
# Rounds that do not count are replaced, up to this many times the rounds asked for.
REPLACED = 2


def measure(  # noqa: PLR0913  what a session needs from above
    sink: Sink,
    stop_rule: StopRule,
    progress: Progress,
    *,
    wait: Wait,
    patience_s: float = 20.0,
    given: Sequence[Entry] = (),
    effort: Effort | None = None,
    jobs: Jobs | None = None,
    say: Callable[[str], None] = lambda _text: None,
    function: FunctionPlan | None = None,
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
    given : sequence of Entry
        Entries to measure at every planned size, and no others: nothing is scouted then, no
        first call taken apart, no crossover searched. Without any the plan chooses.
    effort : Effort, optional
        In place of the one that the spec asks for.
    jobs : Jobs, optional
        What was found out about the training jobs of the spec.
    say : callable
        Told what the rounds will take, where only scouting could tell.
    function : FunctionPlan, optional
        What was found out about the user's own function.

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
    begin = _begun(jobs, function)
    try:
        trains = record.spec.training is not None
        real = trains and not any(b.startswith(PREFIX) for b in record.spec.backends)
        with crew() as made, recorded(sink, scratch, on=real) as recorder:
            context = Context(
                spec=record.spec,
                machine=record.machine,
                effort=effort or _effort(record, given=bool(given)),
                sink=sink,
                crew=made,
                inputs=_inputs(record, made, scratch, jobs, function),
                scratch=scratch,
                meter=meter_of(record.machine.cpu, lambda: made.cpu_s() + recorder.cpu_s()),
                progress=progress,
                deadline=begin + record.spec.budget_s,
                patience_s=patience_s,
                rng=random.Random(record.spec.seed),  # noqa: S311  an order, not a secret
                say=say,
                facts=jobs.facts if jobs else {},
                training=jobs.training if jobs else None,
                own=function,
            )
            session = _Session(context, stop_rule, wait, given, recorder, jobs)
            session.run()
            budget_s, took_s = record.spec.budget_s, now() - begin - session.apart_s
            if record.spec.rounds is None and not kept(budget_s, took_s):
                context.remark(
                    f"{RUN_TOOK} {units.about(took_s)}, and was announced with at most "
                    f"{units.about(budget_s)}: its first rounds are let finish"
                )
        interrupted = False
    except NothingMeasuredError:
        interrupted = False
        raise
    finally:
        with deaf_to_interrupts():
            sink.append(Ended(finished=stamp(), interrupted=interrupted))
            shutil.rmtree(scratch, ignore_errors=True)


def _inputs(
    record: RunRecord, made: Crew, scratch: Path, jobs: Jobs | None, function: FunctionPlan | None
) -> Inputs:
    """Return where the inputs of cases are made, and who makes them."""
    return Inputs(
        made,
        scratch,
        record.spec.dtype,
        record.spec.seed,
        references_of(record.spec, jobs, record.machine, made, scratch),
        None if function is None else function.function,
    )


def _begun(jobs: Jobs | None, function: FunctionPlan | None) -> float:
    """Return the seconds from which the budget counts: what is asked for is tried first."""
    if function is not None:
        return function.begun_s
    return jobs.begun_s if jobs and jobs.begun_s is not None else now()


def _effort(record: RunRecord, *, given: bool) -> Effort:
    """Return the effort that a run's spec asks for; entries that were given need no search."""
    trains = record.spec.training is not None
    chosen = effort_of_given if given else effort_of_jobs if trains else effort_of
    return chosen(record.spec, gpu=bool(record.machine.gpus))


class _Session:
    def __init__(
        self,
        context: Context,
        stop_rule: StopRule,
        wait: Wait,
        given: Sequence[Entry],
        recorder: Recorder,
        jobs: Jobs | None,
    ) -> None:
        self._given = tuple(given)
        self._context = context
        self._stop_rule = stop_rule
        self._wait = wait
        self._closing: Closing | None = None
        self._studies: Studies | None = None
        if context.spec.training is not None:
            context.aside = self._studies = Studies(context, recorder, self._settlement, wait)
            self._closing = Closing(context, recorder, jobs or Jobs())
        self._search = Search(context.spec, context.effort)
        # What memory is too short for is told by its cases.
        large = context.own.too_large if context.own else ()
        self._allotment = Allotment(context, ((context.spec.workloads[0].name, n) for n in large))
        self._lasted: list[float] = []
        self._grid_task_s = 0.5
        # When rounds were announced last, and the seconds that they were announced with.
        self._told: tuple[float, float] | None = None

    def run(self) -> None:
        """Run what the plan says, less what an interrupted run has done already."""
        context = self._context
        look_around(context, self._wait)
        tell_facts(context)
        if self._given:
            self._rounds(announce(context, self._given))
            return
        entries = find_entries(context)
        before = context.sink.record()
        context.call_s.update(known_calls(before))
        cold = ColdStarts(context, one_a_backend(entries))
        if not no_first_calls(context):
            cold.run(context.spec.workloads, before.cold_starts)
        entries = tuple(e for e in entries if e.backend not in cold.unavailable)
        if not entries:
            why = "; ".join(f"{b.name}: {b.why_not}" for b in context.sink.record().backends)
            raise NothingMeasuredError(
                f"no backend works here ({why})", "breakeven doctor says more"
            )
        if context.spec.naive:
            # One-shot readings come last, each about as long as a fresh process took above.
            context.reserve(sum(cold.lasted.values()))
        if self._closing is not None:
            context.reserve(self._closing.reserve_s(entries, cold.lasted))
        survey_in_session(context, entries)
        context.tell_too_large(entries)
        taking_part = scout(context, entries, before, self._settlement, cold.lasted.values())
        self._foretell(taking_part)
        self._rounds(taking_part)
        if self._told is not None and not kept(self._told[1], now() - self._told[0]):
            took, foreseen = now() - self._told[0], self._told[1]
            context.remark(
                f"{ROUNDS_TOOK} {units.about(took)} and were announced with "
                f"{units.about(foreseen)}: the machine was slower than when it was scouted, or "
                "rounds that did not count were replaced"
            )
        if self._closing is not None:
            self._closing.run(taking_part, self._settlement())
        if context.spec.naive:
            done = {s.workload for s in context.sink.record().naive_shots}
            specs = [w for w in context.spec.workloads if w.name not in done]
            shoot_naively(context, one_a_backend(entries), specs)

    @property
    def apart_s(self) -> float:
        """Seconds that were announced by themselves, beside the budget."""
        return 0.0 if self._closing is None else self._closing.apart_s

    def _settlement(self) -> Settlement:
        return self._stop_rule(self._context.sink.record())

    def _foretell(self, entries: Sequence[Entry]) -> None:
        """Say once what a number of rounds will take; a budget has been announced already."""
        context = self._context
        if context.spec.rounds is None or context.spec.effort == "quick" or not context.team_s:
            return
        tasks = Search(context.spec, context.effort).tasks(self._settlement(), entries)
        foreseen = rounds_s(context, *tasks, context.spec.rounds)
        if self._studies is not None:
            foreseen += self._studies.foreseen_s(entries, context.spec.rounds)
        self._promise("Scouted", context.spec.rounds, foreseen)

    def _promise(self, after: str, rounds: int, foreseen: float) -> None:
        context = self._context
        count = "1 round takes" if rounds == 1 else f"{rounds} rounds take"
        context.say(f"{after}: {count} about {units.about(foreseen)} from here.")
        # No budget holds a number of rounds: what is left is what was foreseen.
        context.deadline = max(context.deadline, now() + foreseen)
        self._told = (now(), foreseen)

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
            left = (context.spec.rounds or 0) - done
            if resumed and ran == 1 and left > 0:
                # Scouting is not repeated: the first round since tells what the rest will take.
                self._promise("Resumed", left, left * self._lasted[-1])
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
        planned = {
            (w.name, s) for w in record.spec.workloads for s in w.sizes
        } - self._allotment.left_out
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
            # A training that is late already is not made later still.
            late = number > 1 and bounded(context.spec)
            left_s = context.deadline - now() if late else context.left_s()
            return another_fits(left_s, round_s, context.spec.budget_s)
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
            context.aside.opened(team)
            runner = SizeRunner(context, team, lost(context), context.effort.slots)
            for task in self._allotment.affordable(planned, allotted, first=done == 0):
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


def _rounds_done(settlement: Settlement, spec: RunSpec) -> int:
    """Return the rounds that count at the planned size, still open, that has fewest."""
    planned = {(w.name, s) for w in spec.workloads for s in w.sizes}
    states = [s for p in settlement.pairs for s in p.sizes if (p.workload, s.size) in planned]
    still_open = [s for s in states if not s.settled]
    # Without a pair to compare, the number of the last round is all there is to count.
    return min((s.rounds for s in still_open or states), default=settlement.rounds)
