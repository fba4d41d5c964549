"""The answer of a training: does the GPU pay for it, from which batch on, how long either takes."""

from __future__ import annotations

from breakeven import units
from breakeven.model.verdict import BEST_CPU, Crossover
from breakeven.report import names, sentences
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.rows import column
from breakeven.report.training import figures
from breakeven.report.training.told import Told


def answer(evidence: Evidence, workload: str, leads: dict[str, str]) -> str | None:
    """Return the first sentence about a training; None where nothing of it was asked.

    The loader and the copies count: the scope is that of a step as users wait for it.
    """
    told = Told(evidence, workload)
    if not told:
        return None
    took = _took(told)
    if told.gpu is None:
        alone = f"{workload}: no GPU took part"
        return f"{alone}; {took}." if took else f"{alone}."
    found = _lead(evidence, workload, leads)
    said = _pays(evidence, found) if found is not None else "not settled whether the GPU pays"
    if evidence.quick:
        said = "indicative, one round, no verdict"
    return f"{workload}: {said}{f': {took}' if took else ''}."


def _lead(evidence: Evidence, workload: str, leads: dict[str, str]) -> Crossover | None:
    found = [
        c
        for c in evidence.crossovers(workload, scope="transfer", base_kind=BEST_CPU)
        if evidence.on_gpu(c.entry)
    ]
    ranked = sorted(
        found, key=lambda c: column(evidence, c.entry, BEST_CPU) != leads.get("transfer")
    )
    return ranked[0] if ranked else None


def _pays(evidence: Evidence, c: Crossover) -> str:
    """Return from which batch on the GPU pays, loader and copies included."""
    pays = f"the GPU pays with {evidence.label(c.entry)}"
    match c.kind:
        case "always":
            said = f"yes, {pays} at {_range(c)}"
        case "never":
            best = "" if c.best_ratio is None else f"; at best {units.ratio(c.best_ratio)}"
            said = f"no, the GPU overtakes the best CPU setting nowhere ({_range(c)}{best})"
        case "bracket":
            said = _bracket(c, pays)
        case "several":
            near = names.joined([names.size(v) for v in c.changes])
            said = f"{pays} at some batches (the lead changes near {near})"
        case _:
            said = _open(c, pays)
    return said


def _bracket(c: Crossover, pays: str) -> str:
    if sentences.falls_behind(c):
        return f"{pays} only at small batches"
    if c.low is not None and c.high is not None:
        low, high = names.size(c.low), names.size(c.high)
        return f"yes, {pays} from somewhere between batch {low} and {high} on"
    if c.low is not None:
        return f"not settled: the GPU does not pay up to batch {names.size(c.low)}"
    return f"yes, {pays} from batch {c.wins_from or min(c.sizes)} on"


def _open(c: Crossover, pays: str) -> str:
    if c.wins_from is not None:
        top = f" to {c.wins_to}" if c.wins_to != c.wins_from else ""
        return f"yes, {pays} at batch {c.wins_from}{top} (others are not settled)"
    return f"not settled whether the GPU pays ({_range(c)})"


def _range(c: Crossover) -> str:
    if not c.sizes:
        return "no batch could be judged"
    low, high = min(c.sizes), max(c.sizes)
    return f"every batch judged, {low} to {high}" if low < high else f"batch {low}, the only one"


def _took(told: Told) -> str:
    """Return how long either side takes, with the ratio of the verdict."""
    size = told.size
    parts = []
    for entry in told.sides(size):
        if told.trains:
            q = told.figure("time", entry, size, "training")
            if q is None or q.value is None:
                q = told.figure("time", entry, size, "step")
            said = figures.shown(q)
        else:
            rate = told.figure("inference", entry, size, "throughput")
            said = figures.rate(rate, told.things)
        if said != NONE:
            parts.append(f"{said} with {told.label(entry)}")
    if not parts:
        return ""
    whole = told.figure("time", told.sides(size)[0], size, "training")
    what = told.whole if whole is not None and whole.value is not None else "one step"
    opening = f"{what} at batch {size} take" if told.trains else f"at batch {size} it answers"
    if told.trains and what.startswith(("1 ", "one ")):
        opening += "s"
    ratio = None if told.gpu is None else told.figure("time", told.gpu, size, "ratio")
    beside = "" if ratio is None else f": {figures.ratio(ratio)}, {names.rounds(ratio.n)}"
    return f"{opening} {' and '.join(parts)}{beside}"
