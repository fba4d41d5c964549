"""Training jobs before anything is measured: what their model and data are, and what they take."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from breakeven import units
from breakeven.engine import job_messages as jm
from breakeven.engine import messages
from breakeven.engine.clock import now
from breakeven.engine.haste import examine_s, reference_s
from breakeven.engine.inputs import scratch_folder
from breakeven.engine.plan import LONG_BUDGET_S, Effort, effort_of
from breakeven.engine.processes import Crew, crew
from breakeven.engine.references import (
    LONGEST_S,
    OPEN_DEADLINE_S,
    References,
    maker_backend,
    start_alone,
)
from breakeven.errors import DeadlineError, InputError, NothingMeasuredError, WorkerError
from breakeven.model.machine import Machine
from breakeven.model.spec import RunSpec, TrainingSpec
from breakeven.workloads.training.base import Facts

DEFAULT_MAKER = "torch-cpu"
# A step takes milliseconds to seconds: a slot holds a few, or one.
SLOT_S, WARM_S, SCOUT_CALL_S = 0.04, 0.3, 1.0
SLOTS, SCOUT_SLOTS, COLD_MOST = 6, 2, 3


@dataclass(frozen=True, kw_only=True)
class Jobs:
    """What a session is told of its training jobs.

    Attributes
    ----------
    training : TrainingSpec or None
        As the user gave it: a stored one has no names of folders at home.
    facts : mapping
        By workload and batch size.
    begun_s : float
        Monotonic seconds at which the run began to look at them: its budget counts from there.
    traces : Path or None
        Folder that traces are kept in; None keeps none.
    """

    training: TrainingSpec | None = None
    facts: Mapping[str, Mapping[int, Facts]] = field(default_factory=dict)
    begun_s: float | None = None
    traces: Path | None = None


def examine(
    spec: RunSpec, machine: Machine, tell: Callable[[str, float], None] = lambda *_: None
) -> Jobs:
    """Build model and data once in a process of their own, at the least size and twice that.

    Raises
    ------
    InputError
        If model or data are not what they should be.
    NothingMeasuredError
        If PyTorch does not work here.
    """
    if spec.training is None:
        return Jobs()
    training = at_home(spec.training)
    begun, scratch = now(), scratch_folder()
    tell("looking at model and data", spec.budget_s)
    facts: dict[str, dict[int, Facts]] = {}
    try:
        with crew() as made:
            worker = start_alone(
                made,
                scratch / "examine.log",
                backend=maker_backend(spec.backends) or DEFAULT_MAKER,
                training=training,
                threads=machine.cpu.cores_usable,
            )
            opened = worker.receive(OPEN_DEADLINE_S)
            if isinstance(opened, messages.Failed):
                raise NothingMeasuredError(
                    f"training needs PyTorch: {opened.why}", opened.fix or "breakeven doctor"
                )
            for workload in spec.workloads:
                # Work and memory grow in a straight line: two small batches foresee a large one,
                # which might not fit the memory that it is asked about.
                least = workload.sizes[0]
                sizes = (least, 2 * least) if len(workload.sizes) > 1 else (least,)
                request = jm.Examine(workload=workload.name, sizes=sizes, seed=spec.seed)
                facts[workload.name] = _found(worker.ask(request, examine_s(spec)))
    except DeadlineError as error:
        raise InputError(
            f"model and data were not there after {units.about(examine_s(spec))}",
            "give more time with --budget, or find out what does not return",
        ) from error
    except WorkerError as error:
        raise InputError(
            f"the process that built the model failed: {error.what}",
            "build it by hand to see, or choose a smaller one",
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return Jobs(training=training, facts=facts, begun_s=begun)


def fitting(spec: RunSpec, jobs: Jobs) -> RunSpec:
    """Return a spec without batch sizes that the data are too few for.

    Raises
    ------
    InputError
        If the user named such a size, or none is left.
    """
    fitted = []
    for workload in spec.workloads:
        facts = next(iter(jobs.facts.get(workload.name, {}).values()), None)
        most = max(workload.sizes) if facts is None else facts.train_samples
        kept = tuple(s for s in workload.sizes if s <= most)
        if not kept or (workload.given and len(kept) < len(workload.sizes)):
            data = "data" if facts is None else facts.data
            raise InputError(
                f"a batch of {max(workload.sizes)} is more than the {most} training images of "
                f"{data}",
                f"give at most {most} with --batch-sizes",
            )
        fitted.append(msgspec.structs.replace(workload, sizes=kept))
    return msgspec.structs.replace(spec, workloads=tuple(fitted))


def at_home(training: TrainingSpec) -> TrainingSpec:
    """Return a training whose files are found: in what is stored ``~`` stands for home."""
    return msgspec.structs.replace(
        training,
        model=str(Path(training.model).expanduser()),
        data=str(Path(training.data).expanduser()),
    )


def _found(reply: messages.Reply) -> dict[int, Facts]:
    match reply:
        case jm.Examined(facts=facts) if facts:
            return facts
        case jm.Examined(why=why, fix=fix):
            raise InputError(why or "nothing was found", fix or "choose another model or data")
        case messages.Failed(why=why):
            raise InputError(f"model or data fail: {why}", "mend them, or choose others")
        case _:
            raise InputError(f"it answered out of turn ({type(reply).__name__})", "run it again")


def references_of(
    spec: RunSpec, jobs: Jobs | None, machine: Machine, made: Crew, scratch: Path
) -> References | None:
    """Return what makes the references of a run's jobs; None for a run without any."""
    if jobs is None or jobs.training is None:
        return None
    return References(
        made,
        scratch,
        backend=maker_backend(spec.backends) or DEFAULT_MAKER,
        training=jobs.training,
        threads=machine.cpu.cores_usable,
        seconds=reference_s(spec, LONGEST_S),
    )


def effort_of_jobs(spec: RunSpec, *, gpu: bool) -> Effort:
    """Return the effort of a run that trains."""
    plain = effort_of(spec, gpu=gpu)
    quick = spec.effort == "quick"
    return msgspec.structs.replace(
        plain,
        slots=plain.slots if quick else SLOTS,
        slot_s=SLOT_S,
        warm_s=WARM_S,
        scout_slots=0 if quick else SCOUT_SLOTS,
        scout_call_s=SCOUT_CALL_S,
        cold_most=0 if quick else COLD_MOST,
        # A batch size is a choice, not a measure of work: only a long run looks between them.
        grid=plain.grid and spec.budget_s >= LONG_BUDGET_S,
        planned_share=1.0,
        detail_s=0.0,
        cold_caches=False,
        graphs_s=0.0,
    )
