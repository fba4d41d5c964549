"""What comes when the rounds of a training are done: traces, whole trainings, several processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from breakeven import units
from breakeven.engine import job_messages as jm
from breakeven.engine import messages
from breakeven.engine.clock import now
from breakeven.engine.context import DEADLINE_TIMES, OPEN_DEADLINE_S, Context
from breakeven.engine.haste import bounded
from breakeven.engine.jobs import Jobs
from breakeven.engine.processes import WorkerProcess
from breakeven.engine.recorder import Recorder
from breakeven.engine.study import WORDS, blank_study, studied
from breakeven.engine.teams import Teams
from breakeven.errors import WorkerError
from breakeven.model.event import Studied
from breakeven.model.run import Entry
from breakeven.model.settlement import Settlement
from breakeven.model.study import Epoch, Study, Training
from breakeven.model.trace import TraceSummary
from breakeven.workloads.jobs import TRAIN

# Steps in a trace: enough for a steady one, few enough for a file that opens.
TRACED_STEPS, LEAST_TRACED_STEPS, LONG_STEP_S = 8, 3, 0.5
# Seconds of the trace of one size beside its steps: set up, start the profiler, write, read.
TRACE_S, START_S, MOST_SHARE, TRACE_DEADLINE_S = 4.0, 4.0, 0.3, 120.0
# A trace may end late by this share of the budget, within what an announcement allows.
LATE_SHARE = 0.1
# No round has this number: the processes of traces and whole trainings are none of a round.
NUMBER = -2000
# Evaluation beside training steps: a quarter of the images, forwards alone.
EVALUATION = 0.1

Each = Callable[[WorkerProcess, Entry, str, int], None]


class Closing:
    """Traces the steps of every entry that is studied; trains it to the end where that is asked.

    Parameters
    ----------
    jobs : Jobs
        Says where traces are kept.

    Attributes
    ----------
    apart_s : float
        Seconds that no budget bounds, and that were announced by themselves.
    """

    def __init__(self, context: Context, recorder: Recorder, jobs: Jobs) -> None:
        self._context = context
        self._recorder = recorder
        self._jobs = jobs
        self._reserved_s = 0.0
        self.apart_s = 0.0

    def reserve_s(self, entries: Sequence[Entry], lasted: Mapping[tuple[str, str], float]) -> float:
        """Return the seconds to keep for the traces: about what their processes take.

        Parameters
        ----------
        lasted : mapping
            Seconds that a fresh process took so far, by backend and workload.
        """
        spec = self._context.spec
        if spec.effort == "quick":
            return 0.0
        backends = {e.backend for e in entries if e.default}
        sizes = sum(len(w.sizes) for w in spec.workloads)
        start_s = sum(
            max((s for (b, _), s in lasted.items() if b == backend), default=START_S)
            for backend in backends
        )
        wanted = start_s + len(backends) * sizes * TRACE_S
        self._reserved_s = min(wanted, MOST_SHARE * spec.budget_s)
        if bounded(spec):
            # Of little that is left the rounds need more than traces do.
            self._reserved_s = min(self._reserved_s, MOST_SHARE * self._context.left_s())
        return self._reserved_s

    def run(self, entries: Sequence[Entry], found: Settlement) -> None:
        """Trace, then train: each entry in one fresh process for all of its batch sizes."""
        context = self._context
        context.reserve(-self._reserved_s)
        training = context.spec.training
        if context.spec.effort == "quick" or training is None:
            return
        plan = self._plan(entries, found)
        for entry, cases in plan.items():
            self._in_process(entry, cases, self._trace)
        begin = now()
        if training.all_epochs:
            plan = {e: [c for c in cases if c[0] == TRAIN] for e, cases in plan.items()}
            self._announce(plan, training.epochs)
            for entry, cases in plan.items():
                self._in_process(entry, cases, self._train)
        Teams(context, self._recorder).run(tuple(entries))
        self.apart_s = now() - begin

    def _plan(
        self, entries: Sequence[Entry], found: Settlement
    ) -> dict[Entry, list[tuple[str, int]]]:
        """Return the cases of each entry that were measured, and are studied."""
        record = self._context.sink.record()
        # A size that was scouted and then left out is none that was measured.
        ok = {
            (c.entry, c.workload, c.size)
            for c in record.cases
            if c.status == "ok" and any(r.round > 0 for r in c.rounds)
        }
        plan: dict[Entry, list[tuple[str, int]]] = {}
        for workload in record.spec.workloads:
            for size in workload.sizes:
                here = [e for e in entries if (e.id, workload.name, size) in ok]
                for entry in studied(here, found, workload.name, size):
                    plan.setdefault(entry, []).append((workload.name, size))
        return plan

    def _in_process(self, entry: Entry, cases: Sequence[tuple[str, int]], each: Each) -> None:
        """Do `each` for all cases in one process, or say why that could not be."""
        context = self._context
        if not cases:
            return
        worker: WorkerProcess | None = None
        try:
            worker = context.start_worker(entry, number=NUMBER, pinned=True)
            opened = worker.receive(OPEN_DEADLINE_S)
            if isinstance(opened, messages.Failed):
                context.remark(f"{entry.id} was not studied to the end: {opened.why}")
                return
            for workload, size in cases:
                each(worker, entry, workload, size)
        except WorkerError as error:
            context.remark(f"{entry.id} was not studied to the end: {error.what}")
        finally:
            if worker is not None:
                context.crew.end(worker)

    def _trace(self, worker: WorkerProcess, entry: Entry, workload: str, size: int) -> None:
        context = self._context
        known = {(s.workload, s.size, s.entry): s for s in context.sink.record().studies}
        study = known.get((workload, size, entry.id))
        step_s = context.predicted_s(entry.id, context.workload(workload), size)
        if (study and study.trace) or not self._fits(step_s):
            if study is None or study.trace is None:
                context.remark(
                    f"{workload} {size} on {entry.id} was not traced: the budget was spent; "
                    "a larger --budget has room"
                )
            return
        context.tell(f"{workload} {size}, {entry.id}: {WORDS['trace']}")
        deadline = context.building_s() + TRACE_DEADLINE_S + DEADLINE_TIMES * step_s
        ready = worker.ask(self._set_up(entry, workload, size), deadline)
        if isinstance(ready, messages.Failed):
            self._emit_trace(workload, size, entry, TraceSummary(why=ready.why))
            return
        folder = self._jobs.traces or context.scratch
        steps = LEAST_TRACED_STEPS if step_s > LONG_STEP_S else TRACED_STEPS
        begin = now()
        reply = worker.ask(
            jm.TraceSteps(steps=steps, folder=str(folder), name=f"{workload}-{size}-{entry.id}"),
            deadline,
        )
        self._mark("trace", begin, workload, size, entry)
        if isinstance(reply, jm.StepsTraced):
            kept = reply.summary.file if self._jobs.traces is not None else None
            self._emit_trace(
                workload, size, entry, msgspec.structs.replace(reply.summary, file=kept)
            )
        elif isinstance(reply, messages.Failed):
            self._emit_trace(workload, size, entry, TraceSummary(why=reply.why))

    def _fits(self, step_s: float) -> bool:
        """Tell whether a trace still fits the budget; a number of rounds bounds nothing."""
        context = self._context
        if context.spec.rounds is not None:
            return True
        return context.left_s() + LATE_SHARE * context.spec.budget_s > TRACE_S + 60 * step_s

    def _set_up(self, entry: Entry, workload: str, size: int) -> messages.SetUp:
        return messages.SetUp(
            workload=workload,
            size=size,
            folder="",
            precision=entry.precision,
            warm_s=self._context.effort.warm_s,
            parts=False,
            gpu=self._context.gpu_uuid(entry),
            seed=self._context.spec.seed,
            check=False,
        )

    def _emit_trace(self, workload: str, size: int, entry: Entry, trace: TraceSummary) -> None:
        self._emit(blank_study(self._context, workload, size, entry.id), trace=trace)

    def _emit(self, study: Study, **parts: object) -> None:
        self._context.emit(Studied(study=msgspec.structs.replace(study, **parts)))

    def _mark(self, kind: str, begin: float, workload: str, size: int, entry: Entry) -> None:
        self._recorder.mark(
            kind,
            f"{entry.id}, batch {size}",
            begin,
            now(),
            workload=workload,
            size=size,
            entry=entry.id,
        )

    def _announce(self, plan: Mapping[Entry, Sequence[tuple[str, int]]], epochs: int) -> None:
        """Say what the whole trainings take, as far as steps tell; no budget bounds them."""
        context, seconds = self._context, 0.0
        for entry, cases in plan.items():
            for workload, size in cases:
                steps = blank_study(context, workload, size, entry.id).steps_per_epoch or 0
                step_s = context.predicted_s(entry.id, context.workload(workload), size)
                seconds += START_S + epochs * steps * step_s * (1 + EVALUATION)
        context.say(f"Training to the end: about {units.about(seconds)} from here.")
        context.deadline = max(context.deadline, now() + seconds)

    def _train(self, worker: WorkerProcess, entry: Entry, workload: str, size: int) -> None:
        """Run all epochs; those that were run are kept whatever ends the rest."""
        context = self._context
        training = context.spec.training
        assert training is not None
        done = context.sink.record().studies
        if any(
            (s.workload, s.size, s.entry) == (workload, size, entry.id)
            and any(len(t.epochs) >= training.epochs for t in s.trainings)
            for s in done
        ):
            return
        study = blank_study(context, workload, size, entry.id)
        step_s = context.predicted_s(entry.id, context.workload(workload), size)
        foreseen = step_s * (study.steps_per_epoch or 1)
        epochs: list[Epoch] = []
        wrong: tuple[int, ...] | None = None
        begin = now()
        try:
            for number in range(training.epochs):
                context.tell(f"{workload} {size}, {entry.id}: epoch {number + 1}")
                request = jm.RunEpoch(
                    workload=workload, size=size, seed=context.spec.seed, epoch=number
                )
                longest = max([foreseen, *(e.seconds for e in epochs)])
                deadline = context.building_s() + DEADLINE_TIMES * longest
                reply = worker.ask(request, deadline)
                if not isinstance(reply, jm.EpochRun):
                    why = reply.why if isinstance(reply, messages.Failed) else type(reply).__name__
                    raise WorkerError(f"epoch {number + 1} of batch {size} failed: {why}")
                epochs.append(reply.epoch)
                wrong = reply.wrong
        finally:
            self._mark("epochs", begin, workload, size, entry)
            if epochs:
                whole = Training(round=1, seed=context.spec.seed, epochs=tuple(epochs), wrong=wrong)
                self._emit(study, trainings=(whole,))
