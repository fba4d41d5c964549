"""The points of each picture, as plain values taken from the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from breakeven.report import names
from breakeven.report.view import Timed, WorkloadPage

PHASES = ("import", "context", "first_call", "to_device", "compute", "to_host")
BEST = "best CPU"
Point = dict[str, Any]


def times(w: WorkloadPage) -> list[Point]:
    """Return the times that have digits, with the span of their rounds; NumPy comes first."""
    columns: dict[tuple[str, str], list[Point]] = {}
    for row in w.rows:
        base = [row.numpy] if w.base_kind != "best-cpu" else [row.numpy, row.best_cpu]
        for timed in (*base, *row.others):
            if timed.figure.seconds is not None:
                point = _point(row.size, timed)
                columns.setdefault((timed.column, timed.scope), []).append(point)
    for p in w.reference_points:
        scope = names.SCOPE_TITLES[p.scope]
        point = {
            "size": p.size, "entry": p.label, "scope": scope, "seconds": p.seconds,
            "low": p.seconds, "high": p.seconds, "shown": "other machine, not paired",
        }  # fmt: skip
        columns.setdefault((p.label, p.scope), []).append(point)
    return [point for series in columns.values() for point in series]


def speedups(w: WorkloadPage, kind: str) -> list[Point]:
    """Return the speed-ups over one base, with their 95 % intervals."""
    found = []
    shared = _shared(w, kind)
    for row in w.rows:
        for s in row.speedups:
            if s.base_kind == kind and s.ratio is not None:
                shown = f"{s.text}, {s.rounds} rounds: {s.word}"
                found.append({
                    "size": row.size, "entry": s.entry if s.column in shared else s.column,
                    "scope": names.SCOPE_TITLES[s.scope],
                    "ratio": s.ratio, "low": s.low, "high": s.high, "shown": shown,
                })  # fmt: skip
    return sorted(found, key=lambda p: (p["entry"], p["scope"], p["size"]))


def predicted(w: WorkloadPage, shown: Sequence[str]) -> list[Point]:
    """Return the times foretold of the columns shown."""
    return [
        {
            "size": p.size, "entry": p.label, "scope": names.SCOPE_TITLES[p.scope],
            "seconds": p.seconds, "low": p.seconds, "high": p.seconds,
            "shown": f"foretold, worst held-out error {p.error or 'unknown'}",
        }
        for p in w.predicted if p.label in shown
    ]  # fmt: skip


def columns(w: WorkloadPage) -> list[str]:
    """Return all columns of a workload in one order, so that an entry keeps its colour."""
    order = [t.column for row in w.rows for t in (row.numpy, row.best_cpu, *row.others)]
    order += [s.column for row in w.rows for s in row.speedups]
    order += [s.entry for row in w.rows for s in row.speedups]
    return list(dict.fromkeys([*order, *(p.label for p in w.reference_points)]))


def _shared(w: WorkloadPage, kind: str) -> set[str]:
    """Return columns with several entries at one size: their entries need lines of their own."""
    counts = Counter(
        (row.size, s.scope, s.column) for row in w.rows for s in row.speedups if s.base_kind == kind
    )
    return {column for (_, _, column), n in counts.items() if n > 1}


def _point(size: int, timed: Timed) -> Point:
    figure = timed.figure
    return {
        "size": size, "entry": timed.column, "scope": names.SCOPE_TITLES[timed.scope],
        "seconds": figure.seconds, "low": figure.low, "high": figure.high,
        "shown": f"{figure.text} ({timed.entry}, {figure.rounds} rounds)",
    }  # fmt: skip
