"""The package's search, rule and judge on times that are drawn from a script, without processes.

A rehearsal asks `engine.search` what a round measures, draws the slots of that round, folds them
into a record as a run does, and lets `analysis.settle` say what is settled. Only workers and clock
are missing: a slot's median is drawn, where a worker would have measured it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.crossover import crossover
from breakeven.analysis.settle import settle
from breakeven.backends.scripted import Actor, interpolate
from breakeven.engine.costs import Task
from breakeven.engine.plan import effort_of
from breakeven.engine.search import Search
from breakeven.model.event import Began, CaseSet, EntryChosen, RoundDone, SlotDone
from breakeven.model.machine import Cpu, Machine
from breakeven.model.run import Agreement, Entry, RunRecord, Slot
from breakeven.model.settlement import Settlement
from breakeven.model.spec import RunSpec, WorkloadSpec
from breakeven.model.verdict import Crossover, Scope
from breakeven.store.fold import Fold

SIZES = (128, 512, 2048, 8192)
LONG_S, SHORT_S = 600.0, 120.0
# What a real run of either budget has time for on a machine with one GPU.
LONG_ROUNDS, SHORT_ROUNDS = 12, 6
AGREES = Agreement(error=3e-7, bound=8e-6, class_="float32", passed=True)
BASE = Entry(id="base", backend="torch-cpu", device="cpu", threads=1, default=True)
TWIN = msgspec.structs.replace(BASE, id="base-twin", variant="twin", default=False, twin_of="base")
ENTRY = Entry(id="entry", backend="cupy", device="cuda:0", default=True)
ENTRIES = (BASE, TWIN, ENTRY)
MACHINE = Machine(
    cpu=Cpu(
        model=None, cores_online=1, cores_physical=1, affinity=(0,), quota_cores=None,
        cores_usable=1,
    ),
    memory_bytes=1 << 34, memory_available_bytes=1 << 34, gpus=(), no_gpu_reason="scripted",
    driver=None, cuda_driver=None, platform="scripted", kernel="scripted", python="3",
    libraries={}, blas={}, environment={}, breakeven="0",
)  # fmt: skip


@dataclass(frozen=True)
class Play:
    """A base and an entry whose times are given, with where they truly cross.

    Attributes
    ----------
    base, entry : Actor
        Curves, and noise: `spread` from process to process, half of its variance common to all
        sizes of the process; `noise` from slot to slot.
    truths : dict
        True crossings by scope, ascending.
    memory_to : int or None
        Largest size that the entry has memory for.
    """

    base: Actor
    entry: Actor
    truths: dict[Scope, tuple[float, ...]] = field(default_factory=dict)
    sizes: tuple[int, ...] = SIZES
    memory_to: int | None = None


class _Process:
    """One worker of one round: what makes it differ from others is drawn once."""

    def __init__(self, actor: Actor, rng: random.Random) -> None:
        self._actor, self._rng = actor, rng
        self._common = rng.gauss(0.0, actor.spread * math.sqrt(0.5))
        self._own: dict[int, float] = {}

    def slot_s(self, size: int, scope: Scope) -> float:
        """Return the median of one slot."""
        actor = self._actor
        if size not in self._own:
            self._own[size] = self._rng.gauss(0.0, actor.spread * math.sqrt(0.5))
        seconds = interpolate(actor.compute_s["matmul"], size)
        if scope == "transfer":
            seconds += interpolate(actor.journey_s["matmul"], size)
        noise = self._common + self._own[size] + self._rng.gauss(0.0, actor.noise)
        return seconds * math.exp(noise)


class Rehearsal:
    """A run of one play.

    Parameters
    ----------
    budget_s : float
        Decides the grid, as in a run: from 300 s on it is fine.
    rounds_most : int
        Rounds after which the run ends in any case.
    """

    def __init__(self, play: Play, seed: str, *, budget_s: float, rounds_most: int) -> None:
        self._play = play
        self._seed = seed
        self._rounds_most = rounds_most
        self.spec = RunSpec(
            workloads=(WorkloadSpec(name="matmul", sizes=play.sizes),),
            backends=("torch-cpu", "cupy"),
            budget_s=budget_s,
        )
        self._effort = effort_of(self.spec, gpu=True)
        self._search = Search(self.spec, self._effort)
        self._fold = Fold()
        self._fold.add(Began(record=_begun(self.spec)))
        for entry in ENTRIES:
            self._fold.add(EntryChosen(entry=entry))

    def record(self) -> RunRecord:
        """Return everything drawn so far."""
        return self._fold.record()

    def run(self, stop_rule: Callable[[RunRecord], Settlement] = settle) -> RunRecord:
        """Scout, then draw rounds until the search has nothing left or the rounds are used up."""
        scouted = [
            Task(workload="matmul", size=s, entries=("base", "entry"))
            for s in self.spec.workloads[0].sizes
        ]
        self._round(0, scouted, self._effort.scout_slots)
        for number in range(1, self._rounds_most + 1):
            planned, on_grids = self._search.tasks(stop_rule(self.record()), ENTRIES)
            if not (planned or on_grids):
                break
            self._round(number, [*planned, *on_grids], self._effort.slots)
        return self.record()

    def _round(self, number: int, tasks: list[Task], slots: int) -> None:
        play = self._play
        processes = {
            e.id: _Process(
                play.entry if e.device != "cpu" else play.base,
                random.Random(f"{self._seed}/{e.id}/{number}"),  # noqa: S311  noise, no secret
            )
            for e in ENTRIES
        }
        for task in tasks:
            for entry in ENTRIES:
                if entry.id in task.entries:
                    self._case(number, task, entry, processes[entry.id], slots)
        self._fold.add(RoundDone(round=number, planned=self._rounds_most))

    def _case(self, number: int, task: Task, entry: Entry, process: _Process, slots: int) -> None:
        on_gpu = entry.device != "cpu"
        short = on_gpu and self._play.memory_to is not None and task.size > self._play.memory_to
        self._fold.add(
            CaseSet(
                workload="matmul",
                size=task.size,
                entry=entry.id,
                round=number,
                status="out_of_memory" if short else "ok",
                why="scripted: no memory" if short else None,
                agreement=None if short else AGREES,
            )
        )
        if short:
            return
        for turn in range(slots):
            for scope in task.scopes if on_gpu else ("resident",):
                seconds = process.slot_s(task.size, scope)
                slot = Slot(turn=turn, order=turn, median_s=seconds, min_s=seconds, repeats=20)
                self._fold.add(
                    SlotDone(
                        workload="matmul", size=task.size, entry=entry.id, round=number,
                        scope=scope, clock="wall", slot=slot,
                    )
                )  # fmt: skip


def _begun(spec: RunSpec) -> RunRecord:
    return RunRecord(
        id="2026-12-01T10-22-07-3f9a", started="2026-12-01T10:22:07Z", command=("rehearsal",),
        spec=spec, machine=MACHINE,
    )  # fmt: skip


def concluded(record: RunRecord) -> dict[Scope, Crossover]:
    """Return the crossover of the entry against the best CPU entry in each scope, as judged."""
    found = Comparisons(record)
    return {
        line.scope: crossover(line, compared)
        for line, compared in found.by_line.items()
        if line.base_kind == "best-cpu" and line.entry == ENTRY.id
    }
