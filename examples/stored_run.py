"""Reads a stored run: verdicts, crossovers and phases, without measuring anything.

``python examples/stored_run.py [RUN]``; RUN is an id, ``last`` or a path, and without it the run
of an H200 machine beside this file.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import breakeven
from breakeven import units

TOUR = Path(__file__).with_name("h200") / "tour.json"


def main(name: str = str(TOUR)) -> None:
    """Print what a run says."""
    result = breakeven.load_result(name)
    record = result.record
    gpus = ", ".join(gpu.name for gpu in record.machine.gpus) or "no GPU"
    print(f"{record.id}: {gpus}, {record.machine.cpu.cores_usable} cores")

    words = Counter(verdict.word for verdict in record.verdicts)
    print("verdicts:", ", ".join(f"{count} {word}" for word, count in sorted(words.items())))

    for found in record.crossovers:
        if found.base_kind == "best-cpu" and found.low is not None and found.high is not None:
            where = f"{found.low:.0f} to {found.high:.0f}"
            print(f"{found.workload}, {found.scope}: {found.entry} overtakes at {where}")

    for case in record.cases:
        phases = case.phases
        if phases.to_device_s is not None and phases.compute_s is not None:
            moved, worked = units.seconds(phases.to_device_s), units.seconds(phases.compute_s)
            print(f"{case.workload} {case.size} {case.entry}: in {moved}, compute {worked}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
