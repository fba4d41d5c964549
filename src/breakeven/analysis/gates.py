"""Reasons for which a comparison is withheld."""

from __future__ import annotations

from typing import NamedTuple

from breakeven import units
from breakeven.analysis.arithmetic import undeclared, unlike
from breakeven.analysis.conditions import thermal_share
from breakeven.analysis.cores import kept_from_cores
from breakeven.analysis.pairs import Pair
from breakeven.analysis.times import Times
from breakeven.analysis.twins import Twins
from breakeven.model.run import Case, RunRecord

FLOOR_TIMES = 10
"""A figure under this many times its floor is not told in digits."""

LOST_SHARE = 0.25
"""Share of turns that may be lost to voided slots."""

HOT_SHARE = 0.10
"""Share of a side's slots that may have run while heat held the GPU's clock down."""

_VOID_WORDS = {
    "busy": ("other processes took CPU time", "stop them or run when the machine is idle"),
    "gpu_busy": ("another process used the GPU", "run when the GPU is free"),
    "thermal": ("heat held the GPU's clock down", "let it cool and run again"),
    "two_states": (
        "two pool threads shared a core, which made calls ten times slower and more",
        "leave pinning on, or give the pool one thread fewer than there are cores",
    ),
}

_STATUS_WORDS = {
    "unavailable": "the backend is not available",
    "unsupported": "this cannot be measured here",
    "out_of_memory": "out of memory",
    "timeout": "it did not finish in time",
    "crashed": "its process ended",
    "disagrees": "its answer disagrees with the float64 reference",
    "ran_on_host": "part of the work ran on the host",
    "interrupted": "it was interrupted",
}


class Gate(NamedTuple):
    """Why a comparison is withheld.

    Attributes
    ----------
    why : str
        Reason, then remedy.
    reason : str
        Short, stable code of the reason.
    mendable : bool
        Whether more rounds may lift it.
    readable : bool
        Whether the ratio may still be shown with its interval.
    spoils : bool
        Whether the size is left out of a crossover.
    """

    why: str
    reason: str
    mendable: bool = False
    readable: bool = False
    spoils: bool = True


def more_time(record: RunRecord) -> str:
    """Return what gives a run more rounds: one that was interrupted is completed first."""
    if record.interrupted:
        return f"complete the run (breakeven run --resume {record.id})"
    return "give more time (--budget)"


def status_words(case: Case) -> str:
    """Return why a case has no sound figure, in words."""
    said = _STATUS_WORDS.get(case.status, case.status)
    return f"{said} ({case.why})" if case.why else said


def gate(times: Times, twins: Twins, pair: Pair) -> Gate | None:
    """Return the first reason to withhold a comparison; None when it may be judged.

    Parameters
    ----------
    times : Times
        The record's wall times.
    twins : Twins
        Its A/A pairs.
    pair : Pair
        The comparison.
    """
    checks = (_undeclared, _status, _answers, _precision, _hot, _voided, _floor, _cores)
    for check in checks:
        found = check(times, pair)
        if found is not None:
            return found
    return _session(times, twins, pair)


def _sides(pair: Pair) -> tuple[str, str]:
    return pair.base, pair.entry


def _case(times: Times, pair: Pair, entry: str) -> Case | None:
    return times.cases.get((pair.workload, pair.size, entry))


def _status(times: Times, pair: Pair) -> Gate | None:
    for side in _sides(pair):
        case = _case(times, pair, side)
        if case is None:
            said = f"{times.label(side)} has not been measured at this size"
            return Gate(said, "unmeasured", mendable=True)
        if case.status != "ok":
            reason = "disagrees" if case.status == "disagrees" else "status"
            return Gate(f"{times.label(side)}: {status_words(case)}", reason)
    return None


def _answers(times: Times, pair: Pair) -> Gate | None:
    for side in _sides(pair):
        case = _case(times, pair, side)
        agreement = case.agreement if case else None
        if agreement is None:
            return Gate(
                f"the answer of {times.label(side)} has not been compared with the float64 "
                "reference",
                "unmeasured",
                mendable=True,
            )
        if not agreement.passed:
            return Gate(
                f"the answer of {times.label(side)} disagrees with the float64 reference "
                f"(class {agreement.class_}); times of different answers are not ranked",
                "disagrees",
            )
    return None


def _undeclared(times: Times, pair: Pair) -> Gate | None:
    """Name reduced precision that nobody asked for, before it is told as a wrong answer."""
    said = undeclared(times, pair)
    return None if said is None else Gate(said, "precision")


def _precision(times: Times, pair: Pair) -> Gate | None:
    said = unlike(times, pair)
    return None if said is None else Gate(said, "precision")


def _floor(times: Times, pair: Pair) -> Gate | None:
    for side in _sides(pair):
        floors = times.record.limits.floors.get(side)
        median = times.median(pair.workload, pair.size, side, pair.scope)
        if floors is None or median is None:
            continue
        if median < FLOOR_TIMES * floors.empty_call_s:
            return Gate(
                f"{times.label(side)} is at the floor: its call is under {FLOOR_TIMES} times the "
                f"{units.seconds(floors.empty_call_s)} of an empty call; measure a larger size",
                "floor",
            )
    return None


def _voided(times: Times, pair: Pair) -> Gate | None:
    for side in _sides(pair):
        lost, measured, reasons = times.lost_turns(pair.workload, pair.size, side, pair.scope)
        if measured and lost > LOST_SHARE * measured:
            reason = max(reasons, key=lambda r: reasons[r])
            seen, remedy = _VOID_WORDS.get(reason, (reason, "measure again"))
            return Gate(
                f"{lost} of {measured} slots of {times.label(side)} do not count: {seen}; {remedy}",
                reason,
                mendable=True,
            )
    return None


def _hot(times: Times, pair: Pair) -> Gate | None:
    for side in _sides(pair):
        rounds = times.rounds_of(pair.workload, pair.size, side, pair.scope)
        slots = times.slots(pair.workload, pair.size, side, pair.scope, rounds)
        hot, looked_at = thermal_share(slots)
        if hot > HOT_SHARE * looked_at:
            degrees = [s.conditions.gpu.temperature_c for s in slots if s.conditions.gpu]
            known = [c for c in degrees if c is not None]
            at = f" (up to {units.whole(max(known))} degrees C)" if known else ""
            return Gate(
                f"heat held the GPU's clock down in {hot} of {looked_at} slots of "
                f"{times.label(side)}{at}; let it cool, or see to its cooling, and run again",
                "thermal",
                mendable=True,
            )
    return None


def _cores(times: Times, pair: Pair) -> Gate | None:
    """Withhold when the CPU side got fewer cores in the rounds than its threads have used."""
    for side in _sides(pair):
        kept = kept_from_cores(times, pair, side)
        if kept is not None:
            threads = times.entries[side].threads or 1
            return Gate(
                f"{side} had {units.significant(kept.used, 2)} cores, though its {threads} "
                f"threads made it {units.ratio(kept.speedup)} faster than one when scouted; see "
                "what limits it (affinity, quota, other processes) and run again",
                "cores",
            )
    return None


def _session(times: Times, twins: Twins, pair: Pair) -> Gate | None:
    winner = twins.winner(pair.workload, pair.size, pair.scope)
    if winner is not None:
        return Gate(
            f"{times.label(winner)} measured against itself came out different, so this "
            "session cannot be believed at this size; run again when the machine is calmer",
            "aa_winner",
            readable=True,
        )
    if twins.margin(pair.workload, pair.size, pair.scope, 3) is None:
        return Gate(
            "no entry was measured against itself in 3 rounds at this size, so what this session "
            "can tell apart is unknown; measure more rounds",
            "no_aa",
            mendable=True,
            readable=True,
            spoils=False,
        )
    return None
