"""The published one-shot figures beside ours, row by row: two machines, two ways of timing."""

from __future__ import annotations

import sys
from pathlib import Path

from breakeven import lab, units
from breakeven.model.labels import axis
from breakeven.model.run import RunRecord
from breakeven.model.verdict import NaiveCost

# Seconds by size and library, Tesla T4, each timed once: facts of that machine and method.
PUBLISHED = {
    "matmul": {
        128: {"numpy": 0.004375, "cupy": 0.297219, "torch-cuda": 0.004101},
        256: {"numpy": 0.006716, "cupy": 0.032556, "torch-cuda": 0.002549},
        512: {"numpy": 0.005299, "cupy": 0.015380, "torch-cuda": 0.002463},
        1024: {"numpy": 0.041209, "cupy": 0.012589, "torch-cuda": 0.010114},
        2048: {"numpy": 0.483878, "cupy": 0.107040, "torch-cuda": 0.082670},
    },
    "mlp": {
        64: {"numpy": 0.4558, "cupy": 0.9028},
        128: {"numpy": 0.9032, "cupy": 0.1932},
        256: {"numpy": 1.3714, "cupy": 0.1177},
    },
}
HEADS = ("theirs", "to NumPy", "ours once", "to NumPy", "ours again", "to NumPy")


def table(record: RunRecord) -> list[str]:
    """Return the lines of the table, one row a size and library that both have.

    A ratio is NumPy's time over the library's, of the same column. Ours are with the data
    travelling.
    """
    backends = {e.id: e.backend for e in record.entries}
    ours = {(row.size, backends[row.entry]): row for row in record.naive}
    workload = record.naive[0].workload if record.naive else ""
    called = axis(workload, record.spec)
    lines = [f"{called:>6}  {'library':<11}" + "".join(f"{h:>11}" for h in HEADS)]
    for size, theirs in PUBLISHED.get(workload, {}).items():
        for library, seconds in theirs.items():
            mine, base = ours.get((size, library)), ours.get((size, "numpy"))
            if mine is None or base is None:
                continue
            cells = [
                *_pair(seconds, theirs["numpy"]),
                *_pair(mine.one_shot_s, base.one_shot_s),
                *_pair(_again(mine), _again(base)),
            ]
            lines.append(f"{size:>6}  {library:<11}" + "".join(f"{c:>11}" for c in cells))
    return lines


def _again(row: NaiveCost) -> float | None:
    return row.sound_transfer_s


def _pair(seconds: float | None, base: float | None) -> tuple[str, str]:
    if seconds is None or base is None:
        return "-", "-"
    return units.seconds(seconds), units.ratio(base / seconds)


def main() -> None:
    """Print the table of the run document named first."""
    print("\n".join(table(lab.load(str(Path(sys.argv[1]))))))


if __name__ == "__main__":
    main()
