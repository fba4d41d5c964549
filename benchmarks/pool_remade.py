"""Whether a training step keeps the threads of its pool, by how many there are.

``python benchmarks/pool_remade.py`` trains the small convolutional network on digits on the CPU
and prints, for pools of 2, 4, 8 and 16 threads, how many threads a step ends and makes anew.
``--times`` adds what a step takes with every thread free and, where there are cores enough, with
each thread that was there pinned to a core of its own. A thread that is born has the place of its
maker, so that those of a pool that is made anew share the core of a pinned main thread.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from breakeven.engine.pinning import Pinning, lasting
from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training.job import TrainingJob

STEPS = 5


def threads() -> set[str]:
    """Return the ids of this process's threads."""
    return {each.name for each in Path("/proc/self/task").iterdir()}


def step_s(step: object) -> float:
    """Return the median seconds of a few steps."""
    assert callable(step)
    times = []
    for _ in range(STEPS):
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def one(count: int, batch: int, *, times: bool) -> None:
    """Print the line of one pool; in a process of its own, which no other pool was made in."""
    import torch

    torch.set_num_threads(count)
    job = TrainingJob(TrainingSpec(model="cnn", data="digits"), batch, "cpu", 1)
    job.resident_step()
    before = threads()
    job.resident_step()
    ended = len(before - threads())
    if not times:
        print(f"{count:>7} {ended:>6}", flush=True)
        job.close()
        return
    free = step_s(job.resident_step)
    cpus = sorted(os.sched_getaffinity(0))
    pinned = "-"
    if len(cpus) >= count:
        placed, why = Pinning(cpus[:count]).pin(lambda: lasting(job.resident_step))
        pinned = why or f"{1e3 * step_s(job.resident_step):.2f} ms ({placed} placed)"
    print(f"{count:>7} {ended:>6} {1e3 * free:>9.2f} ms  {pinned}", flush=True)
    job.close()


def main() -> None:
    """Print a line for each number of threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--times", action="store_true")
    asked = parser.parse_args()
    if asked.threads:
        one(asked.threads, asked.batch, times=asked.times)
        return
    print(f"batch {asked.batch}, {len(os.sched_getaffinity(0))} cores")
    print("threads  ended" + ("       free  pinned" if asked.times else ""), flush=True)
    for count in (2, 4, 8, 16):
        subprocess.run(
            [sys.executable, __file__, "--threads", str(count), "--batch", str(asked.batch)]
            + ["--times"] * asked.times,
            check=True,
        )


if __name__ == "__main__":
    main()
