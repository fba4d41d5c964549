"""The ceilings of this machine: each backend in turn, alone on a quiet machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from breakeven import units
from breakeven.backends import registry
from breakeven.engine import messages
from breakeven.engine.conditions import CpuMeter, is_busy
from breakeven.engine.context import OPEN_DEADLINE_S, Context
from breakeven.engine.inputs import scratch_folder
from breakeven.engine.plan import cores_for, entry_id, in_precision
from breakeven.engine.processes import Crew, WorkerProcess, crew
from breakeven.errors import WorkerError
from breakeven.model.event import CeilingsDone
from breakeven.model.machine import BUSY, Ceilings, LinkRate, Machine
from breakeven.model.run import Entry
from breakeven.model.spec import Precision

Tell = Callable[[str, float], None]
PART_S, PART_DEADLINE_S = 0.6, 120.0
# A part that others disturbed is measured once more: a ceiling is the best that was seen.
TRIES = 2
# Of what is left of a run's budget.
SESSION_SHARE = 0.4
# Opening a library takes seconds; with it the seconds that a product or a copy needs to be made.
OPEN_S, OPEN_GPU_S, SET_UP_S = 2.0, 5.0, 0.6
CACHES, LEAST_EXTENT, GPU_EXTENT = 4, 64 << 20, 1 << 30
# Three arrays are streamed: together they take under a fifth of the memory.
MEMORY_PARTS = 16
PRODUCTS: tuple[Precision, ...] = ("float32", "float64")
# Each has a process of its own, since a library is switched to it when it is opened.
REDUCED: tuple[Precision, ...] = ("tf32", "float16", "bfloat16")


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One worker of the survey, with the parts that it measures.

    Attributes
    ----------
    entry : Entry
        The backend with all usable cores, as a run has it.
    parts : tuple
        Requests in their order.
    """

    entry: Entry
    parts: tuple[messages.MeasureCeilings, ...]

    @property
    def cost_s(self) -> float:
        """Seconds that it takes, about."""
        opening = OPEN_S if self.entry.device == "cpu" else OPEN_GPU_S
        return opening + sum(p.seconds + SET_UP_S for p in self.parts)


def stages(
    names: Sequence[str], machine: Machine, precisions: Sequence[Precision] | None = None
) -> tuple[Stage, ...]:
    """Return the workers of a survey: one for each backend that is found here.

    On a GPU there is one more for each reduced precision.

    Parameters
    ----------
    precisions : sequence of str or None
        Products wanted; None asks for all that there are.
    """
    planned = []
    for name in names:
        for one in registry.expand(name):
            backend = registry.get(one)
            if not backend.find().available:
                continue
            device, threads = backend.about.device, None
            if backend.about.pools:
                threads = machine.cpu.cores_usable
            wanted = [p for p in PRODUCTS if precisions is None or p in precisions]
            extent = extent_bytes(machine, device)
            parts = [messages.MeasureCeilings(part="product", precision=p) for p in wanted]
            parts.append(messages.MeasureCeilings(part="memory", extent_bytes=extent))
            if device != "cpu":
                parts += [messages.MeasureCeilings(part=p) for p in ("link", "launch")]
            entry = Entry(
                id=entry_id(one, threads), backend=one, device=device, threads=threads
            )  # fmt: skip
            planned.append(Stage(entry=entry, parts=tuple(parts)))
            if device != "cpu":
                planned += [
                    _reduced(entry, p) for p in REDUCED if precisions is None or p in precisions
                ]
    return tuple(planned)


def _reduced(entry: Entry, precision: Precision) -> Stage:
    """Return the worker that measures the product in a reduced precision."""
    return Stage(
        entry=in_precision(entry, precision),
        parts=(messages.MeasureCeilings(part="product", precision=precision),),
    )


def extent_bytes(machine: Machine, device: str) -> int:
    """Return the bytes of an array that no cache holds, and that the memory has room for.

    On a CPU four times the last-level cache that one core sees, or twice those of all groups of
    cores: three arrays of that are beyond four times whatever caches there are.
    """
    if device == "cpu":
        one = max(machine.cpu.caches_bytes.values(), default=0)
        wanted = max(LEAST_EXTENT, CACHES * one, 2 * (machine.cpu.last_caches_bytes or 0))
        room = machine.memory_available_bytes
    else:
        wanted = GPU_EXTENT
        room = machine.gpus[0].memory_bytes if machine.gpus else None
    return wanted if room is None else max(1 << 20, min(wanted, room // MEMORY_PARTS))


def survey_here(
    names: Sequence[str], machine: Machine, tell: Tell, *, pin: bool = True
) -> tuple[Ceilings, ...]:
    """Measure the ceilings of all devices with a crew of its own."""
    scratch = scratch_folder()
    try:
        with crew() as made:
            cpu = machine.cpu
            meter = CpuMeter(
                cpu.affinity,
                spare=max(0.0, len(cpu.affinity) - (cpu.quota_cores or len(cpu.affinity))),
                own_s=made.cpu_s,
            )
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
        if _says(found):
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


def together(parts: Sequence[Ceilings]) -> Ceilings:
    """Return the best of all parts of one device, with the backends that reached it.

    What one backend could not measure and another could needs no reason.
    """
    flops: dict[str, float] = {}
    for part in parts:
        for precision, rate in part.flops_per_s.items():
            flops[precision] = max(rate, flops.get(precision, 0.0))
    memory = _best([p.memory_bytes_per_s for p in parts], max)
    why = {k: v for p in parts for k, v in p.why.items()}
    why = {k: v for k, v in why.items() if not _quietly_reached(parts, k)}
    made = Ceilings(
        device=parts[0].device,
        backend=", ".join(dict.fromkeys(p.backend for p in parts if _says(p))) or parts[0].backend,
        flops_per_s=flops,
        memory_bytes_per_s=memory,
        link=_joined([rate for p in parts for rate in p.link]),
        launch_s=_best([p.launch_s for p in parts], min),
        synchronise_s=_best([p.synchronise_s for p in parts], min),
    )
    known = {*flops, *(["memory"] if memory else []), *(["link"] if made.link else [])}
    known |= {"launch"} if made.launch_s is not None else set()
    known |= {"pinned"} if any(r.to_device_pinned for r in made.link) else set()
    known |= {"open"} if _says(made) else set()
    return msgspec.structs.replace(made, why={k: v for k, v in why.items() if k not in known})


def _quietly_reached(parts: Sequence[Ceilings], mark: str) -> bool:
    """Tell whether a mark of a disturbed part may go: as much was reached undisturbed."""
    word, _, said = mark.partition(" ")
    if word != BUSY:
        return False
    figures = [(f, mark in p.why) for p in parts if (f := _figure(p, said)) is not None]
    quiet = [f for f, busy in figures if not busy]
    return bool(quiet) and max(quiet) >= max(f for f, _ in figures)


def _figure(part: Ceilings, said: str) -> float | None:
    """Return the figure of one part, the larger the better."""
    match said:
        case "memory":
            return part.memory_bytes_per_s
        case "link":
            return _best([r.to_device for r in part.link], max)
        case "launch":
            return None if part.launch_s is None else -part.launch_s
        case _:
            return part.flops_per_s.get(said)


def _says(part: Ceilings) -> bool:
    """Tell whether anything was measured."""
    return bool(part.flops_per_s or part.memory_bytes_per_s or part.link or part.launch_s)


def _best(
    values: Sequence[float | None], better: Callable[[Sequence[float]], float]
) -> float | None:
    known = [v for v in values if v is not None]
    return better(known) if known else None


def _joined(rates: Sequence[LinkRate]) -> tuple[LinkRate, ...]:
    """Return the best rate of each kind, by size of the copy."""
    made = []
    for size in sorted({r.bytes for r in rates}):
        own = [r for r in rates if r.bytes == size]
        made.append(
            LinkRate(
                bytes=size,
                to_device=_best([r.to_device for r in own], max),
                to_host=_best([r.to_host for r in own], max),
                to_device_pinned=_best([r.to_device_pinned for r in own], max),
                to_host_pinned=_best([r.to_host_pinned for r in own], max),
            )
        )
    return tuple(made)


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
