"""Is the wall clock true? Beside a loop written by hand in one process, and beside pyperf.

``python benchmarks/wall_clock.py`` takes about 2 minutes on the CPU, and half a minute more with a
GPU. pyperf comes with ``pip install 'breakeven[bench]'``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import results_file
from breakeven.backends import registry
from breakeven.engine.processes import POOL_VARIABLES
from breakeven.stats.intervals import interval
from breakeven.stats.quantile import t_quantile
from opened_case import OpenedCase, matmul_case, opened
from quiet import Watch

ROW = "wall_clock"
CLAIM = "the wall clock is true: against a loop written by hand, and against pyperf"
TARGET = "within 1 % of the hand loop from 10 us; within 2 % of pyperf, or within its interval"
HAND_SHARE, PYPERF_SHARE, FROM_S = 0.01, 0.02, 10e-6
PAIRS, BLOCK_S, CALLS_LEAST = 30, 0.03, 5
# One thread: where a pool's threads run would be the larger difference.
ONE_THREAD = dict.fromkeys(POOL_VARIABLES, "1")
CPU_SIZES, GPU_SIZES, PYPERF_SIZES = (96, 192, 384, 768), (128, 512, 2048, 8192), (128, 384)
PROCESSES, VALUES, VALUE_S = 10, 3, 0.05
# At a cache line, as ours are: beside one a product takes up to a tenth longer (decision 016).
SETUP = (
    "import numpy as np; rng = np.random.default_rng((42, {size})); matmul = np.matmul; "
    "room = [np.empty(4 * {size} ** 2 + 64, np.uint8) for _ in range(2)]; "
    "a, b = (r[-r.ctypes.data % 64:][:4 * {size} ** 2].view(np.float32).reshape({size}, {size}) "
    "for r in room); "
    "a[...], b[...] = rng.standard_normal((2, {size}, {size}))"
)


def hand_loop(case: OpenedCase, seconds: float) -> float:
    """Return the median of calls timed as one would by hand, with nothing of ours."""
    call, wait, waits = case.bare, case.backend.synchronise, case.waits
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < CALLS_LEAST:
        begin = time.perf_counter()
        call()
        if waits:
            wait()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def compared(case: OpenedCase, pairs: int = PAIRS) -> dict[str, Any]:
    """Measure blocks of ours and of the hand loop in turn, which comes first changing each time."""
    seconds = max(BLOCK_S, CALLS_LEAST * case.call_s)
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(pairs):
        if number % 2:
            theirs.append(hand_loop(case, seconds))
            ours.append(case.bench.measure("resident", seconds).median_s)
        else:
            ours.append(case.bench.measure("resident", seconds).median_s)
            theirs.append(hand_loop(case, seconds))
    found = {"backend": case.backend.about.name, "workload": "matmul", "size": case.size}
    return found | pair_figures(ours, theirs)


def pair_figures(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, Any]:
    """Return the median share by which ours differs, with the 95 % interval of its mean."""
    logs = [math.log(a / b) for a, b in zip(ours, theirs, strict=True)]
    seen = interval(logs)
    return {
        "ours_s": statistics.median(ours),
        "theirs_s": statistics.median(theirs),
        "off": math.expm1(statistics.median(logs)),
        "off_low": math.expm1(seen.low),
        "off_high": math.expm1(seen.high),
        "pairs": len(logs),
    }


def pyperf_values(document: dict[str, Any]) -> list[float]:
    """Return the values of all runs in a pyperf file, those of calibration left out."""
    return [v for b in document["benchmarks"] for run in b["runs"] for v in run.get("values", ())]


def pyperf_process(size: int) -> float:
    """Return the mean of one pyperf process for a product of size N."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pyperf.json"
        command = [
            sys.executable, "-m", "pyperf", "timeit", "-q", "-p", "1", "-n", str(VALUES), "-w", "1",
            "--min-time", str(VALUE_S), "--inherit-environ", ",".join(ONE_THREAD), "-o", str(path),
            "-s", SETUP.format(size=size), "matmul(a, b)",
        ]  # fmt: skip
        subprocess.run(
            command, check=True, capture_output=True, env=os.environ | ONE_THREAD, timeout=120
        )
        return statistics.fmean(pyperf_values(json.loads(path.read_text("utf-8"))))


def own_process(size: int) -> float:
    """Return the mean of the slots of one process of ours for the same product."""
    command = [sys.executable, __file__, "--process", str(size)]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | ONE_THREAD,
        timeout=120,
    )  # fmt: skip
    return statistics.fmean(json.loads(done.stdout))


def slots_of(size: int) -> list[float]:
    """Return slot medians of a product by NumPy in this process."""
    backend, opening = opened("numpy")
    with matmul_case(backend, opening, size) as case:
        return [case.bench.measure("resident", VALUE_S).median_s for _ in range(VALUES)]


def against_pyperf(size: int, processes: int = PROCESSES) -> dict[str, Any]:
    """Start a process of pyperf and one of ours in turn; compare them."""
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(processes):
        if number % 2:
            theirs.append(pyperf_process(size))
            ours.append(own_process(size))
        else:
            ours.append(own_process(size))
            theirs.append(pyperf_process(size))
    return {"backend": "numpy", "workload": "matmul", "size": size} | process_figures(ours, theirs)


def process_figures(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, Any]:
    """Return how far our mean over processes is from pyperf's, beside pyperf's 95 % interval."""
    mean, own, n = statistics.fmean(theirs), statistics.fmean(ours), len(theirs)
    half = t_quantile(0.975, n - 1) * statistics.stdev(theirs) / math.sqrt(n)
    return {
        "ours_s": own,
        "theirs_s": mean,
        "off": own / mean - 1,
        "interval_share": half / mean,
        "within_interval": abs(own - mean) <= half,
        "ours_process_s": list(ours),
        "theirs_process_s": list(theirs),
    }


def hand_met(rows: Sequence[dict[str, Any]]) -> bool | None:
    """Tell whether every call of 10 us and more is within 1 %; None without one."""
    judged = [abs(row["off"]) <= HAND_SHARE for row in rows if row["theirs_s"] >= FROM_S]
    return all(judged) if judged else None


def pyperf_met(rows: Sequence[dict[str, Any]]) -> bool | None:
    """Tell whether every size is within 2 % of pyperf, or within its interval; None without one."""
    judged = [abs(row["off"]) <= PYPERF_SHARE or row["within_interval"] for row in rows]
    return all(judged) if judged else None


def result(
    hand: list[dict[str, Any]],
    pyperf: list[dict[str, Any]],
    why: str | None,
    conditions: dict[str, Any],
) -> results_file.Result:
    """Return the row: unmet when either part is, untold when a part is missing and none is unmet.

    Parameters
    ----------
    why : str or None
        Why there is no comparison with pyperf.
    conditions : dict
        Whether other work ran meanwhile.
    """
    parts, met = [], (hand_met(hand), pyperf_met(pyperf))
    judged = [row for row in hand if row["theirs_s"] >= FROM_S]
    if judged:
        worst = max(judged, key=lambda row: abs(row["off"]))
        parts.append(
            f"{100 * worst['off']:+.1f} % at most ({worst['backend']} {worst['size']}) in "
            f"{len(judged)} cases beside the hand loop"
        )
    if pyperf:
        worst = max(pyperf, key=lambda row: abs(row["off"]))
        parts.append(
            f"{100 * worst['off']:+.1f} % at most beside pyperf, whose interval is "
            f"+-{100 * worst['interval_share']:.1f} %"
        )
    else:
        parts.append(f"pyperf not compared: {why}")
    return results_file.result(
        row=ROW,
        claim=CLAIM,
        target=TARGET,
        figure="; ".join(parts),
        met=False if False in met else None if None in met else True,
        details={"hand": hand, "pyperf": pyperf, "pyperf_why": why} | conditions,
    )


def hand_rows() -> list[dict[str, Any]]:
    """Compare with the hand loop on each backend that works here."""
    rows = []
    for name, sizes in (("numpy", CPU_SIZES), ("torch-cuda", GPU_SIZES), ("cupy", GPU_SIZES)):
        if not registry.get(name).find().available:
            continue
        backend, opening = opened(name)
        for size in sizes:
            with matmul_case(backend, opening, size) as case:
                rows.append(compared(case))
            print(_told(rows[-1], "hand loop"), flush=True)
    return rows


def _told(row: dict[str, Any], beside: str) -> str:
    return (
        f"{row['backend']:<11}{row['size']:>6}  ours {row['ours_s'] * 1e6:10.2f} us  {beside} "
        f"{row['theirs_s'] * 1e6:10.2f} us  {100 * row['off']:+.2f} %"
    )


def main() -> None:
    """Compare, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    parser.add_argument("--process", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.process is not None:
        print(json.dumps(slots_of(asked.process)))
        return
    if os.environ.get(POOL_VARIABLES[0]) != "1":
        # A pool has its size from the start of its process.
        command = [sys.executable, *sys.argv]
        raise SystemExit(subprocess.call(command, env=os.environ | ONE_THREAD))
    watch = Watch()
    hand, pyperf, why = hand_rows(), [], None
    if importlib.util.find_spec("pyperf") is None:
        why = "pyperf is not installed (pip install 'breakeven[bench]')"
    else:
        for size in PYPERF_SIZES:
            pyperf.append(against_pyperf(size))
            print(_told(pyperf[-1], "pyperf   "), flush=True)
    made = result(hand, pyperf, why, watch.told())
    print(made.figure)
    results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
