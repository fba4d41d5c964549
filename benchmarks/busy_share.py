"""Is the busy share of a trace true? The same file read by other methods than ours.

``python benchmarks/busy_share.py`` needs an NVIDIA GPU with PyTorch and takes a trace of a small
training at three batch sizes, half a minute in all. ``python benchmarks/busy_share.py FILE...``
reads traces that are there, on any machine. ``--hta PYTHON`` names the Python of an environment
with HolisticTraceAnalysis (``pip install HolisticTraceAnalysis``, which wants one of its own) and
sets its figures beside ours.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import results_file
from breakeven.model.spec import TrainingSpec
from breakeven.model.trace import TraceSummary
from breakeven.trace.chrome import read
from breakeven.trace.passes import traced
from breakeven.trace.steps import Steps, find_steps
from breakeven.trace.summary import summarise
from breakeven.workloads.training.job import TrainingJob

ROW = "busy_share"
CLAIM = "the busy share of a trace is true: the same file read by other methods"
TARGET = "within 2 points of each other reading"
POINTS = 0.02
CANNOT = 3
BATCHES, STEPS, CELLS, INSTANTS = (64, 128, 1024), 8, 2_000_000, 200_000
DEVICE_WORK = frozenset({"kernel", "gpu_memcpy", "gpu_memset"})
FINER = 1000
# Run by another Python: idle time between the first and the last work, and why.
HTA = """
import json, sys
from hta.trace_analysis import TraceAnalysis
seen = TraceAnalysis(trace_files={0: sys.argv[1]}, include_last_profiler_step=True)
whole = seen.get_temporal_breakdown(visualize=False).to_dict("records")[0]
why = seen.get_idle_time_breakdown(ranks=[0], visualize=False, consecutive_kernel_delay=30000)[0]
json.dump({"idle_us": float(whole["idle_time(us)"]), "span_us": float(whole["kernel_time(us)"]),
           "why": [[r["idle_category"], float(r["idle_time"])] for r in why.to_dict("records")]},
          open(sys.argv[2], "w"))
"""


def raw_work(path: Path) -> np.ndarray:
    """Return begins and ends of a device's work, microseconds, shape (n, 2), by JSON alone."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    pairs = [
        (float(e["ts"]), float(e["ts"]) + float(e["dur"]))
        for e in events
        if e.get("ph") == "X" and e.get("cat") in DEVICE_WORK
    ]
    return np.array(pairs).reshape(-1, 2)


def on_a_grid(work: np.ndarray, begin: float, end: float, cells: int = CELLS) -> float:
    """Return the share of equal cells of a window whose middle lies in some work."""
    width = (end - begin) / cells
    edges = np.clip(np.ceil((work - begin) / width - 0.5), 0, cells).astype(np.int64)
    # One up at each begin, one down at each end: what stands above 0 is busy.
    steps = np.bincount(edges[:, 0], minlength=cells + 1) - np.bincount(
        edges[:, 1], minlength=cells + 1
    )
    return float(np.mean(np.cumsum(steps[:cells]) > 0))


def at_random(
    work: np.ndarray, begin: float, end: float, instants: int = INSTANTS, seed: int = 42
) -> float:
    """Return the share of random instants of a window at which some work runs.

    At each, work that has begun and work that has ended are counted: more begun than ended runs.
    """
    at = np.random.default_rng(seed).uniform(begin, end, instants)
    begun = np.searchsorted(np.sort(work[:, 0]), at, side="right")
    ended = np.searchsorted(np.sort(work[:, 1]), at, side="right")
    return float(np.mean(begun > ended))


def in_thousandths(path: Path) -> bytes:
    """Return a trace whose clock begins with it and counts nanoseconds where it says microseconds.

    HolisticTraceAnalysis rounds all times down to whole microseconds: a kernel of 900 ns takes
    none, and its own checks fail by one.
    """
    trace = json.loads(gzip.decompress(path.read_bytes()))
    timed = [event for event in trace["traceEvents"] if event.get("ph") != "M" and "ts" in event]
    first = min(event["ts"] for event in timed)
    for event in timed:
        event["ts"] = round(FINER * (event["ts"] - first))
        if "dur" in event:
            event["dur"] = round(FINER * event["dur"])
    return gzip.compress(json.dumps(trace).encode())


def by_hta(python: str, path: Path) -> dict[str, Any]:
    """Return what HolisticTraceAnalysis says of a trace."""
    with tempfile.TemporaryDirectory() as folder:
        out, early = Path(folder) / "found.json", Path(folder) / "trace.json.gz"
        early.write_bytes(in_thousandths(path))
        command = [python, "-c", HTA, str(early), str(out)]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        found: dict[str, Any] = json.loads(out.read_text())
    return {
        "idle_us": found["idle_us"] / FINER,
        "span_us": found["span_us"] / FINER,
        "why": [[name, idle_us / FINER] for name, idle_us in found["why"]],
    }


def beside(path: Path, hta: str | None, cost: TraceSummary | None = None) -> dict[str, Any]:
    """Return our busy share of a trace and every other reading of it, all of the same window.

    ``cost`` is what was said when the trace was taken: the seconds of a step with and without.
    """
    summary = summarise(path)
    row: dict[str, Any] = {"file": path.name, "why": summary.why, "ours": summary.busy_share}
    if summary.busy_share is None:
        return row
    trace = read(path)
    steps = find_steps(trace)
    begin, end = (trace.origin_us + at * 1e6 for at in (steps.begin, steps.end))
    work = raw_work(path)
    row["grid"] = on_a_grid(work, begin, end)
    row["random"] = at_random(work, begin, end)
    if hta is not None:
        row |= _hta_row(by_hta(hta, path), work)
    if cost is not None:
        row |= {"plain_step_s": cost.plain_step_s, "traced_step_s": cost.traced_step_s}
    return row | _idle_row(summary, steps)


def _hta_row(found: dict[str, Any], work: np.ndarray) -> dict[str, Any]:
    """Return HolisticTraceAnalysis' share and ours of its window: first to last work."""
    begin, end = work[:, 0].min(), work[:, 1].max()
    return {
        "hta": 1 - found["idle_us"] / found["span_us"],
        "grid_of_hta_s_window": on_a_grid(work, begin, end),
        "hta_idle_us": dict(found["why"]),
    }


def _idle_row(summary: TraceSummary, steps: Steps) -> dict[str, Any]:
    assert summary.idle is not None
    idle = summary.idle
    return {
        "steps": len(steps.steps),
        "span_s": summary.span_s,
        "idle_s": {
            "loader": idle.loader_s,
            "launch": idle.launch_s,
            "synchronise": idle.synchronise_s,
            "other": idle.other_s,
        },
    }


def apart(row: dict[str, Any]) -> float | None:
    """Return how far the readings of one trace lie apart at most; None where there is none."""
    if row["ours"] is None:
        return None
    found = [abs(row["ours"] - row["grid"]), abs(row["ours"] - row["random"])]
    if "hta" in row:
        found.append(abs(row["hta"] - row["grid_of_hta_s_window"]))
    return max(found)


def result(rows: Sequence[dict[str, Any]]) -> results_file.Result:
    """Return the row: met when every trace could be read and all readings agree."""
    apart_by = [apart(row) for row in rows]
    known = [a for a in apart_by if a is not None]
    worst = max(known, default=None)
    others = "grid, random instants" + (", HolisticTraceAnalysis" if "hta" in rows[0] else "")
    figure = (
        "no trace could be read"
        if worst is None
        else f"{100 * worst:.2f} points at most in {len(known)} traces, beside {others}"
    )
    return results_file.result(
        row=ROW,
        claim=CLAIM,
        target=TARGET,
        figure=figure,
        met=None if worst is None or None in apart_by else worst <= POINTS,
        details={"traces": list(rows)},
    )


def taken(folder: Path) -> dict[Path, TraceSummary | None]:
    """Take traces of a small training on the first GPU, one for each batch size.

    Raises
    ------
    SystemExit
        With `CANNOT`, where there is no GPU that PyTorch can use.
    """
    import torch

    if not torch.cuda.is_available():
        print("needs an NVIDIA GPU that PyTorch can use, or traces to read")
        sys.exit(CANNOT)

    def awaited_nowhere() -> None:
        """Wait for nothing between the parts of a step."""

    paths: dict[Path, TraceSummary | None] = {}
    for batch in BATCHES:
        job = TrainingJob(TrainingSpec(model="cnn"), batch, "cuda:0", 42)
        found = traced(
            lambda job=job: job.phased_step(awaited_nowhere, lambda: 0.0),
            torch.cuda.synchronize,
            STEPS,
            folder,
            device="cuda:0",
            name=f"cnn-{batch}",
            memory=False,
        )
        job.close()
        print(f"batch {batch}: {found.why or found.faults or found.busy_share}")
        if found.file is not None:
            paths[folder / found.file] = found
    return paths


def main() -> None:
    """Take or read traces, print every reading, and write the result where traces were taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="traces to read; none: take some")
    parser.add_argument("--hta", help="the Python of an environment with HolisticTraceAnalysis")
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = dict.fromkeys(asked.files) or taken(Path(folder))
        rows = [beside(path, asked.hta, cost) for path, cost in paths.items()]
    for row in rows:
        read_so = [n for n in ("ours", "grid", "random", "hta") if row.get(n) is not None]
        shares = ", ".join(f"{name} {row[name]:.4f}" for name in read_so)
        print(f"{row['file']}: {row['why'] or shares}")
    if not rows:
        sys.exit(CANNOT)
    made = result(rows)
    print(made.figure)
    if not asked.files:
        results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
