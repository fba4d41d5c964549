"""Which entry the others are compared with."""

from __future__ import annotations

import math
import statistics

from breakeven.analysis.times import Times
from breakeven.model.run import Entry, RunRecord

# Three scouting slots cannot tell settings this close apart: the library's own is then the base.
ALIKE = 1.05


def repeats(record: RunRecord) -> dict[str, str]:
    """Return entries that repeat an earlier one, each with the entry that it repeats.

    That is what the user gets who names a backend twice; twins are not among them.
    """
    first: dict[tuple[object, ...], str] = {}
    again = {}
    for e in record.entries:
        if e.variant in {"twin", "naive", "planted", "precision"}:
            continue
        kind = (
            e.backend, e.device, e.threads, e.dtype, e.matmul_precision, e.variant, e.calls,
        )  # fmt: skip
        if kind in first:
            again[e.id] = first[kind]
        else:
            first[kind] = e.id
    return again


def cpu_entries(record: RunRecord) -> list[Entry]:
    """Return the CPU entries that may be a base."""
    again = repeats(record)
    return [
        e
        for e in record.entries
        if e.device == "cpu" and e.variant == "default" and e.id not in again
    ]


def fastest(times: Times, workload: str, size: int, entries: list[Entry]) -> str | None:
    """Return the id of the CPU entry that was fastest when scouting, at `size` or nearest to it.

    Scouting is apart from the rounds that are judged, so the choice does not favour the base.
    A quick run judges nothing and scouts nothing: its own round chooses.
    Where later rounds measured some of the entries at this size, only those can be a base. On a
    machine so busy that no scouting slot counts, the voided ones choose. Of settings within 5 %
    of the best the library's own threads are taken; they also stand where nothing was scouted.

    Parameters
    ----------
    entries : list of Entry
        Candidates.
    """
    ok = [
        e
        for e in entries
        if (case := times.cases.get((workload, size, e.id))) is None or case.status == "ok"
    ]
    if times.record.spec.effort == "quick":
        timed = {e.id: times.median(workload, size, e.id, "resident") for e in ok}
        known = {e: s for e, s in timed.items() if s is not None}
        if known:
            return min(known, key=lambda identity: known[identity])
    measured = [e for e in ok if times.rounds_of(workload, size, e.id, "resident")]
    candidates = measured or ok
    for voided in (False, True):
        by_size = scouting(times, workload, candidates, voided=voided)
        if by_size:
            nearest = min(by_size, key=lambda s: (abs(math.log(s / size)), s))
            found = by_size[nearest]
            usual = {e.id for e in candidates if e.default}
            best = min(found.values())
            alike = [i for i in found if found[i] <= best * ALIKE]
            return min(alike, key=lambda i: (i not in usual, found[i]))
    return next((e.id for e in sorted(candidates, key=lambda e: not e.default)), None)


def scouting(
    times: Times, workload: str, entries: list[Entry], *, voided: bool = False
) -> dict[int, dict[str, float]]:
    """Return scouted seconds by size and entry id."""
    by_size: dict[int, dict[str, float]] = {}
    for size in times.sizes(workload):
        for e in entries:
            seconds = times.scouted(workload, size, e.id, voided=voided)
            if seconds is not None:
                by_size.setdefault(size, {})[e.id] = seconds
    return by_size


def numpy_base(times: Times, workload: str) -> str | None:
    """Return the NumPy entry that stands for what a user has: the library's own threads.

    Without one, the NumPy entry that was fastest at most of the scouted sizes.
    """
    entries = [e for e in cpu_entries(times.record) if e.backend == "numpy"]
    default = next((e.id for e in entries if e.default), None)
    if default is not None or not entries:
        return default
    by_size = scouting(times, workload, entries) or scouting(times, workload, entries, voided=True)
    wins = [min(found, key=lambda identity: found[identity]) for found in by_size.values()]
    return statistics.mode(wins) if wins else entries[0].id
