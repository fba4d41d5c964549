"""Times of sizes that were not measured: launch, journey, and the longer of two rates."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from breakeven.analysis.times import WARM_SCOPES, Times
from breakeven.model.run import Work
from breakeven.model.verdict import Foretold, HeldOut, Prediction, Scope
from breakeven.stats.least_squares import nonnegative

LEAST_SIZES = 3
# Nothing is foretold beyond this many times the largest size, nor below the smallest by as much.
REACH = 2.0
STEP = math.sqrt(2.0)
# Sizes that a rate must explain; how much better two rates must fit; what rounding leaves.
SUPPORT, WORTH, ROUNDING = 2, 0.5, 1e-12
ALIGNED_FROM, ALIGNMENT = 64, 8


@dataclass(frozen=True)
class Known:
    """One size with its work and its median times; `transfer_s` is None on a CPU."""

    size: int
    work: Work
    resident_s: float
    transfer_s: float | None = None

    @property
    def moved(self) -> float:
        """Bytes that travel both ways; where they were not counted, those of the work stand in."""
        there, back = self.work.to_device_bytes, self.work.to_host_bytes
        return self.work.bytes if there is None or back is None else there + back


@dataclass(frozen=True)
class Law:
    """Seconds of one call: launch + moved x link + max(flops x compute, bytes x memory).

    Coefficients are seconds, or seconds a unit; 0 where the fit has no use for one.
    """

    launch: float
    link: float
    compute: float
    memory: float

    def seconds(self, work: Work, moved: float = 0.0) -> float:
        """Return the time of one call of `work`."""
        rates = max(work.flops * self.compute, work.bytes * self.memory)
        return self.launch + moved * self.link + rates


def predictions(times: Times) -> tuple[Prediction, ...]:
    """Return what is foretold of each entry and scope that has three sizes or more.

    The settings that a library takes by itself stand for its other thread counts.
    """
    found: list[Prediction] = []
    if times.record.spec.effort == "quick":
        # One round says too little to foretell anything from it.
        return ()
    for workload in times.workloads():
        for entry in times.entries.values():
            if entry.variant in {"twin", "naive", "planted", "precision"}:
                continue
            if not entry.default and entry.device == "cpu":
                continue
            known = _known(times, workload, entry.id)
            for scope in ("resident",) if entry.device == "cpu" else WARM_SCOPES:
                used = [k for k in known if scope == "resident" or k.transfer_s is not None]
                if len(used) >= LEAST_SIZES:
                    found.append(predict(workload, entry.id, scope, used))
    return tuple(found)


def _known(times: Times, workload: str, entry: str) -> list[Known]:
    known = []
    for size in times.sizes(workload):
        case = times.cases.get((workload, size, entry))
        if case is None or case.status != "ok" or case.work is None:
            continue
        resident = times.median(workload, size, entry, "resident")
        if resident is None:
            continue
        travel = None if times.on_cpu(entry) else times.median(workload, size, entry, "transfer")
        known.append(Known(size, case.work, resident, travel))
    return known


def predict(workload: str, entry: str, scope: Scope, known: Sequence[Known]) -> Prediction:
    """Return the law of the sizes known, with its error on each size left out in its turn."""
    law = fit(known, scope)
    held_out = tuple(
        HeldOut(size=k.size, measured_s=_measured(k, scope), predicted_s=told)
        for k in known
        if (told := _told(k.size, [x for x in known if x is not k], scope)) is not None
    )
    errors = [abs(h.predicted_s - h.measured_s) / h.measured_s for h in held_out]
    return Prediction(
        workload=workload,
        entry=entry,
        scope=scope,
        launch_s=law.launch,
        flops_per_s=1 / law.compute if law.compute else None,
        bytes_per_s=1 / law.memory if law.memory else None,
        link_bytes_per_s=1 / law.link if law.link else None,
        fitted=tuple(k.size for k in known),
        points=tuple(
            Foretold(size=size, seconds=law.seconds(work, moved))
            for size in sizes_between(known)
            if (at := work_at(size, known)) is not None
            for work, moved in (at,)
        ),
        held_out=held_out,
        median_error=statistics.median(errors) if errors else None,
        worst_error=max(errors) if errors else None,
        why=None if errors else "no size lies near enough to others to be left out and foretold",
    )


def _told(size: int, others: Sequence[Known], scope: Scope) -> float | None:
    """Return what the others foretell of a size; None where they may not."""
    if len(others) < LEAST_SIZES - 1 or not within(size, others):
        return None
    at = work_at(size, others)
    return None if at is None else fit(others, scope).seconds(*at)


def within(size: float, known: Sequence[Known]) -> bool:
    """Tell whether a size lies between the sizes known, or beyond one end by at most a factor."""
    least, most = min(k.size for k in known), max(k.size for k in known)
    return least / REACH <= size <= most * REACH


def sizes_between(known: Sequence[Known]) -> tuple[int, ...]:
    """Return sizes a factor of 1.41 apart that were not measured, to twice the largest."""
    least, most = min(k.size for k in known), max(k.size for k in known) * REACH
    measured, found, size = {k.size for k in known}, [], float(least)
    while (size := size * STEP) <= most * 1.0001:
        whole = round(size)
        if size >= ALIGNED_FROM:
            whole = ALIGNMENT * round(size / ALIGNMENT)
        if whole <= most and whole not in measured:
            found.append(whole)
    return tuple(dict.fromkeys(found))


def work_at(size: float, known: Sequence[Known]) -> tuple[Work, float] | None:
    """Return the work of a size and the bytes that travel, between or beyond the sizes known.

    Counts are interpolated in logarithms of both, which is exact for powers of the size. None
    where `within` does not allow it: nothing is foretold there.
    """
    if len(known) < LEAST_SIZES - 1 or not within(size, known):
        return None
    order = sorted(known, key=lambda k: k.size)
    flops = _along(size, [(k.size, k.work.flops) for k in order])
    count = _along(size, [(k.size, k.work.bytes) for k in order])
    moved = _along(size, [(k.size, k.moved) for k in order])
    return Work(flops=flops, bytes=count), moved


def _along(size: float, points: Sequence[tuple[int, float]]) -> float:
    right = next((i for i, (s, _) in enumerate(points) if s >= size), len(points) - 1)
    (low, a), (high, b) = points[max(right, 1) - 1], points[max(right, 1)]
    along = math.log(size / low) / math.log(high / low)
    if a <= 0 or b <= 0:
        return max(0.0, a + along * (b - a))
    return float(a * (b / a) ** along)


def fit(known: Sequence[Known], scope: Scope) -> Law:
    """Return the law that fits the sizes known best, in squares of relative errors.

    Resident times give launch and rates. The journey is fitted to what transfer adds, so that a
    rate of the link and a rate of the memory are not taken for each other.
    """
    resident = _fit_resident(known)
    if scope == "resident":
        return resident
    added = [k for k in known if k.transfer_s is not None]
    rows, values = [], []
    for k in added:
        assert k.transfer_s is not None
        rows.append([1 / k.transfer_s, k.moved / k.transfer_s])
        values.append((k.transfer_s - resident.seconds(k.work)) / k.transfer_s)
    started, link = nonnegative(rows, values, max(1, len(rows) - 1))
    return Law(resident.launch + started, link, resident.compute, resident.memory)


def _fit_resident(known: Sequence[Known]) -> Law:
    """Return launch and rates: one rate for all sizes, or two where that fits twice as well.

    Sizes of few operations a byte take the memory's rate, the others that of the arithmetic;
    every place to part them is tried. A rate that a single size asks for is no rate: it would
    take up whatever is odd about that size.
    """
    order = sorted(known, key=lambda k: k.work.flops / k.work.bytes if k.work.bytes else math.inf)
    best = min((_parted(order, 0), _parted(order, len(order))), key=lambda law: _misfit(law, known))
    for cut in range(SUPPORT, len(order) - SUPPORT + 1):
        law = _parted(order, cut)
        if _misfit(law, known) < WORTH * _misfit(best, known) - ROUNDING:
            best = law
    return best


def _parted(order: Sequence[Known], cut: int) -> Law:
    """Return the law whose first `cut` sizes are bound by memory, the others by arithmetic."""
    rows = [
        [1.0, 0.0, k.work.bytes] if i < cut else [1.0, k.work.flops, 0.0]
        for i, k in enumerate(order)
    ]
    scaled = [[a / k.resident_s for a in row] for row, k in zip(rows, order, strict=True)]
    launch, compute, memory = nonnegative(scaled, [1.0] * len(order), max(1, len(order) - 1))
    return Law(launch, 0.0, compute, memory)


def _misfit(law: Law, known: Sequence[Known]) -> float:
    return sum((law.seconds(k.work) / k.resident_s - 1) ** 2 for k in known)


def _measured(k: Known, scope: Scope) -> float:
    if scope == "resident":
        return k.resident_s
    assert k.transfer_s is not None
    return k.transfer_s
