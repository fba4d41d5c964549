"""The runs whose documents stand under examples/: made again by one command.

``python benchmarks/reference_runs.py --out FOLDER`` makes all of them in turn and copies each
document as soon as its run has ended, so that what is finished outlives whatever ends the rest.
``--only tour,o1-matmul`` makes some. On an H200 machine all together take about 19 minutes, the
long run 10 of them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

O1_SIZES = "128,256,512,1024,2048"
RUNS = {
    "tour": ["run"],
    "quick": ["run", "--quick"],
    "o1-matmul": ["run", "matmul", "--sizes", O1_SIZES, "--naive", "--budget", "150s"],
    "o1-mlp": ["run", "mlp", "--naive", "--dtype", "float64", "--budget", "120s"],
    "long": ["run", "--budget", "10m"],
}


def make(name: str, out: Path) -> float:
    """Make one run; leave its document, its report and what it printed in `out`.

    Returns
    -------
    float
        Wall seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        store, report = Path(folder) / "store", out / f"{name}.html"
        environment = os.environ | {"BREAKEVEN_STORE": str(store), "COLUMNS": "80"}
        began = time.monotonic()
        with (out / f"{name}.txt").open("wb") as text, (out / f"{name}.err").open("wb") as words:
            done = subprocess.run(
                [sys.executable, "-m", "breakeven", *RUNS[name]],
                stdout=text, stderr=words, env=environment, cwd=folder, check=False,
            )  # fmt: skip
        took = time.monotonic() - began
        for document in store.glob("*.json"):
            shutil.copy(document, out / f"{name}.json")
        made = Path(folder) / "breakeven-report.html"
        if made.exists():
            shutil.copy(made, report)
    print(f"{name:<12} exit {done.returncode}, {took:6.1f} s", flush=True)
    return took


def main() -> None:
    """Make the runs that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default=",".join(RUNS))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for name in asked.only.split(","):
        make(name, asked.out)


if __name__ == "__main__":
    main()
