"""What if the link to the GPU were four times as fast? Times from a file, judged by the engine.

The times of ``what_if.json`` are yours to change: a planned machine, a vendor's claim, a cost
model. Processes, rounds, slots, checks and verdicts are those of any other run; only the clock
follows the script.
"""

from __future__ import annotations

import copy
import json
import sys
import tempfile
from pathlib import Path

import breakeven

SCRIPT = Path(__file__).with_name("what_if.json")
SIZES = (32, 64, 128)
FASTER = 4.0


def main() -> None:
    """Print where each GPU begins to pay when the data must travel."""
    script = json.loads(SCRIPT.read_text(encoding="utf-8"))
    faster = copy.deepcopy(script["actors"]["gpu"])
    journey = faster["journey_s"]["matmul"]
    faster["journey_s"]["matmul"] = {size: took / FASTER for size, took in journey.items()}
    script["actors"]["gpu-new-link"] = faster

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "script.json"
        path.write_text(json.dumps(script), encoding="utf-8")
        result = breakeven.run(
            "matmul", sizes=SIZES, backends=[f"scripted:{path}"], rounds=3, store=name
        )
    for entry in ("gpu", "gpu-new-link"):
        found = result.crossover(entry, scope="transfer")
        low, high = (f"{end:.0f}" if end is not None else "open" for end in (found.low, found.high))
        print(f"{entry}: {found.kind}, from {low} to {high}")


if __name__ == "__main__":
    sys.exit(main())
