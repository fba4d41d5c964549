"""How the GPU was while slots ran: what held its clocks down, told apart by cause."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from breakeven.model.run import Case, GpuConditions, RunRecord, Slot

RAMP_SHARE = 0.95
"""A first slot under this share of a round's later clock ran while the clock still rose."""

RAMP_SLOTS = 4
"""Slots of a round from which a rise can be told from chance."""

SAG_SHARE = 0.9
"""A clock under this share of the usual one is low; a driver without a reason leaves it open."""

HELD = ("thermal", "power_cap", "hardware", "other")
"""Reasons of the driver, the one that weighs most first: a hot card also draws its limit."""

NAMES = (*HELD, "ramp", "tenant", "unexplained")


class Looked(NamedTuple):
    """One wall slot of a GPU entry with the look at the GPU after it.

    Attributes
    ----------
    cause : str or None
        ``thermal``, ``power_cap``, ``hardware``, ``other``, ``ramp``, ``tenant`` or
        ``unexplained``; None where nothing disturbed it.
    """

    entry: str
    workload: str
    size: int
    round: int
    slot: Slot
    gpu: GpuConditions
    cause: str | None


def looked(record: RunRecord) -> list[Looked]:
    """Return every wall slot that has a look at the GPU, each with its cause."""
    found = [one for case in record.cases for one in _of_case(case)]
    usual = _usual_mhz(found)
    return [_open_cause(one, usual.get((one.workload, one.size))) for one in found]


def thermal_share(slots: Sequence[Slot]) -> tuple[int, int]:
    """Return the slots after which heat held the clock down, and for how many that is known."""
    looks = [s.conditions.gpu.reasons for s in slots if s.conditions.gpu is not None]
    known = [reasons for reasons in looks if reasons is not None]
    return sum("thermal" in reasons for reasons in known), len(known)


def _of_case(case: Case) -> Iterator[Looked]:
    for round_ in case.rounds:
        if round_.clock != "wall":
            continue
        seen = [
            (slot, slot.conditions.gpu)
            for slot in sorted(round_.slots, key=lambda s: s.order)
            if slot.conditions.gpu is not None
        ]
        rising = _rising([gpu.sm_clock_mhz for _, gpu in seen])
        for place, (slot, gpu) in enumerate(seen):
            cause = _cause(gpu, ramp=place < rising)
            yield Looked(case.entry, case.workload, case.size, round_.round, slot, gpu, cause)


def _rising(clocks: Sequence[float | None]) -> int:
    """Return how many first slots of a round ran before the clock had risen.

    The clock of the second half is what it rises to; at most a third of the slots, in one piece
    from the first on, count as the ramp.
    """
    known = [c for c in clocks if c is not None]
    if len(known) < RAMP_SLOTS or len(known) < len(clocks):
        return 0
    level = statistics.median(known[len(known) // 2 :])
    low = next((i for i, c in enumerate(known) if c >= RAMP_SHARE * level), len(known))
    return low if low <= max(1, len(known) // 3) else 0


def _cause(gpu: GpuConditions, *, ramp: bool) -> str | None:
    if gpu.others or gpu.others_bytes:
        return "tenant"
    named = next((reason for reason in HELD if reason in (gpu.reasons or ())), None)
    return named or ("ramp" if ramp else None)


def _usual_mhz(found: Sequence[Looked]) -> dict[tuple[str, int], float]:
    """Return the median SM clock of undisturbed slots, by workload and size."""
    clocks: dict[tuple[str, int], list[float]] = {}
    for one in found:
        if one.cause is None and one.gpu.sm_clock_mhz is not None:
            clocks.setdefault((one.workload, one.size), []).append(one.gpu.sm_clock_mhz)
    return {key: statistics.median(values) for key, values in clocks.items()}


def _open_cause(one: Looked, usual: float | None) -> Looked:
    clock = one.gpu.sm_clock_mhz
    if one.cause is not None or usual is None or clock is None or clock >= SAG_SHARE * usual:
        return one
    return one._replace(cause="unexplained")
