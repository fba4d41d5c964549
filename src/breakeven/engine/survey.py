"""The ceilings of this machine: each backend in turn, alone on a quiet machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from breakeven import units
from breakeven.engine import messages
from breakeven.engine.conditions import CpuMeter, is_busy, meter_of
from breakeven.engine.context import OPEN_DEADLINE_S, Context
from breakeven.engine.inputs import scratch_folder
from breakeven.engine.joined_ceilings import says, together
from breakeven.engine.plan import cores_for
from breakeven.engine.processes import Crew, WorkerProcess, crew
from breakeven.engine.survey_plan import Stage, stages
from breakeven.errors import WorkerError
from breakeven.model.event import CeilingsDone
from breakeven.model.machine import BUSY, Ceilings, Machine
from breakeven.model.run import Entry

Tell = Callable[[str, float], None]
PART_DEADLINE_S = 120.0
# A part that others disturbed is measured once more: a ceiling is the best that was seen.
TRIES = 2
# Of what is left of a run's budget.
SESSION_SHARE = 0.4


def survey_here(
    names: Sequence[str], machine: Machine, tell: Tell, *, pin: bool = True
) -> tuple[Ceilings, ...]:
    """Measure the ceilings of all devices with a crew of its own."""
    scratch = scratch_folder()
    try:
        with crew() as made:
            meter = meter_of(machine.cpu, made.cpu_s)
            planned = stages(names, machine)
            return Survey(machine, made, scratch, meter, tell, pin=pin).run(planned)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def survey_in_session(context: Context, entries: Sequence[Entry]) -> None:
    """Measure the ceilings of a run's own session, where its spec asks for that, and journal them.

    Only what the entries compute in is measured: a run has no use for other peaks.
    """
    if not context.spec.ceilings or any(
        c.measured is None for c in context.sink.record().limits.ceilings
    ):
        return
    names = tuple(dict.fromkeys(e.backend for e in entries))
    precisions = tuple(dict.fromkeys(e.precision for e in entries))
    planned = stages(names, context.machine, precisions)
    cost_s = sum(stage.cost_s for stage in planned)
    if context.spec.rounds is None and cost_s > SESSION_SHARE * context.left_s():
        context.remark(
            f"the ceilings were not measured: that takes about {units.about(cost_s)}, too much of "
            "this budget; give more (--budget), or run breakeven doctor --measure once"
        )
        return
    survey = Survey(
        context.machine,
        context.crew,
        context.scratch,
        context.meter,
        lambda text, _left: context.tell(text),
        pin=context.spec.pin,
    )
    for found in survey.run(planned):
        if says(found):
            context.emit(CeilingsDone(ceilings=found))
        else:
            why = "; ".join(dict.fromkeys(found.why.values()))
            context.remark(f"the ceilings of {found.device} were not measured: {why}")


class Survey:
    """Measures stages one after the other, and puts together what they say of each device."""

    def __init__(
        self, machine: Machine, made: Crew, scratch: Path, meter: CpuMeter, tell: Tell, *, pin: bool
    ) -> None:
        self._machine = machine
        self._crew = made
        self._scratch = scratch
        self._meter = meter
        self._tell = tell
        self._pin = pin
        self._left_s = 0.0

    def run(self, planned: Sequence[Stage]) -> tuple[Ceilings, ...]:
        """Return the ceilings of each device of which anything could be measured or told."""
        found: dict[str, list[Ceilings]] = {}
        self._left_s = sum(s.cost_s for s in planned)
        for number, stage in enumerate(planned):
            found.setdefault(stage.entry.device, []).extend(self._stage(stage, number))
            self._left_s -= stage.cost_s
        return tuple(together(parts) for parts in found.values() if parts)

    def _stage(self, stage: Stage, number: int) -> list[Ceilings]:
        entry = stage.entry
        config = messages.WorkerConfig(
            backend=entry.backend,
            parent=os.getpid(),
            precision=entry.precision,
            seed=f"ceilings/{entry.id}",
            cpus=cores_for(entry, self._machine) if self._pin else (),
        )
        worker: WorkerProcess | None = None
        self._tell(f"ceilings: opening {entry.id}", self._left_s)
        try:
            worker = self._crew.start(
                config,
                threads=entry.threads,
                freezable=entry.device == "cpu",
                log=self._scratch / f"ceilings-{number}.log",
            )
            opened = worker.receive(OPEN_DEADLINE_S)
            if not isinstance(opened, messages.Opened):
                why = opened.why if isinstance(opened, messages.Failed) else "out of turn"
                return [_absent(entry, "open", why)]
            return self._parts(stage, worker)
        except WorkerError as error:
            return [_absent(entry, "open", error.what)]
        finally:
            if worker is not None:
                self._crew.end(worker)

    def _parts(self, stage: Stage, worker: WorkerProcess) -> list[Ceilings]:
        found = []
        for part in stage.parts:
            said = part.precision if part.part == "product" else part.part
            self._tell(f"ceilings: {said} on {stage.entry.id}", self._left_s)
            try:
                found.append(self._quietly(stage.entry, part, said, worker))
            except WorkerError as error:
                # It has ended: what is left of this backend cannot be measured.
                found.append(_absent(stage.entry, said, error.what))
                break
        return found

    def _quietly(
        self, entry: Entry, part: messages.MeasureCeilings, said: str, worker: WorkerProcess
    ) -> Ceilings:
        """Measure one part; once more where others were busy, and marked where they still are."""
        tries = []
        for _ in range(TRIES):
            begin = self._meter.read()
            reply = worker.ask(part, PART_DEADLINE_S)
            end = self._meter.read()
            if not isinstance(reply, messages.CeilingsAre):
                why = reply.why if isinstance(reply, messages.Failed) else "out of turn"
                return _absent(entry, said, why)
            foreign, wall_s = 0.0, 0.0
            if begin is not None and end is not None:
                foreign = self._meter.foreign_cores(begin, end)
                wall_s = end.wall_s - begin.wall_s
            if not is_busy(foreign, wall_s):
                return reply.ceilings
            tries.append(_marked(reply.ceilings, said, foreign))
        return together(tries)


def _absent(entry: Entry, part: str, why: str) -> Ceilings:
    return Ceilings(device=entry.device, backend=entry.backend, why={part: why})


def _marked(part: Ceilings, said: str, busy: float) -> Ceilings:
    """Say what disturbed a measurement: a ceiling that others lowered must not pass as one.

    Of this part alone: the others of its device were measured at other times.
    """
    told = (
        f"other processes took {units.significant(busy, 2)} cores while it was measured: it may "
        "be too low; measure again on a quiet machine"
    )
    return msgspec.structs.replace(part, why={**part.why, f"{BUSY} {said}": told})
