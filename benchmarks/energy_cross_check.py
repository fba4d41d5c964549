"""Do the GPU's energy counter and its power over time tell the same joules?

``python benchmarks/energy_cross_check.py`` needs an NVIDIA GPU and PyTorch or CuPy; it takes about
100 seconds: windows of ten seconds idle, under steady products, and under products with pauses.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import results_file
from breakeven import units
from breakeven.analysis.energy import energies
from breakeven.backends import registry
from breakeven.model.sensing import Energy
from breakeven.sensors.recording import Recording
from breakeven.sensors.sampler import Sampler, SamplingPlan
from gpu_calls import Call, array_calls, torch_calls
from quiet import Watch

ROW = "energy_cross_check"
CLAIM = "the energy counter and integrated power agree"
TARGET = "within 5 % over 10 s of steady work"
MOST, WINDOW_S = 0.05, 10.0
STEADY, PAUSED, IDLE = "steady", "with pauses", "idle"
# Beginnings that lie askew to the meter's steps of about a tenth of a second.
WINDOWS = ((IDLE, 2.0), (STEADY, 1.537), (STEADY, 1.113), (STEADY, 1.871), (PAUSED, 1.291))
PAUSE_S = 0.13
CASE = "matmul-8192"
CANNOT = 3


class Load(NamedTuple):
    """Work for the GPU: a call, and what waits for it."""

    call: Call
    wait: Callable[[], object]


def load() -> Load | None:
    """Return the work, or None where no library reaches a GPU."""
    for name in ("torch-cuda", "cupy"):
        backend = registry.get(name)
        if backend.find().available:
            xp = backend.open().xp
            calls = torch_calls(xp) if name.startswith("torch") else array_calls(xp)
            return Load(calls[CASE](), backend.synchronise)
    return None


def work(one: Load, kind: str, until_s: float) -> None:
    """Do one kind of work until then."""
    while time.perf_counter() < until_s:
        if kind == IDLE:
            time.sleep(0.05)
            continue
        begin = time.perf_counter()
        while time.perf_counter() - begin < PAUSE_S:
            one.call()
            one.wait()
        if kind == PAUSED:
            time.sleep(PAUSE_S)


def recorded(one: Load) -> tuple[Recording, list[tuple[str, float, float]]]:
    """Record all windows; return the recording and each window's kind, beginning and end."""
    windows = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Sampler(SamplingPlan(), Path(folder), os.getpid()) as sampler,
    ):
        one.call()
        one.wait()
        for kind, settle_s in WINDOWS:
            work(one, kind, time.perf_counter() + settle_s)
            begin = time.perf_counter()
            work(one, kind, begin + WINDOW_S)
            windows.append((kind, begin, time.perf_counter()))
        found = sampler.finish()
    return found, windows


def read(found: Recording, windows: Sequence[tuple[str, float, float]]) -> list[tuple[str, Energy]]:
    """Return the first GPU's energy of each window."""
    told = []
    for kind, begin_s, end_s in windows:
        devices = energies(found.timeline, begin_s, end_s, absent=found.absent)
        told.append((kind, next(e for e in devices if e.device != "cpu")))
    return told


def apart(energy: Energy) -> float | None:
    """Return how far integrated power lies from the counter, as a share of it."""
    if energy.method != "counter" or energy.gross_j is None or energy.integrated_j is None:
        return None
    return energy.integrated_j / energy.gross_j - 1


def result(told: Sequence[tuple[str, Energy]], more: dict[str, Any]) -> results_file.Result:
    """Return the row: judged on steady work, with the rest beside it."""
    shares = {k: [apart(e) for kind, e in told if kind == k] for k in (STEADY, PAUSED, IDLE)}
    steady = [s for s in shares[STEADY] if s is not None]
    met = None
    if steady and len(steady) == len(shares[STEADY]):
        met = all(abs(s) <= MOST for s in steady)
    said = []
    for kind, found in shares.items():
        known = [s for s in found if s is not None]
        worst = max(known, key=abs, default=None)
        said.append(f"{kind} " + ("no figure" if worst is None else f"{100 * worst:+.1f} %"))
    periods = [e.update_period_s for _, e in told if e.update_period_s is not None]
    if periods:
        said.append(f"the counter steps every {units.seconds(statistics.median(periods))}")
    why = sorted({e.why for _, e in told if e.gross_j is None and e.why is not None})
    return results_file.result(
        row=ROW,
        claim=CLAIM,
        target=TARGET,
        figure="power over time beside the counter, at most: " + "; ".join([*said, *why]),
        met=met,
        details={
            "windows": [
                {
                    "kind": kind,
                    "window_s": e.window_s,
                    "counter_j": e.gross_j if e.method == "counter" else None,
                    "integrated_j": e.integrated_j,
                    "uncertainty_j": e.uncertainty_j,
                    "update_period_s": e.update_period_s,
                    "why": e.why,
                }
                for kind, e in told
            ]
        }
        | more,
    )


def main() -> None:
    """Measure, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    one = load()
    if one is None:
        print("no library here reaches an NVIDIA GPU", file=sys.stderr)
        sys.exit(CANNOT)
    watch = Watch()
    made = result(read(*recorded(one)), watch.told())
    print(made.figure)
    results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
