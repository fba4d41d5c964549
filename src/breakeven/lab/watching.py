"""A command under the sensors: started, watched to its end, stored with what was read."""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from breakeven.engine import foreground
from breakeven.engine.clock import stamp, utc
from breakeven.engine.foreground import Ended, Foreground
from breakeven.engine.processes import deaf_to_interrupts, oom_kills
from breakeven.errors import InputError, StoreError
from breakeven.lab import judging, recovering
from breakeven.lab.computer import read_machine
from breakeven.lab.legible import legible
from breakeven.lab.result import Result
from breakeven.lab.sensed import concluded
from breakeven.model.event import Began, Event, Remark, Sensed
from breakeven.model.event import Ended as RunEnded
from breakeven.model.machine import Machine
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Mark, Sensing, Watched
from breakeven.model.spec import RunSpec
from breakeven.sensors.recording import Recording
from breakeven.sensors.sampler import Sampler, SamplingPlan
from breakeven.store.folder import Store, new_id
from breakeven.store.sink import MemorySink

Say = Callable[[str], None]
FASTEST_S, SLOWEST_S = 0.01, 60.0
SLOW_TIER = 10
_LONGEST_LABEL = 60


class WatchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a watch, as the user gave them.

    Attributes
    ----------
    interval_s : float
        Between readings of what changes quickly; the rest is read every tenth time.
    grace_s : float
        From a request to end to SIGKILL; 0 never kills.
    to_the_last : bool
        Whether to watch until everything that the command started has ended.
    output : dict
        Descriptors of the command that lead elsewhere.
    """

    interval_s: float = 0.1
    grace_s: float = foreground.GRACE_S
    to_the_last: bool = False
    output: dict[int, int] = {}


class WatchedCommand(NamedTuple):
    """A watched command: its run, and what a shell would end with."""

    result: Result
    exit_code: int


def watch_command(
    words: Sequence[str],
    asked: WatchOptions,
    *,
    command: Sequence[str],
    store: Path | None = None,
    say: Say = lambda _text: None,
) -> WatchedCommand:
    """Run a command under the sensors, and store what they read.

    It keeps the terminal and its streams; signals are passed on to it. Call it on the main thread.

    Parameters
    ----------
    words : sequence of str
        The command.
    command : sequence of str
        What was asked of Breakeven, for the record.
    say : callable
        Told what is done to a command that does not end.

    Raises
    ------
    InputError, StoreError
        Before anything is started: an option is wrong, or the store cannot be written.
    NotStartedError
        If the command cannot be started; nothing is stored then.
    """
    if not words:
        raise InputError("there is no command to watch", "breakeven watch -- COMMAND")
    plan = plan_of(asked.interval_s, count_root=False)
    foreground.check(words)
    folder = Store(store)
    folder.check_writable()
    record = record_of(legible(command), read_machine())
    plan = msgspec.structs.replace(plan, gpus=bool(record.machine.gpus))
    sink = folder.sink(record.id)
    place = recovering.place(folder.path, record.id)
    try:
        sink.append(Began(record=record))
        killed_before = oom_kills()
        with contextlib.suppress(OSError):  # the sampler then keeps it in memory, and says so
            place.mkdir(exist_ok=True)
        with Sampler(plan, place, os.getpid()) as sampler:
            ended, begun = _run(words, asked, place, say)
            with deaf_to_interrupts():
                recording = sampler.finish()
        for event in _events(legible(words), ended, begun, recording, oom_kills() - killed_before):
            sink.append(event)
        result = _stored(folder, sink)
    except foreground.NotStartedError:
        sink.close()
        folder.journal(record.id).unlink(missing_ok=True)
        recovering.clear(place)
        raise
    finally:
        sink.close()
    if result.problem is None:
        recovering.clear(place)
    return WatchedCommand(result, ended.shell_code)


def plan_of(interval_s: float, *, count_root: bool) -> SamplingPlan:
    """Return how often sensors are read.

    Raises
    ------
    InputError
        If the interval is none that can be kept.
    """
    if not FASTEST_S <= interval_s <= SLOWEST_S:
        raise InputError(
            f"readings every {interval_s:g} s are not possible",
            f"choose an interval of {FASTEST_S:g} to {SLOWEST_S:g} s",
        )
    slow_s = max(interval_s, min(1.0, SLOW_TIER * interval_s))
    return SamplingPlan(fast_s=interval_s, slow_s=slow_s, count_root=count_root)


def record_of(command: Sequence[str], machine: Machine) -> RunRecord:
    """Return the record of a watch that begins now."""
    return RunRecord(
        id=new_id(utc(), secrets.token_hex(2)),
        started=stamp(),
        command=tuple(command),
        spec=RunSpec(workloads=(), backends=(), effort="full", budget_s=0.0),
        machine=machine,
    )


def sensed(recording: Recording, begun: recovering.Begun, watched: Watched, label: str) -> Sensed:
    """Return what a recording amounts to, its times counted from the start of what was watched."""
    found = recording.since(begun.origin_s)
    whole = Mark(begin_s=0.0, end_s=watched.wall_s, kind="command", label=label)
    sensing: Sensing = found.sensing([whole], (), watched)
    sensing = msgspec.structs.replace(sensing, unix_s=begun.unix_s)
    return Sensed(timeline=found.timeline, sensing=concluded(found.timeline, sensing))


def label_of(words: Sequence[str]) -> str:
    """Return a command as one line of at most 60 characters."""
    said = shlex.join(words)
    return said if len(said) <= _LONGEST_LABEL else said[: _LONGEST_LABEL - 3] + "..."


def stored(folder: Store | None, sink: MemorySink) -> Result:
    """Return the run of a sink, saved where there is a folder."""
    record = sink.record()
    if record.profiled is not None:
        record = judging.concluded(record)
    if folder is None:
        return Result(record=record)
    try:
        return Result(record=record, path=folder.save(record), problem=sink.failure)
    except StoreError as error:
        return Result(record=record, problem=str(error))


def _stored(folder: Store, sink: MemorySink) -> Result:
    with deaf_to_interrupts():
        return stored(folder, sink)


def _run(
    words: Sequence[str], asked: WatchOptions, place: Path, say: Say
) -> tuple[Ended, recovering.Begun]:
    notes: list[recovering.Begun] = []

    def begun(at_s: float) -> None:
        notes.append(recovering.note(place, legible(words), at_s))

    with foreground.held_signals() as held, foreground.orphans_adopted():
        runner = Foreground(say, grace_s=asked.grace_s)
        ended = runner.run(
            words, held, begun=begun, output=asked.output, to_the_last=asked.to_the_last
        )
    return ended, notes[0]


def _events(
    words: Sequence[str],
    ended: Ended,
    begun: recovering.Begun,
    recording: Recording,
    oom_killed: int,
) -> list[Event]:
    watched = Watched(
        command=tuple(words),
        wall_s=ended.ended_s - ended.began_s,
        exit_code=ended.exit_code,
        signal=ended.signal,
        cpu_s=ended.cpu_s,
        peak_rss_bytes=ended.peak_rss_bytes,
    )
    events: list[Event] = [sensed(recording, begun, watched, label_of(words))]
    if oom_killed > 0 and ended.signal == signal.SIGKILL.name:
        events.append(Remark(text="The system killed a process for want of memory meanwhile."))
    if ended.left:
        events.append(
            Remark(
                text=f"Still running when the command had ended, and no longer watched: "
                f"{', '.join(ended.left)} (--all watches to the last)."
            )
        )
    return [*events, RunEnded(finished=stamp())]
