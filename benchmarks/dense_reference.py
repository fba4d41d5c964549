"""Does the search's bracket hold the crossing that a dense sweep of the same session shows?

``python benchmarks/dense_reference.py`` runs the package's search, then measures every size of a
x1.19 grid over the whole range in 8 rounds or until its time is up. The sweep is read by plain
medians and straight lines: none of the package's rule. It needs a GPU and takes up to 9 minutes;
``--search-s`` and ``--sweep-s`` bound it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import results_file
from answer_quick import WIDTH, case_of, narrow, options, steps, told
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.crossover import crossover
from breakeven.model.machine import Machine
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Crossover
from quiet import Watch
from sweeps import Trail, here, observed, plain_crossings, plain_readings

ROW = "dense_reference"
CLAIM = "the crossover is right: a dense sweep of matmul in the same session"
TARGET = "the sweep's crossing lies inside the search's bracket; estimate within 5 %"
ROUNDS, NEAR = 8, 0.05


def searched(record: RunRecord) -> list[Crossover]:
    """Return what the search concluded in each scope, on the pair that it searched."""
    found = Comparisons(record)
    return [crossover(line, found.by_line[line]) for line in found.main_lines()]


def beside(found: Crossover, dense: RunRecord) -> dict[str, Any]:
    """Set the bracket of one scope beside the crossing of the dense sweep.

    Noise makes a flat curve cross more than once: the crossings that rise are listed, and the
    bracket is right when it holds all of them. The base of a size is the best CPU entry there.
    """
    plan = Comparisons(dense).plan
    readings = plain_readings(
        dense, found.scope, lambda size: plan.best_cpu(found.workload, size), found.entry
    )
    rising = [size for size, up in plain_crossings(readings) if up]
    holds = None
    if rising and found.kind == "bracket":
        low, high = found.low or 0.0, found.high or float("inf")
        holds = all(low <= size <= high for size in rising)
    off = None
    if rising and found.estimate is not None:
        off = max(abs(found.estimate.value / size - 1) for size in rising)
    return {
        "scope": found.scope,
        "entry": found.entry,
        "kind": found.kind,
        "low": found.low,
        "high": found.high,
        "estimate": found.estimate.value if found.estimate else None,
        "dense_crossings": rising,
        "holds": holds,
        "off": off,
        "readings": [r._asdict() for r in readings],
    }


def met(rows: Sequence[dict[str, Any]]) -> bool | None:
    """Tell whether every scope is right in both respects; None where there is nothing to tell."""
    if any(row["holds"] is False or (row["off"] or 0.0) > NEAR for row in rows):
        return False
    known = [row for row in rows if row["holds"] is not None and row["off"] is not None]
    return True if known and len(known) == len(rows) else None


def result(
    search: Trail, sweep: Trail, conditions: dict[str, Any], machine: Machine
) -> results_file.Result:
    """Return the row from two trails of one session."""
    rows: list[dict[str, Any]] = []
    if search.record is not None and sweep.record is not None:
        rows = [beside(c, sweep.record) for c in searched(search.record)]
    return results_file.result(
        row=ROW,
        claim=CLAIM,
        target=TARGET,
        figure="; ".join(_told(row) for row in rows) or "nothing was measured",
        met=met(rows),
        details={"rows": rows, "search": steps(search), "sweep": steps(sweep)} | conditions,
        machine=machine,
    )


def _told(row: dict[str, Any]) -> str:
    dense = ", ".join(f"{size:.0f}" for size in row["dense_crossings"]) or "none"
    ends = tuple("open" if end is None else f"{end:.0f}" for end in (row["low"], row["high"]))
    off = "" if row["off"] is None else f", estimate off by {100 * row['off']:.1f} %"
    return f"{row['scope']}: {ends[0]}-{ends[1]} around {dense}{off}"


def main() -> None:
    """Run both, print what was found, and write the result."""
    machine = here()
    asked = options(__doc__, machine)
    if not machine.gpus:
        print("no NVIDIA GPU: there is no crossover to sweep", file=sys.stderr)
        sys.exit(3)
    watch, case = Watch(), case_of(machine)
    search = observed(case, machine, narrow(WIDTH), asked.search_s, dense=False)
    sweep = observed(
        case, machine, lambda t: t.steps[-1].rounds >= ROUNDS, asked.sweep_s, dense=True
    )
    told(result(search, sweep, watch.told(), machine), asked.out)


if __name__ == "__main__":
    main()
