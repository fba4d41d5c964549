"""What a self-test tries, each with its figure, its target and a word."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from breakeven import units
from breakeven.analysis.clock_checks import device_checks, floor_checks, timer_checks
from breakeven.analysis.gates import LOST_SHARE
from breakeven.analysis.trial_checks import answers_check, off, planted_checks, same_code_check
from breakeven.model.run import RunRecord, Slot
from breakeven.model.selftest import (
    Check,
    CheckWord,
    Readings,
    Together,
    Trial,
)

STEAL_CORES = 0.10
TWO_STATES_SHARE = 0.10
STOP = "stop them and run again"


def checks(
    record: RunRecord,
    found: Sequence[Trial],
    joint: Sequence[Together],
    readings: Readings,
    *,
    scripted: bool = False,
) -> tuple[Check, ...]:
    """Return every check of a self-test, in the order in which a reader asks.

    Parameters
    ----------
    record : RunRecord
        The rounds, as the engine left them.
    found : sequence of Trial
        Their comparisons with known answers.
    joint : sequence of Together
        The same, each entry's taken together.
    readings : Readings
        What was read beside them.
    scripted : bool
        Whether times are given: other processes then disturb nothing.
    """
    slots = _slots(record)
    return (
        _other_processes(slots, scripted=scripted),
        *_gpu_others(record, scripted=scripted),
        _steal(readings),
        _two_states(slots),
        *timer_checks(readings),
        *floor_checks(record.limits.floors),
        answers_check(record),
        same_code_check([t for t in found if t.planted == 1.0], off(joint, 1.0)),
        *planted_checks(found, joint),
        *device_checks(readings),
    )


def _slots(record: RunRecord) -> list[Slot]:
    return [
        slot
        for case in record.cases
        for block in case.rounds
        if block.clock == "wall" and block.round > 0
        for slot in block.slots
    ]


def _voided(slots: Sequence[Slot], *reasons: str) -> int:
    return sum(s.voided in reasons for s in slots)


def foreign_cores(slots: Sequence[Slot]) -> float | None:
    """Return the cores' worth of time that others took on average; None where it was not read."""
    seen = [s.conditions.foreign_cores for s in slots if s.conditions.foreign_cores is not None]
    return statistics.fmean(seen) if seen else None


def _other_processes(slots: Sequence[Slot], *, scripted: bool) -> Check:
    lost, cores = _voided(slots, "busy"), foreign_cores(slots)
    share = lost / len(slots) if slots else None
    took = "CPU time" if cores is None else f"{units.significant(cores, 2)} cores"
    void = f"{_part(lost, len(slots))} slots"
    word: CheckWord = "passed"
    why = remedy = None
    if share is not None and share > LOST_SHARE:
        word, remedy = "failed", STOP
        why = f"other processes took {took} ({void} do not count)"
    elif scripted:
        word, why = "unknown", "times were given by a script: nothing can disturb them"
    elif cores is None:
        word, why = "unknown", "the time that other processes take cannot be read here"
    return Check(
        name="other_processes",
        title="other processes",
        word=word,
        figure=f"{'' if cores is None else took + '; '}{void} void",
        target=f"at most {LOST_SHARE:.0%}".replace("%", " %"),
        value=share,
        limit=LOST_SHARE,
        why=why,
        remedy=remedy,
    )


def _part(some: int, of: int) -> str:
    return f"{some} of {of}"


def _gpu_others(record: RunRecord, *, scripted: bool) -> Iterator[Check]:
    """Yield the check of the GPU, if one takes part.

    A look tells of others by their processes or by their memory; where most slots have neither,
    nothing was seen because nothing could be.
    """
    on_gpu = {e.id for e in record.entries if e.device != "cpu"}
    slots = [
        slot
        for case in record.cases
        if case.entry in on_gpu
        for block in case.rounds
        if block.clock == "wall"
        for slot in block.slots
    ]
    if not slots:
        return
    lost = _voided(slots, "gpu_busy", "thermal")
    failed = lost > LOST_SHARE * len(slots)
    hot = _voided(slots, "thermal") > lost / 2
    told = sum(_tells_of_others(s) for s in slots)
    unseen = 2 * told <= len(slots)
    word: CheckWord = "failed" if failed else "unknown" if unseen else "passed"
    seen = "the GPU was too hot" if hot else "another process used the GPU"
    yield Check(
        name="gpu_others",
        title="the GPU undisturbed",
        word=word,
        figure=f"{_part(lost, len(slots))} slots void",
        target=f"at most {LOST_SHARE:.0%}".replace("%", " %"),
        value=lost / len(slots),
        limit=LOST_SHARE,
        why=f"{seen} ({_part(lost, len(slots))} slots do not count)"
        if failed
        else "times were given by a script: nothing can disturb them"
        if unseen and scripted
        else f"only {_part(told, len(slots))} slots tell of others on the GPU"
        if unseen and told
        else "the driver tells neither other processes here nor their memory"
        if unseen
        else None,
        remedy=("let it cool, or see to its fans" if hot else STOP) if failed else None,
    )


def _tells_of_others(slot: Slot) -> bool:
    gpu = slot.conditions.gpu
    return gpu is not None and (gpu.others is not None or gpu.others_bytes is not None)


def _steal(readings: Readings) -> Check:
    cores = readings.steal_cores
    failed = cores is not None and cores > STEAL_CORES
    return Check(
        name="steal",
        title="time taken by the hypervisor",
        word="unknown" if cores is None else "failed" if failed else "passed",
        figure="not told" if cores is None else f"{units.significant(cores, 2)} cores",
        target=f"at most {units.significant(STEAL_CORES, 1)} cores",
        value=cores,
        limit=STEAL_CORES,
        why="the system does not tell it"
        if cores is None
        else f"the hypervisor gave {units.significant(cores, 2)} of its cores to others"
        if failed
        else None,
        remedy="run again when its neighbours are calmer, or on a machine of its own"
        if failed
        else None,
    )


def _two_states(slots: Sequence[Slot]) -> Check:
    lost = _voided(slots, "two_states")
    share = lost / len(slots) if slots else None
    failed = share is not None and share > TWO_STATES_SHARE
    return Check(
        name="two_states",
        title="threads with a core each",
        word="unknown" if share is None else "failed" if failed else "passed",
        figure=f"{_part(lost, len(slots))} slots in which two threads shared one",
        target=f"at most {TWO_STATES_SHARE:.0%}".replace("%", " %"),
        value=share,
        limit=TWO_STATES_SHARE,
        why=f"two pool threads shared a core in {_part(lost, len(slots))} slots"
        if failed
        else None
        if slots
        else "no slot was measured",
        remedy="leave pinning possible (no taskset, no cpuset), or stop what holds a core"
        if failed
        else None,
    )
