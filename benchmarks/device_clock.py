"""Is the device clock true? One call by every public way of timing it, in one session.

``python benchmarks/device_clock.py`` needs an NVIDIA GPU, with PyTorch; CuPy, Triton and cuda-bench
add their columns where they are installed (``pip install cuda-bench``). It takes about 2 minutes.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import results_file
from breakeven import units
from breakeven.backends import registry
from breakeven.engine.device_times import Queue, issue_of
from breakeven.engine.loop import repeats
from gpu_calls import CASES, Call, array_calls, torch_calls
from harness_clocks import (
    CLOCKS,
    Reading,
    attempted,
    cupti_calls,
    cupti_s,
    cupyx_s,
    do_bench_s,
    nvbench_all,
    torch_benchmark_s,
)

ROW = "device_clock"
CLAIM = "the device clock is true: against CUPTI kernel time, with the public harnesses beside"
TARGET = "within 2 % of CUPTI from 50 us, within 1 us below"
LONG_S, SHARE, APART_S = 50e-6, 0.02, 1e-6
PASSES, BUDGET_S, WALL_S, GRAPH_CALLS = 5, 0.3, 0.1, 20
LIBRARIES = {"torch-cuda": "torch", "cupy": "cupy"}


class Judged(NamedTuple):
    """The device clock beside CUPTI over all cases.

    Attributes
    ----------
    worst_share : float or None
        Largest relative difference from 50 us on.
    worst_apart_s : float or None
        Largest difference below.
    """

    compared: int
    worst_share: float | None
    worst_apart_s: float | None
    met: bool | None


def judged(rows: Sequence[dict[str, Any]]) -> Judged:
    """Compare the queued time with CUPTI's in each row; None where nothing could be compared."""
    both = [
        (row["seconds"]["cupti"], row["seconds"]["queued"])
        for row in rows
        if row["seconds"]["cupti"] is not None and row["seconds"]["queued"] is not None
    ]
    shares = [abs(ours / true - 1) for true, ours in both if true >= LONG_S]
    aparts = [abs(ours - true) for true, ours in both if true < LONG_S]
    share, apart = max(shares, default=None), max(aparts, default=None)
    met = None
    if both and len(both) == len(rows):
        met = (share is None or share <= SHARE) and (apart is None or apart <= APART_S)
    elif both:
        # A case without a figure on either side has not been shown.
        met = False
    return Judged(len(both), share, apart, met)


class Bench:
    """One library on the GPU, opened as a worker opens it."""

    def __init__(self, backend: str) -> None:
        self.backend = registry.get(backend)
        self.opening = self.backend.open()
        xp = self.opening.xp
        self.calls = torch_calls(xp) if LIBRARIES[backend] == "torch" else array_calls(xp)
        self.library = LIBRARIES[backend]

    def wall_s(self, call: Call) -> float:
        """Return the median by the wall clock of a run."""
        times = repeats(call, self.backend.synchronise, self.opening.clock, WALL_S)
        return statistics.median(times)

    def latency_s(self, call: Call) -> float:
        """Return the median between two events around one call."""
        assert self.opening.device_seconds is not None
        return statistics.median(self.opening.device_seconds(call) for _ in range(50))

    def queued_s(self, call: Call) -> float:
        """Return the device time of a run: behind a full queue.

        Raises
        ------
        ValueError
            With the reason, where there is no such figure.
        """
        tools, wait, clock = self.opening.device_clock, self.backend.synchronise, self.opening.clock
        if tools is None:
            message = "this backend has no device clock"
            raise ValueError(message)
        found = Queue(tools, wait, clock).seconds(call, issue_of(call, wait, clock), BUDGET_S)
        if found.seconds is None:
            raise ValueError(found.why)
        return found.seconds

    def graph_s(self, call: Call) -> float:
        """Return the device time of a call within a captured graph of 20."""
        tools = self.opening.device_clock
        if tools is None:
            message = "this backend has no device clock"
            raise ValueError(message)

        def several() -> None:
            for _ in range(GRAPH_CALLS):
                call()

        return self.queued_s(tools.capture(several)) / GRAPH_CALLS


def measured(bench: Bench, case: str) -> dict[str, Any]:
    """Return the row of one case: ours and CUPTI's in alternating passes, then each harness."""
    call = bench.calls[case]()
    wall = attempted(lambda: bench.wall_s(call))
    count = cupti_calls(wall.seconds or 1e-3)
    wait = bench.backend.synchronise
    queued: list[Reading] = []
    cupti: list[Reading] = []
    for _ in range(PASSES):
        queued.append(attempted(lambda: bench.queued_s(call)))
        cupti.append(attempted(lambda: cupti_s(call, wait, count)))
    readings = {
        "cupti": middle(cupti),
        "queued": middle(queued),
        "latency": attempted(lambda: bench.latency_s(call)),
        "wall": wall,
        "torch_benchmark": attempted(lambda: torch_benchmark_s(call)),
    }
    if bench.library == "torch":
        readings["do_bench"] = attempted(lambda: do_bench_s(call))
    else:
        readings["cupyx"] = attempted(lambda: cupyx_s(call))
    # Last: a capture that fails may leave its library unfit for further work.
    readings["graph"] = attempted(lambda: bench.graph_s(call))
    return row(bench.library, case, readings) | {
        "queued_passes_s": [r.seconds for r in queued],
        "cupti_passes_s": [r.seconds for r in cupti],
    }


def middle(readings: Sequence[Reading]) -> Reading:
    """Return the median of the passes that gave a figure; the first reason when none did."""
    known = [r.seconds for r in readings if r.seconds is not None]
    if known:
        return Reading(statistics.median(known))
    return readings[0]


def row(library: str, case: str, readings: dict[str, Reading]) -> dict[str, Any]:
    """Return one row: seconds by clock, with the reason where a clock has none."""
    return {
        "library": library,
        "case": case,
        "seconds": {key: r.seconds for key, r in readings.items()},
        "why": {key: r.why for key, r in readings.items() if r.why is not None},
    }


def with_nvbench(rows: list[dict[str, Any]], found: dict[str, tuple[Reading, Reading]]) -> None:
    """Add NVBench's two columns to the rows of torch."""
    for one in rows:
        if one["library"] != "torch":
            continue
        for key, reading in zip(("nvbench_cold", "nvbench_batch"), found[one["case"]], strict=True):
            one["seconds"][key] = reading.seconds
            if reading.why is not None:
                one["why"][key] = reading.why


def result(rows: list[dict[str, Any]]) -> results_file.Result:
    """Return the row of the truth table."""
    found = judged(rows)
    parts = []
    if found.worst_share is not None:
        parts.append(f"{100 * found.worst_share:.1f} % at most from 50 us")
    if found.worst_apart_s is not None:
        parts.append(f"{units.seconds(found.worst_apart_s)} at most below")
    figure = f"{', '.join(parts) or 'nothing to compare'} ({found.compared} of {len(rows)} cases)"
    clocks = {key: clock._asdict() for key, clock in CLOCKS.items()}
    return results_file.result(
        row=ROW,
        claim=CLAIM,
        target=TARGET,
        figure=figure,
        met=found.met,
        details={"clocks": clocks, "rows": rows},
    )


def no_gpu() -> str | None:
    """Return why there is nothing to compare here; None where there is."""
    found = registry.get("torch-cuda").find()
    return None if found.available else f"torch-cuda: {found.why_not}"


def main() -> None:
    """Measure all cases in all ways, print them, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    parser.add_argument("--cases", default=",".join(CASES))
    asked = parser.parse_args()
    if (why := no_gpu()) is not None:
        parser.exit(3, f"{why}\n")
    cases = asked.cases.split(",")
    rows: list[dict[str, Any]] = []
    for backend in LIBRARIES:
        if not registry.get(backend).find().available:
            continue
        bench = Bench(backend)
        for case in cases:
            rows.append(measured(bench, case))
            told = {k: v and f"{v * 1e6:.2f}" for k, v in rows[-1]["seconds"].items()}
            print(backend, case, told, flush=True)
    with_nvbench(rows, nvbench_all(cases))
    made = result(rows)
    print(made.figure)
    results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
