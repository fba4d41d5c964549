"""What does the harness itself cost? Time in a figure, memory beyond the library's.

``python benchmarks/own_cost.py`` needs no GPU and takes about half a minute; with a GPU a worker of
each GPU library is weighed as well.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import results_file
from breakeven import units
from breakeven.backends import registry
from breakeven.engine.bench import Bench
from breakeven.engine.loop import repeats
from breakeven.engine.processes import POOL_VARIABLES
from breakeven.workloads.base import Answer
from opened_case import opened
from quiet import Watch

ROW = "own_cost"
CLAIM = "own cost: what the harness adds to one repeat; its memory"
TARGET = "under 0.3 us a repeat"
REPEAT_S, BLOCKS, BLOCK_S = 0.3e-6, 20, 0.02
# Every script ends so: with its resident memory, in bytes.
WEIGHED = """
lines = open("/proc/self/status").read().splitlines()
print(next(int(x.split()[1]) * 1024 for x in lines if x.startswith("VmRSS")))
"""
# What a plain script does with a library before its memory is read.
PLAIN = """\
{imports}
a = {array}
b = a @ a
{wait}
"""
OURS = """\
from breakeven.backends import registry
import breakeven.engine.worker, breakeven.engine.bench, breakeven.machine.pools
backend = registry.get({name!r})
opening = backend.open()
xp = opening.xp
bench = breakeven.engine.bench.Bench(backend, opening)
breakeven.machine.pools.read_pools()
import numpy
a = backend.to_device(numpy.ones((256, 256), dtype=numpy.float32))
b = a @ a
backend.synchronise()
"""
COORDINATOR = """\
from breakeven import lab
import breakeven.engine.session, breakeven.analysis.judge, breakeven.report.page
lab.read_machine()
"""
LIBRARIES = {
    "numpy": ("import numpy", "numpy.ones((256, 256), dtype=numpy.float32)", ""),
    "torch-cpu": ("import numpy, torch", "torch.ones(256, 256)", ""),
    "torch-cuda": (
        "import numpy, torch", "torch.ones(256, 256, device='cuda')", "torch.cuda.synchronize()",
    ),
    "cupy": (
        "import numpy, cupy", "cupy.ones((256, 256), dtype=cupy.float32)",
        "cupy.cuda.Device(0).synchronize()",
    ),
}  # fmt: skip


class Nothing:
    """A workload that does nothing: whatever time its call takes is the harness's own."""

    name = "nothing"

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  the seam's signature
        """Return an answer without arrays."""
        del xp, inputs
        return Answer(arrays=())


def empty_call_s() -> float:
    """Return what the timing loop reads for a call that does nothing and waits for nothing."""
    blocks = [
        statistics.median(repeats(_nothing, _nothing, time.perf_counter, BLOCK_S))
        for _ in range(BLOCKS)
    ]
    return statistics.median(blocks)


def clock_pair_s() -> float:
    """Return what two readings of the clock in a row differ by: no loop could read less."""
    clock, times = time.perf_counter, []
    for _ in range(100_000):
        begin = clock()
        times.append(clock() - begin)
    return statistics.median(times)


def _nothing() -> None:
    """Do nothing."""


def empty_work_s() -> float:
    """Return what a slot reads for a workload that does nothing: loop, call and answer."""
    backend, opening = opened("numpy")
    bench = Bench(backend, opening)
    # The case is put in by hand: there is no answer to check.
    bench._workload = Nothing()  # type: ignore[assignment]  # noqa: SLF001
    return statistics.median(bench.measure("resident", BLOCK_S).median_s for _ in range(BLOCKS))


def resident_bytes(script: str) -> int:
    """Return the resident memory that a script in a fresh process ends with."""
    done = subprocess.run(
        [sys.executable, "-c", script + WEIGHED], check=True, capture_output=True, text=True,
        timeout=300, env=os.environ | dict.fromkeys(POOL_VARIABLES, "1"),
    )  # fmt: skip
    return int(done.stdout.strip().splitlines()[-1])


def middle_bytes(script: str, processes: int = 3) -> int:
    """Return the median resident memory of some processes."""
    return int(statistics.median(resident_bytes(script) for _ in range(processes)))


def memory_rows() -> list[dict[str, Any]]:
    """Weigh a worker of each library that works here beside a plain script with that library."""
    rows = []
    for name, (imports, array, wait) in LIBRARIES.items():
        if not registry.get(name).find().available:
            continue
        plain = middle_bytes(PLAIN.format(imports=imports, array=array, wait=wait))
        ours = middle_bytes(OURS.format(name=name))
        rows.append({"backend": name, "plain_bytes": plain, "worker_bytes": ours})
        print(f"{name:<11} plain {units.size_bytes(plain)}, worker {units.size_bytes(ours)}")
    return rows


def words(details: dict[str, Any]) -> results_file.Words:
    """Return what the details say: met when a repeat costs little enough."""
    repeat, loop = details["repeat_s"], details["empty_call_s"]
    more = [row["worker_bytes"] - row["plain_bytes"] for row in details["memory"]]
    figure = (
        f"{units.seconds(repeat)} a repeat, {units.seconds(loop)} of it the loop; a worker adds "
        f"{units.size_bytes(max(more))} at most to its library, the coordinator has "
        f"{units.size_bytes(details['coordinator_bytes'])}"
    )
    return results_file.Words(TARGET, figure, repeat < REPEAT_S, details)


def result(
    empty_s: float, work_s: float, pair_s: float, memory: list[dict[str, Any]], coordinator: int,
    conditions: dict[str, Any],
) -> results_file.Result:  # fmt: skip
    """Return the row."""
    details = {
        "repeat_s": work_s,
        "repeat_met": work_s < REPEAT_S,
        "empty_call_s": empty_s,
        "clock_pair_s": pair_s,
        "memory": memory,
        "coordinator_bytes": coordinator,
    }
    told = words(details | conditions)
    return results_file.result(
        row=ROW, claim=CLAIM, target=told.target, figure=told.figure, met=told.met,
        details=told.details,
    )  # fmt: skip


def main() -> None:
    """Measure, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    watch = Watch()
    empty, work, pair = empty_call_s(), empty_work_s(), clock_pair_s()
    memory, coordinator = memory_rows(), middle_bytes(COORDINATOR)
    made = result(empty, work, pair, memory, coordinator, watch.told())
    print(made.figure)
    results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
