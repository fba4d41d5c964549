"""Stored ratios that are no verdicts, in words: both sides named, with interval or n."""

from __future__ import annotations

from breakeven import units
from breakeven.model.ratio import Ratio, RatioKind
from breakeven.model.run import Case
from breakeven.report import cells, names
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.view import Table

_SIDES = {
    "awaited": "a call, awaited",
    "issued": "a call, until it returns",
    "queued": "each in a full queue",
    "graph": "each as a graph",
}
_GAINS: dict[RatioKind, str] = {
    "waiting": "not to wait for each call",
    "batching": "batching or fusing",
    "graph": "a graph",
}
INDICATIVE = "Ratios of one process (n = 1) are indicative"


def of(evidence: Evidence, case: Case, kind: RatioKind) -> Ratio | None:
    """Return the stored ratio of a case; None where there is none."""
    where = (case.workload, case.size, case.entry, kind)
    return next(
        (r for r in evidence.record.ratios if (r.workload, r.size, r.entry, r.kind) == where), None
    )


def plain(evidence: Evidence, case: Case, kind: RatioKind) -> str:
    """Return a ratio without its interval, for a table whose caption tells what it rests on."""
    found = of(evidence, case, kind)
    return NONE if found is None else units.ratio(found.value)


def gains(evidence: Evidence, workload: str) -> Table:
    """Return what calls would gain where launches rule, each over the time named beside it."""
    columns = (evidence.axis(workload), "entry", "gain of", "this", "over this", "ratio", "95 %",
               "n")  # fmt: skip
    body = [
        (
            str(r.size), r.entry, _GAINS[r.kind],
            f"{_SIDES[r.numerator]}: {cells.seconds(r.numerator_s)}",
            f"{_SIDES[r.denominator]}: {cells.seconds(r.denominator_s)}",
            f"{'at least ' if r.at_least else ''}{units.ratio(r.value)}",
            NONE if r.low is None or r.high is None else names.interval(r.low, r.high),
            str(r.n),
        )
        for r in _launches(evidence, workload)
    ]  # fmt: skip
    caption = (
        "Where a call takes longer to issue than the GPU works for it. Host times are set over "
        "host times, and what a launch costs over the GPU's own time; no ratio holds the wait for "
        f"a call together with its launch. {INDICATIVE}."
    )
    return cells.table("Gains where launches rule", caption, columns, body, text=(1, 2, 3, 4))


def small_work(evidence: Evidence, workload: str) -> list[str]:
    """Return one sentence: where issuing rules, and what it would bring to do without.

    It is about the GPU entry that stands first among those that have the figures, at its
    smallest size.
    """
    found = _launches(evidence, workload)
    for entry in evidence.taking_part(workload, gpu=True):
        mine = [r for r in found if r.entry == entry.id]
        if mine:
            return [_sentence(evidence, mine)]
    return []


def _launches(evidence: Evidence, workload: str) -> list[Ratio]:
    found = [r for r in evidence.record.ratios if r.workload == workload and r.kind in _GAINS]
    return sorted(found, key=lambda r: r.size)


def _sentence(evidence: Evidence, mine: list[Ratio]) -> str:
    workload, sizes = mine[0].workload, sorted({r.size for r in mine})
    here = [r for r in mine if r.size == sizes[0]]
    axis = evidence.axis(workload)
    where = f" at {axis} = {sizes[0]}" if len(sizes) > 1 else ""
    said = "; ".join(_gain(r) for r in here)
    return (
        f"{evidence.label(here[0].entry)} takes longer to issue a call than to do it at {axis} = "
        f"{names.sizes(sizes, evidence.sizes(workload))}. Gains{where}: {said}. "
        f"{INDICATIVE}."
    )


def _gain(r: Ratio) -> str:
    above, below = cells.seconds(r.numerator_s), cells.seconds(r.denominator_s)
    bound = "at least " if r.at_least else "" if r.kind == "waiting" else "up to "
    sure = "" if r.low is None or r.high is None else f" {names.interval(r.low, r.high)}"
    return (
        f"{_GAINS[r.kind]} {bound}{units.ratio(r.value)}{sure} ({_SIDES[r.numerator]} {above}, "
        f"over {_SIDES[r.denominator]} {'under its floor' if r.at_least else below}, n = {r.n})"
    )
