"""The same training on several processes: rounds of fresh teams, in random order."""

from __future__ import annotations

from pathlib import Path

import msgspec

from breakeven import units
from breakeven.engine.clock import now
from breakeven.engine.context import Context
from breakeven.engine.recorder import Recorder
from breakeven.errors import InputError
from breakeven.model.event import TeamDone
from breakeven.model.run import Entry
from breakeven.workloads.jobs import TRAIN

ROUNDS = 3
# A stretch is this long, about, within these numbers of steps.
STRETCH_S, LEAST_STEPS, MOST_STEPS, WARM_STEPS = 3.0, 5, 200, 5
UNCOMPILED = (
    "--compile is not for several processes: they, and the one beside them, train without it"
)
# torchrun starts, each process imports PyTorch, and they meet.
START_S, LIMIT_S = 10.0, 120.0


class Teams:
    """Measures each number of processes at each batch size, one team at a time.

    Every round has all numbers in random order, so that a drift of the machine is nobody's.
    """

    def __init__(self, context: Context, recorder: Recorder) -> None:
        self._context = context
        self._recorder = recorder

    def run(self, entries: tuple[Entry, ...]) -> None:
        """Measure the teams that were asked for; a number that cannot be is told and left out."""
        context, training = self._context, self._context.training
        if training is None or not training.gpus:
            return
        sizes = next((w.sizes for w in context.spec.workloads if w.name == TRAIN), ())
        real = [e for e in entries if not e.backend.startswith("scripted")]
        if not real or not sizes:
            return
        if training.compile and UNCOMPILED not in context.sink.record().remarks:
            context.remark(UNCOMPILED)
        on_gpu = next((e for e in real if e.device.startswith("cuda")), None)
        counts = self._possible(on_gpu, sorted({1, *training.gpus}))
        had = {(t.size, t.processes, t.round) for t in context.sink.record().teams}
        self._announce(len(counts) * len(sizes))
        for number in range(1, ROUNDS + 1):
            order = [(size, count) for size in sizes for count in counts]
            context.rng.shuffle(order)
            for size, count in order:
                if (size, count, number) not in had:
                    self._one(on_gpu or real[0], size, count, number)

    def _possible(self, on_gpu: Entry | None, counts: list[int]) -> tuple[int, ...]:
        """Return the numbers that there are GPUs for; what is too many is told once."""
        there = len(self._context.machine.gpus)
        if on_gpu is None:
            return tuple(counts)
        for count in counts:
            if count > there:
                self._context.remark(
                    f"{count} GPUs were asked for, and there are {there}: give fewer with --gpus"
                )
        return tuple(count for count in counts if count <= there)

    def _announce(self, cases: int) -> None:
        context = self._context
        seconds = ROUNDS * cases * (START_S + 3 * STRETCH_S)
        context.say(f"Several processes: about {units.about(seconds)} from here.")
        context.deadline = max(context.deadline, now() + seconds)

    def _one(self, entry: Entry, size: int, count: int, number: int) -> None:
        from breakeven.workloads.training.launch import TeamPlan, launch  # noqa: PLC0415  few ask

        context, training = self._context, self._context.training
        assert training is not None
        cuda = entry.device.startswith("cuda")
        context.tell(f"{count} processes, batch {size} each, round {number}")
        step_s = context.predicted_s(entry.id, context.workload(TRAIN), size)
        steps = MOST_STEPS if step_s <= 0 else int(STRETCH_S / step_s)
        plan = TeamPlan(
            seed=context.spec.seed,
            steps=max(LEAST_STEPS, min(MOST_STEPS, steps)),
            warm_steps=WARM_STEPS,
            limit_s=LIMIT_S + 60 * step_s * count,
            strategy=training.strategy,
        )
        folder: Path = context.scratch / f"team-{size}-{count}-{number}"
        try:
            team = launch(training, size, count, "cuda" if cuda else "cpu", folder, number, plan)
        except InputError as error:
            context.remark(f"{count} processes were not measured: {error}")
            return
        if team.begin_s is not None and team.end_s is not None:
            self._recorder.mark(
                "steps",
                f"{count} processes, batch {size} each",
                team.begin_s,
                team.end_s,
                workload=TRAIN,
                size=size,
            )
            team = msgspec.structs.replace(
                team,
                begin_s=self._recorder.since_start(team.begin_s),
                end_s=self._recorder.since_start(team.end_s),
            )
        context.emit(TeamDone(team=team))
