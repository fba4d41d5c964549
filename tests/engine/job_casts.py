"""Scripted casts that train, and the runs that tests make with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from breakeven.analysis.settle import settle
from breakeven.engine.jobs import Jobs, examine
from breakeven.engine.session import measure
from breakeven.model.event import Began, Event
from breakeven.model.run import RunRecord
from breakeven.model.spec import Effort, RunSpec, TrainingSpec, WorkloadSpec
from breakeven.store.sink import MemorySink
from records import machine

CPU_S = {32: 3e-3, 64: 1.2e-2, 128: 4.8e-2}
GPU_S = {32: 1.2e-2, 64: 1.2e-2, 128: 1.2e-2}
WITH_TORCH = TrainingSpec()


def trainer(curve: Mapping[int, float] = CPU_S, **fields: object) -> dict[str, Any]:
    """Return a scripted backend that trains and infers."""
    plain = {"compute_s": {"train": curve, "infer": curve}, "spread": 0.01, "noise": 0.01}
    return plain | fields


def gpu_trainer(curve: Mapping[int, float] = GPU_S, **fields: object) -> dict[str, Any]:
    """Return a scripted GPU that trains and infers; its batches travel for 0.4 ms."""
    journey = {"train": {32: 8e-4, 128: 8e-4}, "infer": {32: 8e-4, 128: 8e-4}}
    return trainer(curve, **({"device": "cuda:0", "journey_s": journey} | fields))


def cast(folder: Path, **actors: Mapping[str, Any]) -> str:
    """Write a script, and return the name of the backend that plays it."""
    path = folder / "trainers.json"
    path.write_text(json.dumps({"seed": 3, "actors": actors}))
    return f"scripted:{path}"


def training_run(
    *backends: str,
    name: str = "train",
    sizes: Sequence[int] = (32, 64, 128),
    rounds: int | None = 3,
    effort: Effort = "full",
    budget_s: float = 60.0,
    training: TrainingSpec = WITH_TORCH,
) -> RunRecord:
    """Return the record of a training that has just begun on a small machine without a GPU."""
    return RunRecord(
        id="2026-12-01T10-22-07-3f9b",
        started="2026-12-01T10:22:07Z",
        command=("run", name),
        machine=machine(gpu=False, cores=2),
        spec=RunSpec(
            workloads=(WorkloadSpec(name=name, sizes=tuple(sizes), given=True, axis="batch"),),
            backends=backends,
            effort=effort,
            budget_s=budget_s,
            rounds=rounds,
            training=training,
        ),
    )


class Listening(MemorySink):
    """A sink that also keeps the events in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []

    def append(self, event: Event) -> None:
        """Keep an event."""
        self.events.append(event)
        super().append(event)


def trained(
    record: RunRecord,
    *,
    sink: MemorySink | None = None,
    patience_s: float = 20.0,
    progress: Callable[[str, float], None] = lambda *_: None,
    jobs: Jobs | None = None,
) -> RunRecord:
    """Measure in this process, every worker a process of its own; return what the sink holds."""
    kept = sink if sink is not None else MemorySink()
    kept.append(Began(record=record))
    found = jobs or examine(record.spec, record.machine)
    measure(kept, settle, progress, wait=lambda _: None, patience_s=patience_s, jobs=found)
    return kept.record()
