"""A stored run of another machine beside this one: a few comparisons in words."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import units
from breakeven.model import labels
from breakeven.model.verdict import Reference
from breakeven.report import names
from breakeven.report.evidence import Evidence


def lines(evidence: Evidence, workload: str) -> tuple[str, ...]:
    """Return three comparisons at most for each stored run, at the largest size in common.

    They are its quickest GPU entry with the data travelling, its quickest with the data on the
    device, its CPU; the table has every entry at every size.
    """
    mine = [r for r in evidence.record.references if r.workload == workload]
    said = []
    for run in dict.fromkeys(r.run for r in mine):
        theirs = [r for r in mine if r.run == run]
        largest = max(r.size for r in theirs)
        at_largest = [r for r in theirs if r.size == largest]
        said += [_line(evidence, r) for r in _chosen(evidence, at_largest)]
    return tuple(said)


def label(evidence: Evidence, reference: Reference) -> str:
    """Return what an entry of a stored run is called; the CPU entries of all sizes share a name.

    The entry comes first: a legend cuts long names at their end.
    """
    if evidence.on_gpu_there(reference):
        return f"{labels.elsewhere(reference.there_entry)} on {reference.machine}"
    return f"best CPU of {reference.machine}"


def _chosen(evidence: Evidence, found: Sequence[Reference]) -> list[Reference]:
    kinds: dict[tuple[bool, str], Reference] = {}
    for r in found:
        key = (evidence.on_gpu_there(r), r.scope)
        if key not in kinds or r.there_s < kinds[key].there_s:
            kinds[key] = r
    order = ((True, "transfer"), (True, "resident"), (False, "resident"))
    return [kinds[key] for key in order if key in kinds]


def _line(evidence: Evidence, r: Reference) -> str:
    travel = f" ({names.SCOPE_TITLES[r.scope]})" if evidence.on_gpu_there(r) else ""
    return (
        f"{evidence.axis(r.workload)} = {r.size}: {evidence.label(r.here_entry)} here "
        f"{units.seconds(r.here_s)}, {labels.elsewhere(r.there_entry)} on {r.machine}{travel} "
        f"{units.seconds(r.there_s)}: here / there {units.ratio(r.ratio)} "
        f"(stored run {r.run}, other machine, not paired, indicative)."
    )
