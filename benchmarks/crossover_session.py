"""One session for two rows: how quick the answer is, and whether a dense sweep bears it out.

``python benchmarks/crossover_session.py`` does what ``answer_quick.py`` and ``dense_reference.py``
do, with one search and one sweep for both. With a GPU it takes up to 8 minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import answer_quick
import dense_reference
import results_file
from quiet import Watch
from sweeps import Trail, here, observed

# Rounds from which the sweep's medians are a reference.
ROUNDS = 5


def enough(trail: Trail) -> bool:
    """Tell whether a sweep is narrow enough for the one row, and long enough for the other."""
    return trail.steps[-1].rounds >= ROUNDS and answer_quick.narrow(answer_quick.WIDTH)(trail)


def main() -> None:
    """Run both ways once, and write both results."""
    machine = here()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    answer_quick.bounds(parser, machine)
    asked = parser.parse_args()
    watch, case = Watch(), answer_quick.case_of(machine)
    narrow = answer_quick.narrow(answer_quick.WIDTH)
    search = observed(case, machine, narrow, asked.search_s, dense=False)
    sweep = observed(case, machine, enough, asked.sweep_s, dense=True)
    told = watch.told()
    made = [answer_quick.result(case, search, sweep, told, machine)]
    if machine.gpus:
        made.append(dense_reference.result(search, sweep, told, machine))
    for one in made:
        print(f"{one.row}: {one.figure}")
        results_file.write(results_file.path_of(one.row, one.machine, asked.out), one)


if __name__ == "__main__":
    main()
