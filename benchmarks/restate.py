"""The words of stored results made again from their details, where what is told has changed.

``python benchmarks/restate.py`` reads each result in benchmarks/results and writes target, figure
and whether it is met anew. Nothing is measured: machine, date, versions and command stay.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

import aa
import crossover_right
import own_cost
import planted
import resample_rule
import results_file

WORDS: dict[str, Callable[[dict[str, Any]], results_file.Words]] = {
    crossover_right.ROW: crossover_right.words,
    resample_rule.FALSE_ROW: resample_rule.false_words,
    resample_rule.FOUND_ROW: resample_rule.planted_words,
    own_cost.ROW: own_cost.words,
    planted.ROW: planted.words,
    aa.ROW: aa.words,
}


def restated(found: results_file.Result) -> results_file.Result:
    """Return a result with its words made again; one of another row as it is."""
    if found.row not in WORDS:
        return found
    return msgspec.structs.replace(found, **WORDS[found.row](found.details)._asdict())


def main() -> None:
    """Write each result whose words have changed, and name it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER, help="the folder")
    asked = parser.parse_args()
    for one in results_file.read_all(asked.out):
        again = restated(one)
        if again != one:
            results_file.write(results_file.path_of(one.row, one.machine, asked.out), again)
            print(f"{one.row} ({one.machine.slug}): {again.figure}")


if __name__ == "__main__":
    main()
