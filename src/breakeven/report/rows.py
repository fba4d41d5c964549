"""The main table of a workload: one row a size, times first, then the stored verdicts."""

from __future__ import annotations

from collections import Counter

from breakeven import units
from breakeven.model import labels
from breakeven.model.verdict import BEST_CPU, Verdict
from breakeven.report import names
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.view import Row, Speedup, Timed

_TIMED_SCOPES = ("resident", "transfer")


def base_kind(evidence: Evidence, workload: str) -> str:
    """Return the base that the answer is about: best CPU beside a GPU, otherwise NumPy."""
    if evidence.taking_part(workload, gpu=True):
        return BEST_CPU
    kinds = {v.base_kind for v in evidence.verdicts(workload)}
    kinds |= {c.base_kind for c in evidence.crossovers(workload)}
    return next((kind for kind in ("numpy", "same") if kind in kinds), "numpy")


def column(evidence: Evidence, entry: str, kind: str) -> str:
    """Return the column of an entry: its label on a GPU, its library on a CPU."""
    known = evidence.entries.get(entry)
    if known is None or known.device != "cpu" or kind == "same":
        return evidence.label(entry)
    return labels.backend(known.backend)


def rows(evidence: Evidence, workload: str) -> tuple[Row, ...]:
    """Return the rows of a workload's main table, sizes ascending."""
    asked = {s for w in evidence.record.spec.workloads if w.name == workload for s in w.sizes}
    sizes = evidence.sizes(workload)
    return tuple(_row(evidence, workload, s, in_plan=s in asked or not asked) for s in sizes)


def leads(evidence: Evidence, workload: str, kind: str) -> dict[str, str]:
    """Return, by scope, the column whose speed-up the short table shows."""
    gpu = bool(evidence.taking_part(workload, gpu=True))
    found = {}
    for scope in names.SCOPE_ORDER:
        candidates: Counter[str] = Counter()
        for v in evidence.verdicts(workload, scope=scope, base_kind=kind):
            if evidence.on_gpu(v.entry) == gpu:
                candidates[column(evidence, v.entry, kind)] += v.word == "faster"
        advised = {
            column(evidence, a.choice, kind)
            for a in evidence.record.advice
            if a.workload == workload and a.scope == scope and a.choice is not None
        }
        chosen = sorted(candidates, key=lambda c: (c not in advised, -candidates[c]))
        if chosen:
            found[scope] = chosen[0]
    return found


def best_cpu_names(evidence: Evidence, workload: str) -> tuple[str, ...]:
    """Return which entry was the best CPU setting at which of the sizes asked for."""
    by_entry: dict[str, list[int]] = {}
    for row in rows(evidence, workload):
        entry = row.best_cpu.entry
        if row.in_plan and entry is not None and row.best_cpu.figure.seconds is not None:
            by_entry.setdefault(entry, []).append(row.size)
    every = [s for sizes in by_entry.values() for s in sizes]
    axis = evidence.axis(workload)
    return tuple(
        f"{evidence.label(entry)} at {axis} = {names.sizes(sizes, every)}"
        for entry, sizes in by_entry.items()
    )


def speedup(evidence: Evidence, verdict: Verdict) -> Speedup:
    """Return a verdict as it is shown; a ratio without its interval is not shown at all."""
    shown = None not in {verdict.ratio, verdict.low, verdict.high}
    return Speedup(
        entry=verdict.entry,
        column=column(evidence, verdict.entry, verdict.base_kind),
        scope=verdict.scope,
        base=verdict.base,
        base_kind=verdict.base_kind,
        ratio=verdict.ratio if shown else None,
        low=verdict.low if shown else None,
        high=verdict.high if shown else None,
        rounds=verdict.rounds,
        word="indicative" if evidence.quick else names.word(verdict.word),
        text=ratio_text(verdict, mark="~" if evidence.quick else ""),
        why=verdict.why,
    )


def judged(row: Row, scope: str, lead: str, kind: str) -> Speedup | None:
    """Return the verdict that goes with a column of a row: of its entry, if several share it."""
    found = [s for s in row.speedups if (s.scope, s.column, s.base_kind) == (scope, lead, kind)]
    shown = {t.entry for t in row.others if (t.column, t.scope) == (lead, scope)}
    return next((s for s in found if s.entry in shown), found[0] if found else None)


def ratio_text(verdict: Verdict, mark: str = "") -> str:
    """Return ratio and 95 % interval, such as ``"2.05x [1.71, 2.46]"``."""
    if verdict.ratio is None or verdict.low is None or verdict.high is None:
        return NONE
    return f"{mark}{units.ratio(verdict.ratio)} {names.interval(verdict.low, verdict.high)}"


def _row(evidence: Evidence, workload: str, size: int, *, in_plan: bool) -> Row:
    def timed(label: str, entry: str | None, scope: str) -> Timed:
        figure = evidence.figure(workload, size, entry, scope)
        return Timed(column=label, entry=entry, scope=scope, figure=figure)

    others = []
    gpu = evidence.taking_part(workload, gpu=True)
    for e in gpu:
        others += [timed(evidence.label(e.id), e.id, scope) for scope in _TIMED_SCOPES]
    for label, entry in _cpu_columns(evidence, workload, size).items() if not gpu else ():
        others.append(timed(label, entry, "resident"))
    return Row(
        size=size,
        in_plan=in_plan,
        numpy=timed("NumPy", evidence.numpy_at(workload, size), "resident"),
        best_cpu=timed("best CPU", evidence.best_cpu_at(workload, size), "resident"),
        others=tuple(others),
        speedups=tuple(speedup(evidence, v) for v in evidence.verdicts(workload, size=size)),
    )


def _cpu_columns(evidence: Evidence, workload: str, size: int) -> dict[str, str]:
    """Return the CPU entry to show for each library but NumPy, and each repeated entry."""
    best = evidence.best_cpu_at(workload, size)
    judged = {v.entry for v in evidence.verdicts(workload, size=size)}
    found: dict[str, str] = {}
    entries = evidence.taking_part(workload, gpu=False)
    order = sorted(entries, key=lambda e: (e.id not in judged, e.id != best, not e.default))
    libraries = dict.fromkeys(e.backend for e in entries if e.backend != "numpy")
    for library in libraries:
        found[labels.backend(library)] = next(e.id for e in order if e.backend == library)
    for v in evidence.verdicts(workload, size=size, base_kind="same"):
        found[evidence.label(v.entry)] = v.entry
    return found
