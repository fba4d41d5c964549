"""What pictures are drawn from: brackets, phases, losses, another machine's times."""

from __future__ import annotations

import math

from breakeven.report import references
from breakeven.report.chart_data import PHASES
from breakeven.report.evidence import Evidence
from breakeven.report.rows import column
from breakeven.report.view import Bracket, LossPoint, PhaseBar, ReferencePoint, Row


def brackets(
    evidence: Evidence, name: str, rows: tuple[Row, ...], leads: dict[str, str]
) -> tuple[Bracket, ...]:
    """Return what to shade; an open end reaches to the end of the sizes measured."""
    if not rows:
        return ()
    found = []
    for c in evidence.crossovers(name, kind="bracket"):
        if c.low is None and c.high is None:
            continue
        label = column(evidence, c.entry, c.base_kind)
        found.append(
            Bracket(
                label=label,
                scope=c.scope,
                base_kind=c.base_kind,
                low=float(rows[0].size) if c.low is None else c.low,
                high=float(rows[-1].size) if c.high is None else c.high,
                lead=leads.get(c.scope) == label,
            )
        )
    return tuple(found)


def phase_bars(evidence: Evidence, name: str) -> tuple[int | None, tuple[PhaseBar, ...]]:
    """Return bars at the largest size at which most entries have phases."""
    by_size: dict[int, list[PhaseBar]] = {}
    entries: dict[int, set[str]] = {}
    usual = {e.backend for e in evidence.taking_part(name) if e.default}
    for c in evidence.cases(name):
        entry = evidence.entries.get(c.entry)
        if entry is None or entry.variant in {"twin", "precision"} or c.status != "ok":
            continue
        # Start-up belongs to the library: its other thread counts would repeat the bar.
        if not entry.default and entry.backend in usual:
            continue
        for phase in PHASES:
            value = getattr(c.phases, f"{phase}_s")
            if value is not None:
                bar = PhaseBar(label=evidence.label(c.entry), phase=phase, seconds=value)
                by_size.setdefault(c.size, []).append(bar)
                entries.setdefault(c.size, set()).add(c.entry)
    if not by_size:
        return None, ()
    size = max(by_size, key=lambda s: (len(entries[s]), s))
    return size, tuple(by_size[size])


def losses(evidence: Evidence, name: str) -> tuple[LossPoint, ...]:
    """Return the training losses in the order of their reading.

    Twins and precision variants are left out: the table has those. It also tells a loss that is no
    number, which has no place in a picture.
    """
    return tuple(
        LossPoint(
            label=evidence.label(c.entry),
            size=c.size,
            reading=i + 1,
            loss=loss,
            epoch=c.loss_epochs[i] if i < len(c.loss_epochs) else None,
        )
        for c in evidence.cases(name)
        if (entry := evidence.entries.get(c.entry)) is not None
        and entry.variant not in {"twin", "precision"}
        for i, loss in enumerate(c.losses)
        if math.isfinite(loss)
    )


def reference_points(evidence: Evidence, name: str) -> tuple[ReferencePoint, ...]:
    """Return the times of stored runs of other machines, each once."""
    points = dict.fromkeys(
        (references.label(evidence, r), r.scope, r.size, r.there_s)
        for r in evidence.record.references
        if r.workload == name
    )
    return tuple(
        ReferencePoint(label=label, scope=scope, size=size, seconds=seconds)
        for label, scope, size, seconds in sorted(points)
    )
