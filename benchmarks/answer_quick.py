"""Is the answer quick? Seconds to a bracket, beside a dense sweep of the same case.

``python benchmarks/answer_quick.py`` runs the package's search, then a dense x1.19 sweep, each
until its bracket is within a factor of 1.25 in every scope or its time is up. With a GPU it takes
up to 8 minutes (`--search-s` and `--sweep-s` bound it), without one up to 4.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import results_file
from breakeven.model.machine import Machine
from breakeven.model.verdict import Scope
from quiet import Watch
from sweeps import Case, Trail, here, observed

ROW = "answer_quick"
CLAIM = "the answer is quick: seconds to a bracket, beside a dense sweep of the same case"
TARGET = "at most half the time of a x1.19 sweep, to a factor of 1.25 at 95 %"
WIDTH, WIDTHS, SHARE = 1.25, (2.0, 1.5, 1.25), 0.5
ON_GPU = Case("matmul", (64, 256, 1024, 4096), ("torch-cpu", "torch-cuda"))
ON_CPU = Case("matmul", (24, 96, 384), ("numpy", "torch-cpu"))
SEARCH_S, SWEEP_S = 180.0, 270.0
CPU_SEARCH_S, CPU_SWEEP_S = 80.0, 150.0


def case_of(machine: Machine) -> Case:
    """Return the case that has a crossover on such a machine."""
    return ON_GPU if machine.gpus else ON_CPU


def narrow(width: float) -> Any:  # noqa: ANN401  a function of a trail
    """Return what says whether every scope of a trail is within a factor."""

    def enough(trail: Trail) -> bool:
        scopes = trail.scopes()
        return bool(scopes) and all(trail.reached_s(width, s) is not None for s in scopes)

    return enough


def compared(search: Trail, sweep: Trail, width: float, scope: Scope) -> dict[str, Any]:
    """Return how long either took to a width in one scope.

    Where the sweep did not come to it, `share_at_most` is a bound: it had taken longer than that.
    """
    quick, slow = search.reached_s(width, scope), sweep.reached_s(width, scope)
    lasted = sweep.steps[-1].seconds if sweep.steps else None
    share = quick / slow if quick is not None and slow is not None else None
    bound = quick / lasted if quick is not None and slow is None and lasted else share
    return {
        "scope": scope,
        "factor": width,
        "search_s": quick,
        "sweep_s": slow,
        "sweep_lasted_s": lasted,
        "share": share,
        "share_at_most": bound,
    }


def met(rows: Sequence[dict[str, Any]]) -> bool | None:
    """Tell whether the search took at most half the time in every scope; None where none closed.

    A search that did not come to the width has failed where the sweep did; where neither did,
    nothing is told.
    """
    found: list[bool | None] = []
    for row in rows:
        if row["search_s"] is None:
            found.append(None if row["sweep_s"] is None else False)
        else:
            bound = row["share_at_most"]
            found.append(None if bound is None else bound <= SHARE)
            if row["sweep_s"] is None and found[-1] is False:
                # The sweep was ended before twice the search's time: the bound tells nothing.
                found[-1] = None
    if False in found:
        return False
    return None if None in found or not found else True


def result(
    case: Case, search: Trail, sweep: Trail, conditions: dict[str, Any], machine: Machine
) -> results_file.Result:
    """Return the row from two trails of one session."""
    scopes = tuple(dict.fromkeys((*search.scopes(), *sweep.scopes())))
    rows = [compared(search, sweep, w, s) for s in scopes for w in WIDTHS]
    judged = [row for row in rows if row["factor"] == WIDTH]
    return results_file.result(
        row=ROW,
        claim=CLAIM,
        target=TARGET,
        figure="; ".join(_told(row) for row in judged) or "no crossover was found",
        met=met(judged),
        details={
            "case": case._asdict(),
            "rows": rows,
            "search": steps(search),
            "sweep": steps(sweep),
        }
        | conditions,
        machine=machine,
    )


def _told(row: dict[str, Any]) -> str:
    if row["search_s"] is None:
        ended = (
            "nor did the sweep" if row["sweep_s"] is None else f"the sweep {row['sweep_s']:.0f} s"
        )
        return f"{row['scope']}: the search did not come to it, {ended}"
    if row["sweep_s"] is None:
        return (
            f"{row['scope']}: {row['search_s']:.0f} s, the sweep more than "
            f"{row['sweep_lasted_s']:.0f} s"
        )
    return (
        f"{row['scope']}: {row['search_s']:.0f} s against {row['sweep_s']:.0f} s, a share of "
        f"{row['share']:.2f}"
    )


def steps(trail: Trail) -> dict[str, Any]:
    """Return a trail as it is stored."""
    return {
        "ended": trail.ended,
        "steps": [
            {
                "seconds": round(s.seconds, 2),
                "rounds": s.rounds,
                "brackets": {scope: list(ends) for scope, ends in s.brackets.items()},
            }
            for s in trail.steps
        ],
    }


def both(machine: Machine, search_s: float, sweep_s: float) -> tuple[Case, Trail, Trail]:
    """Run the search, then the sweep, in this session."""
    case = case_of(machine)
    search = observed(case, machine, narrow(WIDTH), search_s, dense=False)
    print(_ended("search", search), flush=True)
    sweep = observed(case, machine, narrow(WIDTH), sweep_s, dense=True)
    print(_ended("sweep", sweep), flush=True)
    return case, search, sweep


def _ended(name: str, trail: Trail) -> str:
    last = trail.steps[-1] if trail.steps else None
    return f"{name}: {trail.ended}, {last}"


def options(text: str | None, machine: Machine) -> argparse.Namespace:
    """Return where to write, and the seconds that bound either way's time.

    Parameters
    ----------
    text : str or None
        What the benchmark does, for its help.
    """
    parser = argparse.ArgumentParser(description=text)
    search, sweep = (SEARCH_S, SWEEP_S) if machine.gpus else (CPU_SEARCH_S, CPU_SWEEP_S)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    parser.add_argument("--search-s", type=float, default=search)
    parser.add_argument("--sweep-s", type=float, default=sweep)
    return parser.parse_args()


def told(made: results_file.Result, folder: Path) -> None:
    """Print what was found, and write the result."""
    print(made.figure)
    results_file.write(results_file.path_of(made.row, made.machine, folder), made)


def main() -> None:
    """Run both, print what was found, and write the result."""
    machine = here()
    asked, watch = options(__doc__, machine), Watch()
    case, search, sweep = both(machine, asked.search_s, asked.sweep_s)
    told(result(case, search, sweep, watch.told(), machine), asked.out)


if __name__ == "__main__":
    main()
