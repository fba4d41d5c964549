"""Studies of training jobs in the processes of a round: phases, stretches, requests, idle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from breakeven.engine import job_messages as jm
from breakeven.engine import messages
from breakeven.engine.clock import now
from breakeven.engine.context import DEADLINE_TIMES, Context
from breakeven.engine.costs import Task
from breakeven.engine.haste import no_time
from breakeven.engine.recorder import Recorder
from breakeven.engine.team import Team
from breakeven.errors import WorkerError
from breakeven.model.event import Studied
from breakeven.model.run import Entry
from breakeven.model.settlement import Settlement
from breakeven.model.study import Stretch, Study
from breakeven.workloads.jobs import INFER

# Rounds whose processes are studied: enough for an interval, no more than the time is worth.
ROUNDS = 3
# Of what is left when the rounds begin, for all stretches of these rounds together.
STRETCH_SHARE = 0.35
# A meter of power shows a new figure every 20 to 100 ms: ten seconds hold many.
LONGEST_STRETCH_S, SHORTEST_STRETCH_S, PLAIN_STRETCH_S = 12.0, 0.4, 5.0
LONGEST_PHASES_S = 1.5
# A counter that steps every 0.1 s leaves 5 % of two seconds open, where no energy is told.
IDLE_S = 3.0
MOST_REQUESTS = 20_000
# Variants that repeat another entry on purpose.
REPEATING = frozenset({"twin", "planted"})


class Pieces(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of each piece of a study of one entry at one batch size in one round."""

    idle_s: float
    phases_s: float
    stretch_s: float
    requests_s: float


def pieces(left_s: float, cases: int, *, bound: bool, requests: bool) -> Pieces:
    """Return how long each piece of a study may take.

    Parameters
    ----------
    left_s : float
        Seconds left of the budget when the rounds begin.
    cases : int
        Entries that are studied, times batch sizes.
    bound : bool
        Whether the budget bounds the run; a number of rounds does not.
    requests : bool
        Whether single requests are timed as well.
    """
    each = PLAIN_STRETCH_S
    if bound:
        shared = STRETCH_SHARE * left_s / (ROUNDS * max(1, cases))
        each = max(SHORTEST_STRETCH_S, min(LONGEST_STRETCH_S, shared))
    stretch_s = each / 2 if requests else each
    return Pieces(
        idle_s=IDLE_S,
        phases_s=min(LONGEST_PHASES_S, each / 3),
        stretch_s=stretch_s,
        requests_s=each - stretch_s,
    )


class Studies:
    """Asks the workers of the first rounds more than slots tell, once those are taken.

    The job is set up and warm then, and every other worker is idle or frozen. What is measured
    here enters no verdict.

    Parameters
    ----------
    settlement : callable
        What the rounds so far have settled: it names the best CPU entry.
    wait : callable
        Lets seconds pass.
    """

    def __init__(
        self,
        context: Context,
        recorder: Recorder,
        settlement: Callable[[], Settlement],
        wait: Callable[[float], None],
    ) -> None:
        self._context = context
        self._recorder = recorder
        self._settlement = settlement
        self._wait = wait
        self._pieces: Pieces | None = None
        self._failed: Counter[tuple[str, int, str]] = Counter()

    def foreseen_s(self, entries: Sequence[Entry], rounds: int) -> float:
        """Return the seconds that studies add to so many rounds of entries, beside their slots."""
        spec = self._context.spec
        sizes = sum(len(w.sizes) for w in spec.workloads)
        kept = [e for e in entries if e.variant not in REPEATING]
        cases = _cases(kept, sizes)
        plan = pieces(
            self._context.left_s(),
            cases,
            bound=False,
            requests=any(w.name == INFER for w in spec.workloads),
        )
        # Parts are timed in turn with plain steps.
        each = plan.phases_s + plan.stretch_s + plan.requests_s
        return min(rounds, ROUNDS) * (plan.idle_s + cases * each)

    def opened(self, team: Team) -> None:
        """Let all workers be idle for a while, their devices open: what the machine takes then."""
        if team.number < 1 or min(self._had().values(), default=0) >= ROUNDS:
            return
        idle_s = self._planned(team).idle_s
        if no_time(self._context, 2 * idle_s):
            return
        begin = now()
        self._wait(idle_s)
        self._recorder.mark("idle", f"{team.title}: all processes idle", begin, now())

    def sized(self, team: Team, task: Task, entries: Sequence[Entry]) -> None:
        """Study the entries that answers are about, one by one."""
        if team.number < 1:
            return
        had = self._had()
        kept = studied(entries, self._settlement(), task.workload, task.size)
        for entry in kept:
            if no_time(self._context):
                if (task.workload, task.size, entry.id) not in had:
                    self._context.remark(
                        f"{task.workload} {task.size} on {entry.id} was not taken apart: the "
                        "budget was spent; a larger --budget has room"
                    )
                continue
            if team.alive(entry.id) and had.get((task.workload, task.size, entry.id), 0) < ROUNDS:
                self._one(team, task, entry)

    def _had(self) -> dict[tuple[str, int, str], int]:
        """Return in how many processes each case was studied, also in vain."""
        studies = self._context.sink.record().studies
        had = Counter({(s.workload, s.size, s.entry): len(s.phases) for s in studies})
        had.update(self._failed)
        return had

    def _planned(self, team: Team) -> Pieces:
        if self._pieces is None:
            spec = self._context.spec
            kept = [e for e in team.entries.values() if e.variant not in REPEATING]
            self._pieces = pieces(
                self._context.left_s(),
                _cases(kept, sum(len(w.sizes) for w in spec.workloads)),
                bound=spec.rounds is None,
                requests=any(w.name == INFER for w in spec.workloads),
            )
        return self._pieces

    def _one(self, team: Team, task: Task, entry: Entry) -> None:
        plan = self._planned(team)
        study = self._blank(task, entry)
        phased = self._ask(
            team, task, entry, "phase",
            jm.TakePhases(round=team.number, seconds=plan.phases_s), plan.phases_s,
        )  # fmt: skip
        if isinstance(phased, jm.PhasesTaken):
            self._emit(study, phases=(phased.phases,), compile_s=phased.compile_s)
        else:
            self._failed[task.workload, task.size, entry.id] += 1
        if task.workload == INFER:
            request = jm.TimeRequests(
                round=team.number, seconds=plan.requests_s, most=MOST_REQUESTS
            )
            timed = self._ask(team, task, entry, "phase", request, plan.requests_s)
            if isinstance(timed, jm.RequestsTimed):
                self._emit(study, latencies=(timed.latency,))
        run = self._ask(
            team, task, entry, "steps", jm.RunSteps(seconds=plan.stretch_s), plan.stretch_s
        )
        if isinstance(run, jm.StepsRun):
            stretch = Stretch(
                round=team.number,
                begin_s=self._recorder.since_start(run.begin_s),
                end_s=self._recorder.since_start(run.end_s),
                steps=run.steps,
                samples=run.samples,
            )
            self._emit(study, stretches=(stretch,))

    def _blank(self, task: Task, entry: Entry) -> Study:
        return blank_study(self._context, task.workload, task.size, entry.id)

    def _emit(self, study: Study, **parts: object) -> None:
        self._context.emit(Studied(study=msgspec.structs.replace(study, **parts)))

    def _ask(
        self,
        team: Team,
        task: Task,
        entry: Entry,
        kind: str,
        request: jm.JobRequest,
        seconds: float,
    ) -> messages.Reply | None:
        """Ask for one piece, and mark when it was; slots that were taken stand if it fails."""
        context = self._context
        if not team.alive(entry.id):
            return None
        context.tell(f"{team.title}: {task.workload} {task.size}, {entry.id}: {WORDS[kind]}")
        foreseen = context.predicted_s(entry.id, context.workload(task.workload), task.size)
        deadline = context.patience_s + 3 * seconds + DEADLINE_TIMES * foreseen
        begin = now()
        reply = team.ask(entry, request, deadline)
        self._recorder.mark(
            kind,
            f"{entry.id}, batch {task.size}",
            begin,
            now(),
            workload=task.workload,
            size=task.size,
            entry=entry.id,
        )
        match reply:
            case messages.Failed(why=why) | WorkerError(what=why):
                said = f"{WORDS[kind]} of {team.title}: {why}"
                self._emit(self._blank(task, entry), why=said)
                return None
            case _:
                return reply


def _cases(kept: Sequence[Entry], sizes: int) -> int:
    """Return how many cases are studied: one CPU entry and every GPU entry at each size."""
    on_cpu = any(e.device == "cpu" for e in kept)
    return (sum(e.device != "cpu" for e in kept) + on_cpu) * sizes


def blank_study(context: Context, workload: str, size: int, entry: str) -> Study:
    """Return a study that holds no measurement yet, with what is known of its training."""
    known = context.facts.get(workload, {})
    facts = next(iter(known.values()), None)
    if facts is None:
        return Study(workload=workload, size=size, entry=entry)
    steps = facts.train_samples // size
    return Study(
        workload=workload,
        size=size,
        entry=entry,
        steps_per_epoch=steps,
        samples_per_epoch=steps * size,
        parameters=facts.parameters,
    )


WORDS = {
    "phase": "parts of a step",
    "steps": "steps without a pause",
    "trace": "a trace",
    "epochs": "whole epochs",
}


def studied(
    entries: Sequence[Entry], found: Settlement, workload: str, size: int
) -> tuple[Entry, ...]:
    """Return the entries that are studied at a size: the best on the CPU, and all on GPUs."""
    state = next((w for w in found.workloads if w.workload == workload), None)
    base = None if state is None else state.bases.get(size)
    usual = [e for e in entries if e.variant not in REPEATING]
    on_cpu = [e for e in usual if e.device == "cpu"]
    best = [e for e in on_cpu if e.id == base] or [e for e in on_cpu if e.default] or on_cpu
    return (*best[:1], *(e for e in usual if e.device != "cpu"))
