"""The user's own function on each library: fully there, in part on the host, or failed, and why."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import units
from breakeven.model import labels
from breakeven.model.ported import CallSite, Ported, PortFailure
from breakeven.report import cells, names
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.view import Note, Table

_MOST_SITES = 40
_REACHED = {
    "fully": "ran fully there",
    "host_part": "the host did part of the work",
    "failed": "failed",
    "preview": "not run here (preview from the names of its calls)",
}


def notes(evidence: Evidence, workload: str) -> tuple[Note, ...]:
    """Return one note an entry: how far the function got, how its answer agrees, what failed."""
    made: list[Note] = []
    for entry, found in _by_entry(evidence, workload).items():
        label = _label(evidence, entry)
        groups: dict[tuple[str, str | None], list[Ported]] = {}
        for ported in found:
            why = None if ported.failure is None else ported.failure.message
            groups.setdefault((ported.reach, why), []).append(ported)
        made += [Note(label=label, text=_said(evidence, workload, g)) for g in groups.values()]
    return tuple(made)


def told(evidence: Evidence, workload: str) -> frozenset[tuple[str, int]]:
    """Return entry and size of the cases whose status the notes tell."""
    return frozenset(
        (p.entry, p.size)
        for p in evidence.record.ported
        if p.workload == workload and (p.reach in {"failed", "host_part"} or p.failure is not None)
    )


def _by_entry(evidence: Evidence, workload: str) -> dict[str, list[Ported]]:
    """Return what was seen of each entry by size; of several thread counts, the library's own."""
    twins = {e.id for e in evidence.record.entries if e.variant == "twin"}
    kinds = {e.id: (e.backend, e.variant) for e in evidence.record.entries}
    found: dict[str, list[Ported]] = {}
    seen: dict[object, str] = {}
    usual = {e.id for e in evidence.record.entries if e.default}
    # What ran comes before what is foretold.
    for ported in sorted(
        evidence.record.ported, key=lambda p: (p.reach == "preview", p.entry not in usual, p.size)
    ):
        if ported.workload != workload or ported.entry in twins:
            continue
        first = seen.setdefault(kinds.get(ported.entry, ported.entry), ported.entry)
        if first == ported.entry:
            found.setdefault(ported.entry, []).append(ported)
    return found


def _label(evidence: Evidence, entry: str) -> str:
    known = entry in evidence.entries
    return evidence.label(entry) if known else labels.elsewhere(entry)


def _said(evidence: Evidence, workload: str, group: Sequence[Ported]) -> str:
    last = group[-1]
    axis = evidence.axis(workload)
    sizes = names.sizes([p.size for p in group], evidence.sizes(workload))
    if last.reach == "preview":
        return _preview(last)
    said = f"{_REACHED[last.reach]} at {axis} = {sizes}"
    if last.reach == "failed":
        assert last.failure is not None
        return said + _failure(last.failure) + _compiled(last)
    if last.reach == "host_part" and not any(s.bridged for s in last.sites):
        said += " (the device ran no kernel)" if last.kernels == 0 else " (arrays came back there)"
    said += _calls(last) + _compiled(last) + _agreement(evidence, workload, last)
    if last.failure is not None:
        return f"{said}; {last.failure.category}: {last.failure.message}"
    outside = "; ".join(last.outside[:2])
    return f"{said}; {outside}" if outside else said


def _calls(ported: Ported) -> str:
    sites = ported.sites
    if not sites:
        return ""
    calls = sum(s.calls for s in sites)
    counted = "1 call" if calls == 1 else f"{calls} calls"
    said = f" ({counted} of the library from {_lines(sites)}"
    if ported.kernels:
        said += f", {ported.kernels} kernels seen"
    bridged = [s for s in sites if s.bridged]
    waits = sum(s.synchronised for s in sites)
    if bridged:
        said += f"; NumPy did {names.joined(list(dict.fromkeys(s.name for s in bridged)))}"
        total = sum(s.seconds or 0.0 for s in sites)
        took = sum(s.seconds or 0.0 for s in bridged)
        said += f", {round(100 * took / total)} % of the call" if total > 0 else ""
    if waits:
        said += f"; it waits for the device {'once' if waits == 1 else f'{waits} times'} a call"
    slow = [s for s in sites if s.slow]
    if slow:
        named = names.joined(list(dict.fromkeys(s.name for s in slow))[:3])
        said += f"; {named} by a slow way"
    return said + ")"


def _lines(sites: Sequence[CallSite]) -> str:
    count = len({(s.location.path, s.location.line) for s in sites})
    return "1 line" if count == 1 else f"{count} lines"


def _compiled(ported: Ported) -> str:
    made = ported.compiled
    if made is None:
        return ""
    graphs = "one graph" if made.graphs == 1 else f"{made.graphs} graphs"
    said = f"; {graphs}" + (f", compiled in {units.seconds(made.seconds)}" if made.seconds else "")
    return said + (f", cut at {'; '.join(made.breaks[:2])}" if made.breaks else "")


def _agreement(evidence: Evidence, workload: str, ported: Ported) -> str:
    case = evidence.case(workload, ported.size, ported.entry)
    if case is None or case.agreement is None:
        return ""
    found = case.agreement
    word = "agrees with NumPy" if found.passed else "disagrees with NumPy"
    error = units.significant(found.error, 2)
    return f"; {word} at n = {ported.size}: error {error}, {found.class_} class"


def _failure(failure: PortFailure) -> str:
    said = f": {failure.message} [{failure.category}]"
    where = failure.location
    if where is not None:
        text = f", {where.text}" if where.text else ""
        said += f"; {where.path.rpartition('/')[2]} line {where.line}{text}"
    if failure.reached is not None and failure.of is not None:
        said += f"; reached line {failure.reached} of {failure.of}"
    if failure.available is not None and failure.calls:
        said += f"; {failure.available} of {failure.calls} calls are there by name"
    return said + (f"; try: {failure.suggestion}" if failure.suggestion else "")


def _preview(ported: Ported) -> str:
    count = len(ported.sites)
    if ported.failure is None:
        having = f"it has all {count} calls" if count != 1 else "it has the one call"
        return (
            f"{_REACHED['preview']}: {having}; whether they take these arguments, names do not say"
        )
    return f"{_REACHED['preview']}: it would fail{_failure(ported.failure)}"


def tables(evidence: Evidence, workload: str) -> tuple[Table, ...]:
    """Return the function on each library at each size, then its calls line by line."""
    found = _by_entry(evidence, workload)
    if not found:
        return ()
    body: list[tuple[str, ...]] = []
    calls: list[tuple[str, ...]] = []
    for entry, seen in found.items():
        label = _label(evidence, entry)
        body += [_row(evidence, workload, label, p) for p in seen]
        calls += [_site(label, s) for s in seen[-1].sites[:_MOST_SITES]]
    columns = ("library", "n", "ran", "answers on", "agreement", "what was seen")
    whole = cells.table(
        "The function on each library",
        "Fully there: every array of the answer lies on the device, and NumPy did no call. The "
        "error is relative to NumPy's answer (to its float64 one, where it computes in float32).",
        columns,
        body,
        text=(0, 2, 3, 4, 5),
    )
    if not calls:
        return (whole,)
    lines = cells.table(
        "Calls of the function, line by line",
        "One call of the function at its largest size, the device awaited after each of these "
        "calls; a preview counts nothing.",
        ("library", "line", "source", "call", "times", "time", "to device", "to host", "waits"),
        calls,
        text=(0, 2, 3),
    )
    return (whole, lines)


def _row(evidence: Evidence, workload: str, label: str, ported: Ported) -> tuple[str, ...]:
    case = evidence.case(workload, ported.size, ported.entry)
    agreement = NONE
    if case is not None and case.agreement is not None:
        a = case.agreement
        word = "agrees" if a.passed else "disagrees"
        agreement = f"{word}, {units.significant(a.error, 2)} ({a.class_}); {a.rule}"
    seen = "; ".join(ported.outside)
    if ported.failure is not None:
        seen = _failure(ported.failure).removeprefix(": ")
    return (
        label,
        str(ported.size),
        _REACHED[ported.reach],
        ", ".join(ported.answers_on) or NONE,
        agreement,
        (seen + _compiled(ported)).removeprefix("; ") or NONE,
    )


def _site(label: str, site: CallSite) -> tuple[str, ...]:
    how = " (NumPy did it)" if site.bridged else " (slow way)" if site.slow else ""
    return (
        label,
        str(site.location.line),
        site.location.text or NONE,
        site.name + how,
        str(site.calls),
        cells.seconds(site.seconds),
        units.size_bytes(site.to_device_bytes),
        units.size_bytes(site.to_host_bytes),
        str(site.synchronised),
    )
