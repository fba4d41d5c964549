"""What a self-test tries, each with its figure, its target and a word."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from breakeven import units
from breakeven.analysis.gates import LOST_SHARE, status_words
from breakeven.model.run import Floors, RunRecord, Slot
from breakeven.model.selftest import Check, CheckWord, DeviceReading, Readings, Trial

EMPTY_CALL_S, MESSAGE_S, SYNCHRONISE_S, EVENT_PAIR_S, EMPTY_KERNEL_S = 1e-6, 5e-3, 5e-5, 5e-5, 2e-5
RESOLUTION_S, RATE_ERROR = 1e-6, 1e-3
STEAL_CORES = 0.10
TWO_STATES_SHARE = 0.10
# Identical code that may differ by more than this tells nothing of use apart.
USELESS_MARGIN = 2.0
# What the wall clock is held to: a planted ratio may be off by this much beside its interval.
WALL_ERROR = 0.01
DEVICE_ERROR, DEVICE_ERROR_S = 0.02, 1e-6
STOP = "stop them and run again"


def checks(
    record: RunRecord, found: Sequence[Trial], readings: Readings, *, scripted: bool = False
) -> tuple[Check, ...]:
    """Return every check of a self-test, in the order in which a reader asks.

    Parameters
    ----------
    record : RunRecord
        The rounds, as the engine left them.
    found : sequence of Trial
        Their comparisons with known answers.
    readings : Readings
        What was read beside them.
    scripted : bool
        Whether times are given: other processes then disturb nothing.
    """
    slots = _slots(record)
    return (
        _other_processes(slots, scripted=scripted),
        *_gpu_others(record),
        _steal(readings),
        _two_states(slots),
        *_timer(readings),
        *_floors(record.limits.floors),
        _answers(record),
        _same_code([t for t in found if t.planted == 1.0]),
        *_planted(found),
        *_device(readings),
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


def _gpu_others(record: RunRecord) -> Iterator[Check]:
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
    unseen = any("on the GPU cannot be seen" in r for r in record.remarks)
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
        else "the driver does not name other processes here"
        if unseen
        else None,
        remedy=("let it cool, or see to its fans" if hot else STOP) if failed else None,
    )


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


def _timer(readings: Readings) -> Iterator[Check]:
    timer = readings.timer
    if timer is None:
        return
    coarse = timer.resolution_s > RESOLUTION_S
    yield Check(
        name="timer",
        title="host clock steps finely, never back",
        word="failed" if coarse or timer.backward else "passed",
        figure=f"{units.seconds(timer.resolution_s)}, {timer.backward} of {timer.reads} back",
        target=f"under {units.seconds(RESOLUTION_S)}, none back",
        value=timer.resolution_s,
        limit=RESOLUTION_S,
        why=f"the host clock ran backward {timer.backward} times"
        if timer.backward
        else f"the host clock steps by {units.seconds(timer.resolution_s)}"
        if coarse
        else None,
        remedy="have the system use its finest clock source (clocksource tsc on Linux)"
        if coarse or timer.backward
        else None,
    )
    off = None if timer.rate is None else abs(timer.rate - 1.0)
    wrong = off is not None and off > RATE_ERROR
    yield Check(
        name="clock_rate",
        title="host clock beside the hardware's",
        word="unknown" if off is None else "failed" if wrong else "passed",
        figure="no other clock" if off is None else f"{units.significant(100 * off, 2)} % apart",
        target=f"within {units.significant(100 * RATE_ERROR, 1)} %",
        value=off,
        limit=RATE_ERROR,
        why="this system has no clock that nothing adjusts"
        if off is None
        else f"the host clock runs {units.significant(100 * off, 2)} % off the hardware's"
        if wrong
        else None,
        remedy="stop what sets the clock (time service, suspended virtual machine), and run again"
        if wrong
        else None,
    )


def _floors(floors: dict[str, Floors]) -> Iterator[Check]:
    parts = (
        ("empty_call", "floor: an empty call", EMPTY_CALL_S, "empty_call_s"),
        ("message", "floor: a message to a worker", MESSAGE_S, "message_s"),
        ("synchronise", "floor: waiting for an idle GPU", SYNCHRONISE_S, "synchronise_s"),
        ("event_pair", "floor: two events on the GPU", EVENT_PAIR_S, "event_pair_s"),
        ("empty_kernel", "floor: an empty kernel", EMPTY_KERNEL_S, "empty_kernel_s"),
    )
    for name, title, limit, field in parts:
        found = {e: getattr(f, field) for e, f in floors.items()}
        known = {e: s for e, s in found.items() if s is not None}
        if not known:
            continue
        slowest = max(known, key=lambda e: known[e])
        value = known[slowest]
        failed = value > limit
        yield Check(
            name=name,
            title=title,
            word="failed" if failed else "passed",
            figure=units.seconds(value) if value > 0 else "under its clock's step",
            target=f"under {units.seconds(limit)}",
            value=value,
            limit=limit,
            why=f"{title.removeprefix('floor: ')} takes {units.seconds(value)} ({slowest})"
            if failed
            else None,
            remedy="stop what slows every call (tracer, debugger, virtual machine without its "
            "own clock), and run again"
            if failed
            else None,
        )


def _answers(record: RunRecord) -> Check:
    wrong = [c for c in record.cases if c.status != "ok"]
    passed = sum(c.agreement is not None and c.agreement.passed for c in record.cases)
    first = next((c for c in wrong if c.status == "disagrees"), wrong[0] if wrong else None)
    return Check(
        name="answers",
        title="answers agree with float64",
        word="unknown" if not record.cases else "failed" if wrong else "passed",
        figure=f"{passed} of {len(record.cases)} cases",
        target="all",
        value=float(passed),
        limit=float(len(record.cases)),
        why=f"{first.entry} at {first.workload} {first.size}: {status_words(first)}"
        if first
        else None
        if record.cases
        else "no case was set up",
        remedy="breakeven doctor says what is broken" if first else None,
    )


def _same_code(found: Sequence[Trial]) -> Check:
    judged = [t.verdict for t in found if t.verdict.word != "withheld"]
    winners = [v for v in judged if v.word in {"faster", "slower"}]
    margin = max((v.margin for v in judged if v.margin is not None), default=None)
    word: CheckWord = "unknown"
    why = remedy = None
    figure = f"{len(judged)} of {len(found)} comparisons could be judged"
    if margin is not None:
        figure = (
            f"{len(winners)} winners in {len(judged)}; differences under "
            f"{units.significant(margin)} times cannot be told here"
        )
    if winners:
        v = winners[0]
        assert v.ratio is not None
        word = "failed"
        apart = units.significant(max(v.ratio, 1 / v.ratio))
        why = f"the same code measured twice came out {apart} times apart"
        why += f" ({v.base} at {v.workload} {v.size})"
        remedy = "run again when the machine is calmer; where it stays, report it"
    elif margin is not None and margin > USELESS_MARGIN:
        word = "failed"
        why = f"the same code differs by up to {units.significant(margin)} times from process"
        why += " to process"
        remedy = "see what else runs here and how clocks are governed (breakeven doctor)"
    elif margin is not None and len(judged) == len(found):
        word = "passed"
    else:
        why = next((t.verdict.why for t in found if t.verdict.word == "withheld"), None)
        why = why or "nothing was compared"
    return Check(
        name="same_code",
        title="the same code twice",
        word=word,
        figure=figure,
        target=f"no winner, under {units.significant(USELESS_MARGIN, 2)} times",
        value=margin,
        limit=USELESS_MARGIN,
        why=why,
        remedy=remedy,
    )


def _planted(found: Sequence[Trial]) -> Iterator[Check]:
    ratios = sorted({t.planted for t in found if t.planted != 1.0}, reverse=True)
    for ratio in ratios:
        yield _one_planted(ratio, [t for t in found if t.planted == ratio])


def untrue(trial: Trial) -> bool:
    """Tell whether a trial contradicts what was planted: the interval of all rounds excludes it.

    That is the interval at the level that a word hangs on, with 1 % for the wall clock beside it.
    """
    if trial.low is None or trial.high is None:
        return False
    return not trial.low * (1 - WALL_ERROR) <= trial.planted <= trial.high * (1 + WALL_ERROR)


def _one_planted(ratio: float, found: Sequence[Trial]) -> Check:
    wrong = [t for t in found if untrue(t)]
    slower = [t for t in found if t.verdict.word == "slower" and t not in wrong]
    rounds = max((t.rounds for t in found), default=0)
    figure = f"found at {_part(len(slower), len(found))} places, {rounds} rounds"
    word: CheckWord = "passed" if len(slower) == len(found) else "unknown"
    why = remedy = None
    if wrong:
        worst = max(wrong, key=lambda t: abs(math.log((t.measured or ratio) / ratio)))
        assert worst.measured is not None
        v, word = worst.verdict, "failed"
        why = f"work repeated {ratio:.2f} times was measured as {worst.measured:.2f} times"
        why += f" ({v.entry} at {v.workload} {v.size})"
        remedy = "run again when the machine is calmer; where it stays, report it"
    elif word == "unknown":
        missed = [t for t in found if t not in slower]
        needed = [t.rounds_needed for t in missed if t.rounds_needed is not None]
        withheld = next((t.verdict.why for t in missed if t.verdict.word == "withheld"), None)
        if needed:
            figure += f"; the rest would need {max(needed)}"
            why = f"{max(needed)} rounds would find it at this noise (--budget)"
        else:
            why = withheld or "at this noise even 20 rounds would not find it everywhere"
    return Check(
        name=f"planted_{ratio:.2f}",
        title=f"a planted difference of {ratio:.2f}",
        word=word,
        figure=figure,
        target="slower, its interval holds it",
        value=float(len(slower)),
        limit=float(len(found)),
        why=why,
        remedy=remedy,
    )


def _device(readings: Readings) -> Iterator[Check]:
    title, target = "device clock beside a trace", "within 2 %, or 1 us a kernel"
    if not readings.device:
        yield Check(
            name="device_clock",
            title=title,
            word="unknown",
            figure="not tried",
            target=target,
            why=readings.device_why or "no GPU takes part",
        )
    for one in readings.device:
        yield _one_device(one, title, target)


def _one_device(one: DeviceReading, title: str, target: str) -> Check:
    where = f"{one.backend}, {one.workload} {one.size}"
    name = f"device_clock_{one.backend}_{one.size}"
    if one.ours_s is None or one.traced_s is None:
        return Check(
            name=name,
            title=f"{title} ({where})",
            word="unknown",
            figure="no figure",
            target=target,
            why=one.why or "one of the two could not be read",
        )
    apart = one.ours_s - one.traced_s
    bound = device_bound_s(one.traced_s, one.kernels)
    failed = abs(apart) > bound
    figure = f"{units.seconds(one.ours_s)} against {units.seconds(one.traced_s)}"
    return Check(
        name=name,
        title=f"{title} ({where})",
        word="failed" if failed else "passed",
        figure=figure,
        target=target,
        value=apart,
        limit=bound,
        why=f"the device clock of {where} says {figure} in the trace" if failed else None,
        remedy="run again when the GPU is idle; where it stays, report it" if failed else None,
    )


def device_bound_s(traced_s: float, kernels: int = 1) -> float:
    """Return how far a device time may be from the trace: 2 %, or 1 us for each of its kernels.

    A queue has a gap between a kernel and the next, which a trace does not count.
    """
    return max(DEVICE_ERROR * traced_s, DEVICE_ERROR_S * max(1, kernels))
