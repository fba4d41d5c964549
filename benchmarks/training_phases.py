"""Do the phases of a step add up to the step, and is the memory that it takes what was predicted?

``python benchmarks/training_phases.py`` takes a minute on two cores, and half of one more with a
GPU.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import results_file
from breakeven.backends import registry
from breakeven.backends.base import Backend
from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training.base import Phases
from breakeven.workloads.training.job import TrainingJob
from quiet import Watch

ROW = "training_phases"
CLAIM = "the phases of a training step, each awaited, add up to the step"
TARGET = "within 5 % in every step's median"
SHARE = 0.05
MODELS = ("mlp", "cnn", "resnet18", "transformer")
BATCH, STEPS, WARM, IMAGE = 64, 15, 3, 32
SEED = 42


def measured(model: str, backend: Backend) -> dict[str, Any]:
    """Return how far phases and steps are apart, with the memory predicted and taken."""
    spec = TrainingSpec(model=model, data="synthetic", image_size=IMAGE)
    backend.begin_case("train", BATCH)
    job = TrainingJob(spec, BATCH, backend.about.device, SEED)
    try:
        for _ in range(WARM):
            job.step()
        phases = [job.phased_step(backend.synchronise, time.perf_counter) for _ in range(STEPS)]
        plain = plain_steps(job.step, backend.synchronise)
        need, taken = job.facts.need, backend.memory().peak_bytes
        row: dict[str, Any] = {"backend": backend.about.name, "model": model}
        return row | apart(phases, plain) | memory(None if need is None else need.device, taken)
    finally:
        job.close()


def plain_steps(step: Callable[[], object], wait: Callable[[], None]) -> float:
    """Return the mean of steps in which nothing is awaited but the last."""
    wait()
    begin = time.perf_counter()
    for _ in range(STEPS):
        step()
    wait()
    return (time.perf_counter() - begin) / STEPS


def apart(phases: Sequence[Phases], plain_s: float) -> dict[str, Any]:
    """Return the median share by which the phases of a step miss it, and what awaiting costs."""
    step_s = statistics.median(p.step_s for p in phases)
    return {
        "off": statistics.median(p.sum_s / p.step_s - 1 for p in phases),
        "step_s": step_s,
        "plain_step_s": plain_s,
        "awaited_over_plain": step_s / plain_s,
    }


def memory(predicted: int | None, taken: int | None) -> dict[str, Any]:
    """Return the peak that was predicted over that of the allocator; None where it has none."""
    known = predicted is not None and taken is not None
    return {
        "predicted_bytes": predicted,
        "taken_bytes": taken,
        "predicted_over_taken": predicted / taken if known and taken else None,
    }


def result(rows: Sequence[dict[str, Any]], conditions: dict[str, Any]) -> results_file.Result:
    """Return the row of the table.

    Parameters
    ----------
    rows : sequence of dict
        Of each model on each backend.
    conditions : dict
        Whether other work ran meanwhile.
    """
    worst = max(rows, key=lambda row: abs(row["off"]))
    figure = (
        f"{100 * worst['off']:+.1f} % at most ({worst['model']} on {worst['backend']}) "
        f"in {len(rows)} cases"
    )
    ratios = [r["predicted_over_taken"] for r in rows if r["predicted_over_taken"] is not None]
    if ratios:
        figure += f"; memory predicted {min(ratios):.2f} to {max(ratios):.2f} times what was taken"
    return results_file.result(
        row=ROW,
        claim=CLAIM,
        target=TARGET,
        figure=figure,
        met=all(abs(row["off"]) <= SHARE for row in rows),
        details={"rows": list(rows)} | conditions,
    )


def main() -> None:
    """Measure, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    watch, rows = Watch(), []
    for name in ("torch-cpu", "torch-cuda"):
        backend = registry.get(name)
        if not backend.find().available:
            continue
        backend.open()
        for model in MODELS:
            rows.append(measured(model, backend))
            print(
                f"{name:<11}{model:<12}{100 * rows[-1]['off']:+6.2f} %  step "
                f"{rows[-1]['step_s'] * 1e3:8.3f} ms  "
                f"plain {rows[-1]['plain_step_s'] * 1e3:8.3f} ms",
                flush=True,
            )
    made = result(rows, watch.told())
    print(made.figure)
    results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
