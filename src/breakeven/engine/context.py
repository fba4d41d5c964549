"""What all parts of a measuring session share."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from breakeven.engine import messages
from breakeven.engine.aside import Aside, Nothing
from breakeven.engine.clock import now
from breakeven.engine.conditions import CpuMeter
from breakeven.engine.device_times import Reading
from breakeven.engine.inputs import Inputs
from breakeven.engine.plan import Effort, cores_for
from breakeven.engine.processes import Crew, WorkerProcess
from breakeven.machine.memory import read_memory
from breakeven.model.event import CaseSet, Event, PortSeen, Remark, Sink
from breakeven.model.machine import Machine
from breakeven.model.ported import FunctionSpec, Ported
from breakeven.model.run import Entry
from breakeven.model.spec import RunSpec, TrainingSpec
from breakeven.workloads import registry
from breakeven.workloads.jobs import JOBS
from breakeven.workloads.planned import Planned
from breakeven.workloads.training.base import Facts

if TYPE_CHECKING:
    from breakeven.engine.function_plan import FunctionPlan

Progress = Callable[[str, float], None]
OPEN_DEADLINE_S = 180.0
# A call may take this many times what was foreseen before it counts as hung.
DEADLINE_TIMES = 30.0
# Of a size without a smaller one before it nothing is foreseen: work that is slower than this,
# several calls of it, counts as hung, or whatever outlasts the budget.
SLOWEST_FLOPS, CALLS = 1e9, 8
# Times the patience for a plain request: a job is built, or its model compiled as well.
BUILDING, COMPILING = 3, 15


@dataclass
class Context:
    """What all parts of a session share.

    Attributes
    ----------
    progress : callable
        Told what is measured now, with the seconds that the run may still take; fewer than none
        once it takes longer than announced.
    patience_s : float
        Least seconds that a worker may take for one request before it counts as hung.
    call_s : dict
        Seconds of one call seen last, by (entry, workload, size): to plan and to set deadlines.
    device_clocks : set of str
        Entries whose device's own time can be read.
    graphs : dict
        Calls captured as graphs before the rounds, by (entry, workload, size).
    say : callable
        Told what a person should read once, such as what the rounds will take.
    reserved_s : float
        Seconds of the budget that are kept back.
    team_s, pace : float
        Seconds that the scouting team took to start; how many times longer than foreseen its
        tasks took.
    look_s : float
        Seconds of a look at the GPU, message included, as timed last; one follows every slot.
    making_s : float
        Seconds spent on making inputs so far, which later rounds find made.
    facts : dict
        What was found out about each job, by its name and batch size.
    training : TrainingSpec or None
        What jobs do, as the user gave it: that of `spec` has no names of folders at home.
    aside : Aside
        What rounds do beside their slots.
    own : FunctionPlan or None
        What was found out about the user's own function.
    kernels : dict
        That the device ran in one call of that function, by entry.
    """

    spec: RunSpec
    machine: Machine
    effort: Effort
    sink: Sink
    crew: Crew
    inputs: Inputs
    scratch: Path
    meter: CpuMeter
    progress: Progress
    deadline: float
    patience_s: float
    rng: random.Random = field(default_factory=random.Random)
    call_s: dict[tuple[str, str, int], float] = field(default_factory=dict)
    device_clocks: set[str] = field(default_factory=set)
    graphs: dict[tuple[str, str, int], Reading] = field(default_factory=dict)
    started: int = 0
    say: Callable[[str], None] = field(default=lambda _text: None)
    reserved_s: float = 0.0
    team_s: float = 0.0
    pace: float = 1.0
    look_s: float = 0.0
    making_s: float = 0.0
    facts: Mapping[str, Mapping[int, Facts]] = field(default_factory=dict)
    training: TrainingSpec | None = None
    aside: Aside = field(default_factory=Nothing)
    own: FunctionPlan | None = None
    kernels: dict[str, int | None] = field(default_factory=dict)

    @property
    def function(self) -> FunctionSpec | None:
        """The user's function as it was given: that of `spec` names no folders at home."""
        return None if self.own is None else self.own.function

    def workload(self, name: str) -> Planned:
        """Return a workload of the plan: array code, or a job with what is known of its model."""
        if self.own is not None and self.own.name == name:
            return self.own.planned
        return registry.planned(name, self.facts.get(name))

    def emit(self, event: Event) -> None:
        """Journal one event."""
        self.sink.append(event)

    def tell_too_large(self, entries: Sequence[Entry]) -> None:
        """Journal the sizes at which the user's function needs more memory than there is."""
        for size, why in self.own.too_large.items() if self.own else ():
            for entry in entries:
                self.emit(
                    CaseSet(
                        workload=self.spec.workloads[0].name,
                        size=size,
                        entry=entry.id,
                        round=0,
                        status="out_of_memory",
                        why=why,
                    )
                )

    def tell_ported(self, ported: Ported) -> None:
        """Journal how far a function got; a later round that recorded no calls keeps the first's.

        The last word about a case counts, and calls are recorded once.
        """
        key = (ported.workload, ported.entry, ported.size)
        known = next(
            (
                p
                for p in self.sink.record().ported
                if (p.workload, p.entry, p.size) == key and p.sites and p.reach != "preview"
            ),
            None,
        )
        if known is not None and not ported.sites and ported.reach == "fully":
            ported = structs.replace(ported, sites=known.sites, reach=known.reach)
        self.emit(PortSeen(ported=ported))

    def remark(self, text: str) -> None:
        """Journal something that weakens the record."""
        self.sink.append(Remark(text=text))

    def tell(self, text: str) -> None:
        """Say what is measured now."""
        self.progress(text, self.deadline + self.reserved_s - now())

    def reserve(self, seconds: float) -> None:
        """Keep seconds of the budget back for what comes when the rounds are done."""
        self.deadline -= seconds
        self.reserved_s += seconds

    def left_s(self) -> float:
        """Return the seconds left of the budget, at least 0."""
        return max(0.0, self.deadline - now())

    def start_worker(
        self,
        entry: Entry,
        *,
        number: int,
        pinned: bool,
        variables: Mapping[str, str] | None = None,
    ) -> WorkerProcess:
        """Start a worker for an entry; its first reply is still to be received."""
        self.started += 1
        config = messages.WorkerConfig(
            backend=entry.backend,
            parent=os.getpid(),
            precision=entry.precision,
            seed=f"{self.spec.seed}/{entry.id}/{number}",
            cpus=cores_for(entry, self.machine) if pinned and self.spec.pin else (),
            training=self.training,
            function=self.function,
            variant=entry.variant,
            data_seed=self.spec.seed,
        )
        return self.crew.start(
            config,
            threads=entry.threads,
            freezable=entry.device == "cpu",
            log=self.scratch / f"worker-{self.started}.log",
            variables=variables,
        )

    def predicted_s(self, entry: str, workload: Planned, size: int) -> float:
        """Return the seconds of one call, from this size or the nearest smaller one measured.

        From a smaller size the time grows as the work does: too long for work that a launch or a
        cache rules, never too short by much.
        """
        known = [s for e, w, s in self.call_s if e == entry and w == workload.name and s <= size]
        if not known:
            return 0.0
        nearest = max(known)
        dtype = self.spec.dtype
        growth = workload.work(size, dtype).flops / workload.work(nearest, dtype).flops
        return self.call_s[entry, workload.name, nearest] * growth

    def deadline_s(self, entry: str, workload: Planned, size: int) -> float:
        """Return the seconds after which a request about a case counts as hung."""
        foreseen = self.predicted_s(entry, workload, size)
        patience = self.building_s() if workload.name in JOBS else self.patience_s
        if self.function is not None and self.function.compile:
            patience *= COMPILING
        if foreseen > 0:
            return patience + DEADLINE_TIMES * foreseen
        return patience + min(self._slowest_s(workload, size), self.left_s())

    def building_s(self) -> float:
        """Return the patience for a job: every process reads data and makes a model first."""
        compiled = self.spec.training is not None and self.spec.training.compile
        if compiled:
            # A compiler takes minutes whatever the budget, and each size needs it once.
            return self.patience_s * COMPILING
        return self.bound_s(self.patience_s * BUILDING)

    def bound_s(self, most_s: float) -> float:
        """Return how long one request of a training may take: no longer than its whole budget."""
        if self.spec.training is None or self.spec.rounds is not None:
            return most_s
        return min(most_s, max(self.patience_s, self.spec.budget_s))

    def _slowest_s(self, workload: Planned, size: int) -> float:
        return CALLS * workload.work(size, self.spec.dtype).flops / SLOWEST_FLOPS

    def gpu_uuid(self, entry: Entry) -> str | None:
        """Return the UUID of the GPU that an entry works on; None without a driver's word of it."""
        on_gpu = entry.device.startswith("cuda") and self.machine.gpus
        return self.machine.gpus[0].uuid if on_gpu else None

    def free_memory_bytes(self) -> int | None:
        """Return the bytes of host memory that are free now; None where the system does not say."""
        return read_memory().available_bytes
