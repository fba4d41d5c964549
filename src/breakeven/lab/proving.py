"""One call that tries this machine, with this tool, on work whose answer is known."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from breakeven import units
from breakeven.analysis.checks import checks
from breakeven.analysis.fitness import answer
from breakeven.analysis.trials import settle_trials, together, trials
from breakeven.engine import session
from breakeven.engine.clock import now, stamp, utc
from breakeven.engine.device_check import read_device_clocks
from breakeven.engine.lock import machine_lock
from breakeven.engine.processes import deaf_to_interrupts, interrupted_once
from breakeven.engine.timers import TimerWatch
from breakeven.errors import NothingMeasuredError, StoreError
from breakeven.lab.computer import read_machine
from breakeven.lab.lineup import DEVICE_CLOCK_S, Plan, SelfTestOptions, plan
from breakeven.lab.telling import WAITING, Progress, Say, quiet
from breakeven.machine.steal import steal_seconds
from breakeven.model.event import BackendSeen, Began
from breakeven.model.machine import Machine
from breakeven.model.run import RunRecord
from breakeven.model.selftest import Readings, SelfTest
from breakeven.store.folder import new_id
from breakeven.store.selftests import SelfTests
from breakeven.store.sink import MemorySink

NO_GPU = "no GPU takes part"
LEFT_OUT = "left out of --quick"


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


def start_selftest(
    asked: SelfTestOptions,
    *,
    command: Sequence[str],
    store: Path | None = None,
    say: Say = quiet,
    progress: Progress = quiet,
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
    gpus = {e.backend for e in bases if e.device != "cpu"} if made.device_clock else set()
    took = units.about(made.spec.budget_s + DEVICE_CLOCK_S * len(gpus))
    return f"Trying {names} on work whose answer is known: about {took} at most."


def try_machine(
    made: Plan,
    machine: Machine,
    *,
    command: Sequence[str] = ("selftest",),
    say: Say = quiet,
    progress: Progress = quiet,
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
    if not made.device_clock:
        return Readings(timer=watch.read(), steal_cores=steal, device_why=LEFT_OUT)
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
    joint = together(record, found)
    tried = checks(record, found, joint, readings, scripted=scripted)
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
        together=joint,
        floors=record.limits.floors,
        readings=readings,
        remarks=record.remarks,
    )
