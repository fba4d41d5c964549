"""One call that measures, judges and stores."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from breakeven import units
from breakeven.analysis.sensed import with_readings
from breakeven.analysis.settle import settle
from breakeven.backends.scripted import PREFIX
from breakeven.engine import session
from breakeven.engine.clock import now, stamp
from breakeven.engine.forecast import announcement
from breakeven.engine.function_plan import FunctionPlan
from breakeven.engine.jobs import Jobs, examine, fitting
from breakeven.engine.lock import machine_lock
from breakeven.engine.processes import deaf_to_interrupts, interrupted_once
from breakeven.engine.request import Options, spec_of
from breakeven.engine.training_limits import check_machine
from breakeven.engine.training_request import TrainingOptions
from breakeven.errors import BreakevenError, InputError, NothingMeasuredError, StoreError
from breakeven.lab.begun import begun
from breakeven.lab.computer import read_machine
from breakeven.lab.reach import stored_ceilings
from breakeven.lab.result import Result
from breakeven.lab.shelf import judged
from breakeven.lab.telling import WAITING, Progress, Say, quiet
from breakeven.model.event import Began, CeilingsDone, Event, Resumed
from breakeven.model.finding import Finding
from breakeven.model.machine import Machine
from breakeven.model.spec import RunSpec, TrainingSpec
from breakeven.sensors.replay import check_recording
from breakeven.store.folder import Store
from breakeven.store.sink import JournalSink


def run(  # noqa: PLR0913  each is an option of the command
    *workloads: str,
    sizes: str | Sequence[int] | None = None,
    backends: Sequence[str] | None = None,
    dtype: str = "float32",
    quick: bool = False,
    budget: str | float | None = None,
    rounds: int | None = None,
    seed: int = 42,
    naive: bool = False,
    precisions: Sequence[str] | None = None,
    pin: bool = True,
    ceilings: bool = False,
    store: Path | str | None = None,
    **training: Any,  # noqa: ANN401  the fields of TrainingOptions
) -> Result:
    """Measure built-in workloads on every backend that works here, judge, and store the run.

    Parameters
    ----------
    *workloads : str
        ``"matmul"``, ``"mlp"``, ``"elementwise"``, ``"reduce"``, ``"stencil"``, ``"pairwise"``,
        ``"fft"``, ``"sort"``, ``"solve"``, ``"svd"``; none means the tour: the first two.
        ``"train"`` and ``"infer"`` are measured apart from these.
    sizes : str or sequence of int, optional
        ``"128,256,512"``, ``"128:8192"``, or numbers.
    backends : sequence of str, optional
        ``"numpy"``, ``"torch-cpu"``, ``"cupy"``, ``"torch-cuda"``, ``"scripted:FILE"``.
    dtype : str
        ``"float32"`` or ``"float64"``.
    quick : bool
        One round, figures indicative, no verdict.
    budget : str or float, optional
        Time that the run may take: seconds, or text such as ``"10m"``.
    rounds : int, optional
        Rounds to measure at every size, whatever they show.
    naive : bool
        Whether to take one-shot readings beside the sound ones.
    precisions : sequence of str, optional
        Further precisions to measure GPU entries in, each as a variant of its own: ``"tf32"``,
        ``"float16"``, ``"bfloat16"``, ``"float64"``, ``"float32"``.
    pin : bool
        Whether each pool thread gets a core of its own.
    ceilings : bool
        Whether to measure first what each device reaches at best; with 5 minutes and more of
        budget it is done anyway.
    store : path, optional
        Folder of stored runs.
    **training
        Options of ``train`` and ``infer``: ``model``, ``data``, ``image_size``, ``batch_sizes``,
        ``epochs``, ``all_epochs``, ``learning_rate``, ``optimizer``, ``precision``, ``compile``,
        ``workers``, ``gpus``, ``strategy``, ``latency_limit``.

    Returns
    -------
    Result

    Raises
    ------
    InputError, StoreError
        If the input is wrong, or the store cannot be written.
    NothingMeasuredError
        If no backend works here.
    KeyboardInterrupt
        After what was finished has been stored.
    """
    options = Options(
        workloads=workloads, sizes=sizes, backends=backends, dtype=dtype, quick=quick,
        budget=budget, rounds=rounds, seed=seed, naive=naive, pin=pin, ceilings=ceilings,
        precisions=precisions, training=_training(training),
    )  # fmt: skip
    result, interrupted = start_run(
        options, command=("run", *workloads), store=None if store is None else Path(store)
    )
    if interrupted:
        raise KeyboardInterrupt
    return result


def _training(given: dict[str, Any]) -> TrainingOptions:
    known = TrainingOptions.__struct_fields__
    for name in given:
        if name not in known:
            raise InputError(f"run() has no option {name!r}", f"choose from: {', '.join(known)}")
    if isinstance(given.get("precision"), str):
        given["precision"] = given["precision"].split(",")
    return TrainingOptions(**given)


def start_run(
    options: Options,
    *,
    command: Sequence[str],
    store: Path | None = None,
    say: Say = quiet,
    progress: Progress = quiet,
) -> tuple[Result, bool]:
    """Measure a new run; return it, with whether it was interrupted.

    Parameters
    ----------
    say : callable
        Told once what the run will cost.
    progress : callable
        Told what is measured now, with the seconds left.
    """
    check_recording()
    asked = spec_of(options, gpu=False)
    folder = Store(store)
    folder.check_writable()
    machine = read_machine()
    spec = spec_of(options, gpu=True) if machine.gpus else asked
    check_machine(spec, machine)
    jobs = _examined(spec, machine, say, progress)
    spec = spec if jobs is None else fitting(spec, jobs)
    record = begun(command, spec, machine)
    first: list[Event] = [Began(record=record)]
    if not any(name.startswith(PREFIX) for name in spec.backends):
        # Scripted times have nothing to do with what this machine can reach.
        first += [CeilingsDone(ceilings=found) for found in stored_ceilings(machine, store)]
    return _measure(folder, folder.sink(record.id), first, say, progress, jobs=jobs)


def _examined(spec: RunSpec, machine: Machine, say: Say, progress: Progress) -> Jobs | None:
    """Build model and data of a training once, before anything is measured or stored."""
    if spec.training is None:
        return None
    # It takes a core for seconds, which another run would notice.
    with interrupted_once(), machine_lock(lambda: say(WAITING)):
        return examine(spec, machine, progress)


def _training_words(training: TrainingSpec) -> str:
    """Return model and data of a training, as the cost sentence names them."""
    said = f"{training.model} on {training.data}"
    if training.image_size is not None:
        said += f" at {training.image_size} pixels"
    return f"{said}, compiled" if training.compile else said


def _shared(training: TrainingSpec) -> str:
    """Return what a training is shared among."""
    return "processes" if training.strategy == "ddp" else "GPUs through DataParallel"


def resume_run(
    name: str, *, store: Path | None = None, say: Say = quiet, progress: Progress = quiet
) -> tuple[Result, bool]:
    """Go on with an interrupted run: complete the rounds that it had planned.

    Raises
    ------
    InputError
        If the run was made on another machine.
    """
    check_recording()
    folder = Store(store)
    folder.check_writable()
    sink = folder.resume(name)
    if sink.record().command[:1] == ("watch",):
        sink.close()
        raise InputError(
            f"{sink.record().id} is a watched command, which cannot go on where it stopped",
            "watch it again",
        )
    if sink.record().spec.function is not None:
        sink.close()
        raise InputError(
            f"{sink.record().id} compares a function of yours, which may have changed since",
            "compare it again",
        )
    here, there = read_machine(), sink.record().machine
    same = here.cpu.model == there.cpu.model and [g.uuid for g in here.gpus] == [
        g.uuid for g in there.gpus
    ]
    if not same:
        sink.close()
        raise InputError(
            f"the run {sink.record().id} was made on another machine", "start a new run here"
        )
    try:
        jobs = _examined(sink.record().spec, here, say, progress)
    except BreakevenError:
        sink.close()
        raise
    return _measure(folder, sink, [Resumed(at=stamp())], say, progress, jobs=jobs)


def measure_begun(
    folder: Store,
    sink: JournalSink,
    first: Sequence[Event],
    say: Say,
    progress: Progress,
    function: FunctionPlan,
    smells: tuple[Finding, ...] | None = None,
) -> tuple[Result, bool]:
    """Measure the user's own function, once it has been tried; return it as `start_run` does.

    Parameters
    ----------
    smells : tuple of Finding, optional
        What the source of its file shows.
    """
    return _measure(folder, sink, first, say, progress, function=function, smells=smells)


def _measure(
    folder: Store,
    sink: JournalSink,
    first: Sequence[Event],
    say: Say,
    progress: Progress,
    *,
    jobs: Jobs | None = None,
    function: FunctionPlan | None = None,
    smells: tuple[Finding, ...] | None = None,
) -> tuple[Result, bool]:
    """Journal the first events and measure; what interrupts from the first of them on is kept."""
    interrupted = False
    with interrupted_once():
        try:
            for event in first:
                sink.append(event)
            if jobs is not None:
                jobs = replace(jobs, traces=folder.traces(sink.record().id))
            say(cost_sentence(sink.record().spec))
            asked = now()
            with machine_lock(lambda: say(WAITING)):
                begin = now()
                if jobs is not None and jobs.begun_s is not None:
                    # What another run took meanwhile is not of this one's budget.
                    jobs = replace(jobs, begun_s=jobs.begun_s + begin - asked)
                session.measure(
                    sink, settle, progress,
                    wait=time.sleep, jobs=jobs, say=say, function=function,
                )  # fmt: skip
                say(f"Measured in {units.about(now() - begin)}.")
        except KeyboardInterrupt:
            if not sink.begun:
                # Nothing is in the journal yet: there is no run to go on with.
                sink.close()
                raise
            interrupted = True
        except NothingMeasuredError:
            with deaf_to_interrupts():
                _finish(folder, sink, smells)
            raise
        with deaf_to_interrupts():
            result = _finish(folder, sink, smells)
    if not interrupted and not any(r for c in result.record.cases for r in c.rounds):
        reasons = dict.fromkeys(f"{c.entry}: {c.why}" for c in result.record.cases if c.why)
        if not reasons:
            absent = [b for b in result.record.backends if not b.available]
            reasons = dict.fromkeys(f"{b.name}: {b.why_not}" for b in absent)
        if not reasons:
            # The first alone: what could not start, or be made, failed alike in every round.
            reasons = dict.fromkeys([r for r in result.record.remarks if "could not" in r][:1])
        raise NothingMeasuredError(
            f"nothing could be measured ({'; '.join(reasons) or 'no case was set up'})",
            f"breakeven report {result.record.id} shows what was tried",
        )
    return result, interrupted


def _finish(folder: Store, sink: JournalSink, smells: tuple[Finding, ...] | None = None) -> Result:
    record = judged(with_readings(sink.record()), smells)
    try:
        path, problem = folder.save(record), sink.failure
    except StoreError as error:
        path, problem = None, str(error)
    sink.close()
    return Result(record=record, path=path, problem=problem)


def cost_sentence(spec: RunSpec) -> str:
    """Return what a run will cost, before it starts."""
    names = ", ".join(f"{w.name} ({', '.join(map(str, w.sizes))})" for w in spec.workloads)
    kinds = spec.dtype if spec.training is None else _training_words(spec.training)
    if spec.precisions:
        kinds += f", on GPUs also {', '.join(spec.precisions)}"
    said = f"Measuring {names}, {kinds}"
    if spec.rounds is not None:
        rounds = "1 round" if spec.rounds == 1 else f"{spec.rounds} rounds"
        said += f", {rounds} at every size"
    if spec.ceilings:
        said += ", the ceilings of this machine first"
    said = f"{said}: {announcement(spec)}"
    if spec.training is not None and spec.training.all_epochs:
        said += f"; then all {spec.training.epochs} epochs, told before they begin"
    if spec.training is not None and spec.training.gpus:
        counts = ", ".join(map(str, spec.training.gpus))
        said += f"; then {counts} {_shared(spec.training)}, told likewise"
    return f"{said}. Ctrl-C keeps what is finished."
