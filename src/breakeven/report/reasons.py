"""Why verdicts are withheld or open: each kind of reason once, with its sizes and one remedy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from breakeven import units
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Verdict
from breakeven.report import names
from breakeven.report.evidence import Evidence
from breakeven.stats.intervals import LOOKS

_MORE_TIME = "give more time (--budget)"
_WORDS = {
    "busy": ("other processes took CPU time", "stop them and run again"),
    "gpu_busy": ("another process used the GPU", "run when the GPU is free"),
    "thermal": ("heat held the GPU's clock down", "let it cool and run again"),
    "two_states": (
        "two pool threads shared a core",
        "leave pinning on, or give the pool one thread fewer than there are cores",
    ),
    "few_rounds": ("fewer than 3 rounds", _MORE_TIME),
    "quick": ("a quick run judges nothing", "run without --quick"),
    "disagrees": ("answers disagree with the float64 reference", "they are not ranked"),
    "floor": ("a call is too short to be timed", "measure larger sizes (--sizes)"),
    "cores": (
        "the CPU side had fewer cores than its threads make use of",
        "see what limits it (affinity, quota, other processes)",
    ),
    "no_aa": ("no entry was measured against itself in 3 rounds", _MORE_TIME),
    "aa_winner": (
        "an entry measured against itself came out different",
        "run again when the machine is calmer",
    ),
    "status": ("cases failed", "their reasons stand below"),
    "precision": ("the two work in different precision", "set both alike"),
    "unmeasured": ("a side was not measured or not checked", _MORE_TIME),
    "noise": ("the interval of the verdict (wider than 95 %) includes equality", ""),
    "margin": ("a difference within what this session can tell apart", ""),
}
_OPEN = ("noise", "margin")
_DISTURBED_SHARE = 0.25
"""Share of slots voided for one cause from which that cause, and no lack of time, is the reason."""


def grouped(
    evidence: Evidence, found: Iterable[Verdict], among: Sequence[int], *, named: bool
) -> tuple[str, ...]:
    """Return one line for each kind of reason.

    Parameters
    ----------
    found : iterable of Verdict
        Of one workload; those without a reason are settled.
    among : sequence of int
        The sizes of the workload.
    named : bool
        Whether each place names its entry; not needed where all are of one.
    """
    groups: dict[str, list[Verdict]] = {}
    for v in found:
        # A case that failed is told among the statuses.
        if v.why and evidence.measured(v.workload, v.size, v.entry):
            groups.setdefault(v.reason or v.why, []).append(v)
    return tuple(_line(evidence, code, group, among, named=named) for code, group in groups.items())


def _line(
    evidence: Evidence, code: str, group: Sequence[Verdict], among: Sequence[int], *, named: bool
) -> str:
    seen, remedy = _told(evidence.record, code)
    places: dict[str, list[int]] = {}
    for v in group:
        parts = [evidence.label(v.entry)] if named else []
        parts += [names.SCOPE_SHORT[v.scope]] if evidence.on_gpu(v.entry) else []
        places.setdefault(" ".join(parts), []).append(v.size)
    axis = evidence.axis(group[0].workload)
    by_sizes: dict[str, list[str]] = {}
    for where, at in places.items():
        by_sizes.setdefault(names.sizes(at, among), []).append(where)
    said = "; ".join(
        f"{axis} = {at}" + (f" ({', '.join(who)})" if any(who) else "")
        for at, who in by_sizes.items()
    )
    if code in _OPEN:
        remedy = _rounds(evidence.record, group, axis, among)
    text = f"{seen} at {said}"
    return f"{text[0].upper()}{text[1:]}" + (f": {remedy}." if remedy else ".")


def _told(record: RunRecord, code: str) -> tuple[str, str]:
    """Return what a code means, with its remedy: an interrupted run is completed first."""
    # A document judged before reasons had codes tells its reason in full, remedy included.
    seen, remedy = _WORDS.get(code, (code.rstrip("."), ""))
    if remedy != _MORE_TIME:
        return seen, remedy
    cause = disturbance(record)
    if cause is not None:
        why, mend = _WORDS.get(cause, (cause, "run again"))
        return f"{seen}, since {why}", mend
    return seen, resume(record) if record.interrupted else remedy


def disturbance(record: RunRecord) -> str | None:
    """Return what voided a quarter of all wall slots and more; None when nothing did."""
    slots = [s for c in record.cases for r in c.rounds if r.clock == "wall" for s in r.slots]
    found = Counter(s.voided for s in slots if s.voided is not None)
    if not found:
        return None
    cause, count = found.most_common(1)[0]
    return cause if count >= _DISTURBED_SHARE * len(slots) else None


def resume(record: RunRecord) -> str:
    """Return how a run that was interrupted is completed."""
    return f"complete the run with breakeven run --resume {record.id}"


def _rounds(record: RunRecord, group: Sequence[Verdict], axis: str, among: Sequence[int]) -> str:
    """Return the rounds that would settle what can be settled at this noise."""
    needed = [v.rounds_needed for v in group if v.rounds_needed is not None]
    if not needed:
        return f"at this noise even {LOOKS[-1]} rounds may not settle it"
    settled = {v.size for v in group if v.rounds_needed is not None}
    rest = {v.size for v in group} - settled
    how = resume(record) if record.interrupted else "--budget"
    which = f" {axis} = {names.sizes(sorted(settled), among)}" if rest else ""
    return f"{max(needed)} rounds in all would settle{which or ' it'} at this noise ({how})"


def all_withheld(found: Sequence[Verdict]) -> str | None:
    """Return the code (or the words) of the most frequent reason if no verdict stands."""
    kinds = Counter(v.reason or v.why or "no reason was recorded" for v in found
                    if v.word == "withheld")  # fmt: skip
    return kinds.most_common(1)[0][0] if found and kinds.total() == len(found) else None


def all_voided(evidence: Evidence, workload: str) -> str | None:
    """Return the most frequent reason if slots were measured and none of them counts."""
    slots = [
        slot
        for case in evidence.cases(workload)
        for r in case.rounds
        if r.clock == "wall"
        for slot in r.slots
    ]
    found = Counter(slot.voided for slot in slots if slot.voided is not None)
    return found.most_common(1)[0][0] if slots and found.total() == len(slots) else None


def nothing_judged(evidence: Evidence, workload: str, kind: str) -> str | None:
    """Return the code of what withheld everything: what voided all of it comes first."""
    voided = all_voided(evidence, workload)
    if evidence.quick or voided is not None:
        return voided
    return all_withheld(evidence.verdicts(workload, base_kind=kind))


def nothing_named(record: RunRecord, code: str) -> str:
    """Return the answer of a run in which one reason withheld everything."""
    if code == "busy":
        took = [
            slot.conditions.foreign_cores
            for case in record.cases
            for r in case.rounds
            for slot in r.slots
            if slot.voided == "busy" and slot.conditions.foreign_cores is not None
        ]
        cores = record.machine.cpu.cores_usable
        much = f"{units.significant(median(took), 2)} of {cores} cores" if took else "CPU time"
        return (
            f"the machine is busy: other processes took {much}; nothing was named faster or "
            "slower. Stop them and run again."
        )
    seen, remedy = _told(record, code)
    then = f" {remedy[0].upper()}{remedy[1:]}." if remedy else ""
    return f"nothing was named faster or slower: {seen}.{then}"
