"""Libraries that do other work than the rest, told wherever they are compared."""

from __future__ import annotations

from breakeven.analysis.comparisons import Comparisons
from breakeven.model import labels
from breakeven.model.run import Entry
from breakeven.model.spec import OtherWork, WorkloadSpec


def other_work_caveats(found: Comparisons) -> list[str]:
    """Return one caveat for each kind of other work that an entry under comparison does.

    A workload that was stored before it could say so has none.
    """
    said = []
    for workload in found.record.spec.workloads:
        if not workload.unlike:
            continue
        sides = dict.fromkeys(
            side
            for c in found.all()
            if c.pair.workload == workload.name
            for side in (c.pair.base, c.pair.entry)
        )
        said += _told(workload, [found.times.entries[side] for side in sides])
    return said


def _told(workload: WorkloadSpec, entries: list[Entry]) -> list[str]:
    """Return the sentences of one workload; libraries that do the same share one."""
    backends: dict[str, list[str]] = {}
    for other in workload.unlike:
        if any(e.backend == other.backend and _differs(other, e) for e in entries):
            names = backends.setdefault(_words(other), [])
            names.append(labels.backend(other.backend))
    return [
        f"{workload.name} on {' and '.join(names)} {words}" for words, names in backends.items()
    ]


def _differs(other: OtherWork, entry: Entry) -> bool:
    return other.also is not None or other.computes_in not in {None, entry.precision}


def _words(other: OtherWork) -> str:
    parts = []
    if other.computes_in is not None:
        parts.append(
            f"computes in {other.computes_in} whatever it is given: its time is that of "
            f"{other.computes_in}"
        )
    if other.also is not None:
        parts.append(f"{other.also}: its time is of that work too")
    return "; it ".join(parts) + "."
