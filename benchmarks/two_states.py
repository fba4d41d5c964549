"""NumPy's two states on a machine with many cores: slots before and after pinning.

``python benchmarks/two_states.py --out FILE`` runs NumPy beside the GPU (or torch-cpu) twice in
one session, pool threads left alone and pinned, and counts slots in which two threads shared a
core: a whole multiple of the scheduler's time slice, ten times the best slot and more.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from breakeven import lab
from breakeven.engine.clock import stamp
from breakeven.model.run import RunRecord

SIZES = (256, 512, 1024)


def slots_of(record: RunRecord, entry: str, size: int) -> dict[str, Any]:
    """Return counts and spread of an entry's wall slots at one size, scouting left out."""
    slots = [
        slot
        for case in record.cases
        if case.entry == entry and case.size == size
        for block in case.rounds
        if block.clock == "wall" and block.round > 0
        for slot in block.slots
    ]
    times = [s.median_s for s in slots]
    best = min(times)
    return {
        "entry": entry,
        "size": size,
        "slots": len(slots),
        "two_states": sum(s.voided == "two_states" for s in slots),
        "busy": sum(s.voided == "busy" for s in slots),
        "median_s": statistics.median(times),
        "best_s": best,
        "worst_over_best": max(times) / best,
    }


def measured(*, pin: bool, rounds: int, backends: list[str]) -> list[dict[str, Any]]:
    """Run one session; return its rows."""
    with tempfile.TemporaryDirectory() as store:
        result = lab.run(
            "matmul", sizes=SIZES, backends=backends, rounds=rounds, pin=pin, store=store
        )
    record = result.record
    entry = next(e.id for e in record.entries if e.backend == "numpy" and e.default)
    return [slots_of(record, entry, size) | {"pinned": pin} for size in SIZES]


def main() -> None:
    """Measure both ways and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--backends", default="numpy,torch-cuda")
    asked = parser.parse_args()
    rows = [
        row
        for pin in (False, True)
        for row in measured(pin=pin, rounds=asked.rounds, backends=asked.backends.split(","))
    ]
    machine = lab.read_machine()
    print(f"{'pinned':<8}{'N':>6}{'slots':>7}{'two states':>12}{'median':>12}{'worst/best':>12}")
    for row in rows:
        print(
            f"{row['pinned']!s:<8}{row['size']:>6}{row['slots']:>7}{row['two_states']:>12}"
            f"{row['median_s'] * 1e6:>9.0f} us{row['worst_over_best']:>12.1f}"
        )
    if asked.out:
        document = {
            "date": stamp(),
            "cpu": machine.cpu.model,
            "cores": machine.cpu.cores_usable,
            "gpu": machine.gpus[0].name if machine.gpus else None,
            "libraries": machine.libraries,
            "rows": rows,
        }
        asked.out.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
