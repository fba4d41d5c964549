"""One call that tries this machine, with this tool, on work whose answer is known."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from breakeven import units
from breakeven.analysis.checks import checks
from breakeven.analysis.fitness import answer
from breakeven.analysis.trials import settle_trials, trials
from breakeven.backends import registry as backends
from breakeven.engine import session
from breakeven.engine.clock import now, stamp, utc
from breakeven.engine.device_check import read_device_clocks
from breakeven.engine.lock import machine_lock
from breakeven.engine.plan import Effort, candidates, effort_of_given, planted
from breakeven.engine.processes import deaf_to_interrupts, interrupted_once
from breakeven.engine.request import seconds_of
from breakeven.engine.timers import TimerWatch
from breakeven.errors import InputError, NothingMeasuredError, StoreError
from breakeven.lab.computer import read_machine
from breakeven.lab.measuring import WAITING
from breakeven.machine.steal import steal_seconds
from breakeven.model.event import BackendSeen, Began
from breakeven.model.machine import BackendInfo, Machine
from breakeven.model.run import Entry, RunRecord
from breakeven.model.selftest import Readings, SelfTest
from breakeven.model.spec import RunSpec, WorkloadSpec
from breakeven.store.folder import new_id
from breakeven.store.selftests import SelfTests
from breakeven.store.sink import MemorySink

Say = Callable[[str], None]
Progress = Callable[[str, float], None]
# Room for the eight rounds that a planted difference takes; PyTorch starts slowly.
BUDGET_ALONE_S, BUDGET_S, BUDGET_GPU_S, QUICK_S = 80.0, 120.0, 120.0, 20.0
# Work on 10 calls stands beside 11 and 12: differences of 1.10 and 1.20.
PLANTED_CALLS = (12, 11)
# One backend alone is tried at more sizes, so that at least eight places see the same code twice.
SIZES_ALONE, SIZES_TWO, SIZES_GPU = (
    (64, 96, 128, 160, 192, 256, 320, 384),
    (96, 160, 256, 384),
    (256, 512, 1024),
)
MOST_ROUNDS = 12
# A unit of ten calls is long: shorter slots hold as many repeats.
SLOT_S, WARM_S = 0.01, 0.04
DEFAULT_CPU, DEFAULT_GPU = ("numpy", "torch-cpu"), ("numpy", "cupy", "torch-cuda")
NO_GPU = "no GPU takes part"


def _quiet(*_words: object) -> None:
    """Say nothing."""


class SelfTestOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a self-test, as the user gave them.

    Attributes
    ----------
    sizes : sequence of int
        Sizes of the matrix product; empty chooses by what takes part.
    """

    quick: bool = False
    budget: str | float | None = None
    backends: Sequence[str] | None = None
    sizes: Sequence[int] = ()
    seed: int = 42


class Plan(NamedTuple):
    """Who is tried, at which sizes, for how long."""

    spec: RunSpec
    entries: tuple[Entry, ...]
    effort: Effort
    backends: tuple[BackendInfo, ...]


class Tried(NamedTuple):
    """A self-test in hand.

    Attributes
    ----------
    path : Path or None
        Where it is stored; None when it could not be.
    problem : str or None
        Why not.
    """

    selftest: SelfTest
    path: Path | None
    problem: str | None


def plan(asked: SelfTestOptions, machine: Machine) -> Plan:
    """Return the plan of a self-test on a machine.

    Raises
    ------
    InputError
        If a backend or the budget is wrong.
    NothingMeasuredError
        If no backend works here.
    """
    found = _look_for(asked, machine)
    here = [(name, info, pools) for name, info, pools in found if info.available]
    infos = tuple(info for _, info, _ in found)
    if not here:
        why = "; ".join(f"{i.name}: {i.why_not}" for i in infos)
        raise NothingMeasuredError(f"no backend works here ({why})", "breakeven doctor says more")
    on_gpu = any(info.device != "cpu" for _, info, _ in here)
    names = tuple(name for name, _, _ in here)
    sizes = tuple(asked.sizes) or _sizes(len(here), quick=asked.quick, on_gpu=on_gpu)
    spec = RunSpec(
        workloads=(WorkloadSpec(name="matmul", sizes=sizes),),
        backends=names,
        explicit_backends=asked.backends is not None,
        effort="full",
        budget_s=_budget(asked, len(here), on_gpu=on_gpu),
        seed=asked.seed,
    )
    # A quick spec has each backend in its default setting alone.
    settings = candidates(msgspec.structs.replace(spec, effort="quick"), here, machine)
    entries = tuple(e for one in settings for e in planted(one, PLANTED_CALLS))
    effort = msgspec.structs.replace(
        effort_of_given(spec, gpu=on_gpu), slot_s=SLOT_S, warm_s=WARM_S, rounds_most=MOST_ROUNDS
    )
    return Plan(spec, entries, effort, infos)


def _look_for(asked: SelfTestOptions, machine: Machine) -> list[tuple[str, BackendInfo, bool]]:
    """Return name, state and whether it has thread pools, of each backend that is asked for."""
    wanted = asked.backends
    if wanted is None:
        wanted = DEFAULT_GPU if machine.gpus else DEFAULT_CPU
        wanted = wanted[:1] if asked.quick and not machine.gpus else wanted
    elif not wanted:
        raise InputError("no backend was given", f"choose from: {', '.join(backends.names())}")
    found = []
    for given in wanted:
        for name in backends.expand(given):
            backend = backends.get(name)
            info = msgspec.structs.replace(backend.find(), name=name)
            found.append((name, info, backend.about.pools))
    if asked.quick and asked.backends is None:
        gpus = [f for f in found if f[1].available and f[1].device != "cpu"]
        found = [f for f in found if f[1].device == "cpu" or f in gpus[:1]]
    return found


def _sizes(backends_here: int, *, quick: bool, on_gpu: bool) -> tuple[int, ...]:
    if on_gpu:
        return SIZES_GPU
    return SIZES_ALONE if backends_here == 1 and not quick else SIZES_TWO


def _budget(asked: SelfTestOptions, backends_here: int, *, on_gpu: bool) -> float:
    if asked.budget is not None:
        return seconds_of(asked.budget)
    if asked.quick:
        return QUICK_S
    if on_gpu:
        return BUDGET_GPU_S
    return BUDGET_ALONE_S if backends_here == 1 else BUDGET_S


def start_selftest(
    asked: SelfTestOptions,
    *,
    command: Sequence[str],
    store: Path | None = None,
    say: Say = _quiet,
    progress: Progress = _quiet,
) -> Tried:
    """Run a self-test, and store it.

    Parameters
    ----------
    say : callable
        Told once what it will cost.
    progress : callable
        Told what is measured now, with the seconds left.
    """
    folder = SelfTests(store)
    folder.check_writable()
    machine = read_machine()
    made = plan(asked, machine)
    say(cost_sentence(made))
    found = try_machine(made, machine, command=command, say=say, progress=progress)
    path, problem = None, None
    with deaf_to_interrupts():
        try:
            path = folder.save(found)
        except StoreError as error:
            problem = str(error)
    return Tried(found, path, problem)


def cost_sentence(made: Plan) -> str:
    """Return what a self-test will cost, before it starts."""
    bases = [e for e in made.entries if not e.twin_of]
    names = ", ".join(e.id.removesuffix(f"-x{e.calls}") for e in bases)
    took = units.about(made.spec.budget_s)
    return f"Trying {names} on work whose answer is known: about {took} at most."


def try_machine(
    made: Plan,
    machine: Machine,
    *,
    command: Sequence[str] = ("selftest",),
    say: Say = _quiet,
    progress: Progress = _quiet,
) -> SelfTest:
    """Measure a plan by the ordinary engine, judge it by the ordinary rule, and say what it means.

    Raises
    ------
    NothingMeasuredError
        If no case could be set up.
    """
    record = RunRecord(
        id=new_id(utc(), secrets.token_hex(2)),
        started=stamp(),
        command=tuple(command),
        spec=made.spec,
        machine=machine,
    )
    sink = MemorySink()
    sink.append(Began(record=record))
    for info in made.backends:
        sink.append(BackendSeen(info=info))
    readings, interrupted = Readings(), False
    with interrupted_once():
        try:
            with machine_lock(lambda: say(WAITING)):
                readings = _measure(made, sink, progress)
        except KeyboardInterrupt:
            interrupted = True
        with deaf_to_interrupts():
            return _concluded(sink.record(), readings, interrupted=interrupted)


def _measure(made: Plan, sink: MemorySink, progress: Progress) -> Readings:
    watch, stolen, begin = TimerWatch(), steal_seconds(), now()
    session.measure(
        sink, settle_trials, progress, wait=time.sleep, given=made.entries, effort=made.effort
    )
    stolen_since, took = steal_seconds(), now() - begin
    steal = None if stolen is None or stolen_since is None else (stolen_since - stolen) / took
    real = [e for e in made.entries if e.device.startswith("cuda")]
    real = [e for e in real if not e.backend.startswith("scripted:")]
    if not real:
        return Readings(timer=watch.read(), steal_cores=steal, device_why=NO_GPU)
    device = read_device_clocks(real, made.spec.seed, progress)
    return Readings(timer=watch.read(), steal_cores=steal, device=device)


def _concluded(record: RunRecord, readings: Readings, *, interrupted: bool) -> SelfTest:
    measured = any(b.round > 0 for c in record.cases for b in c.rounds)
    if not measured:
        if interrupted:
            raise KeyboardInterrupt
        reasons = dict.fromkeys(f"{c.entry}: {c.why}" for c in record.cases if c.why)
        why = "; ".join(reasons) or "; ".join(record.remarks) or "no case was set up"
        raise NothingMeasuredError(f"nothing could be measured ({why})", "see breakeven doctor")
    found = trials(record)
    scripted = all(e.backend.startswith("scripted:") for e in record.entries)
    tried = checks(record, found, readings, scripted=scripted)
    said = answer(tried, found)
    if interrupted:
        said = said._replace(
            fit="unknown", believed_from=None, sentence="Interrupted: nothing is concluded."
        )
    return SelfTest(
        id=record.id,
        started=record.started,
        finished=stamp(),
        command=record.command,
        machine=record.machine,
        fit=said.fit,
        answer=said.sentence,
        believed_from=said.believed_from,
        interrupted=interrupted,
        budget_s=record.spec.budget_s,
        rounds=max((t.rounds for t in found), default=0),
        backends=record.backends,
        entries=record.entries,
        checks=tried,
        trials=found,
        floors=record.limits.floors,
        readings=readings,
        remarks=record.remarks,
    )
