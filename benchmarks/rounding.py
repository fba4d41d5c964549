"""How far does rounding move the losses of a training? The figures of decision 019.

``python benchmarks/rounding.py`` takes a minute on two cores: each network trains for ten steps
with and without oneDNN's kernels, and from weights moved by one unit in the last place.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from breakeven.backends import registry
from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training.job import TrainingJob

MODELS = ("mlp", "transformer", "cnn", "resnet18")
STEPS, SHOWN, PROBES, BATCH, SEED = 10, (1, 2, 3, 5, 10), (1, 2, 3), 64, 1


def apart(losses: Sequence[float], base: Sequence[float]) -> list[float]:
    """Return the relative difference of each step."""
    return [abs(a - b) / abs(b) for a, b in zip(losses, base, strict=True)]


def rows(model: str) -> tuple[list[float], list[float]]:
    """Return the differences without oneDNN, and the largest of the probes, step by step."""
    import torch

    job = TrainingJob(TrainingSpec(model=model), BATCH, "cpu", SEED)
    base = job.first_losses(STEPS)
    probes = [apart(job.first_losses(STEPS, probe=n), base) for n in PROBES]
    torch.backends.mkldnn.set_flags(_enabled=False)
    try:
        other = apart(job.first_losses(STEPS), base)
    finally:
        torch.backends.mkldnn.set_flags(_enabled=True)
    return other, [max(steps) for steps in zip(*probes, strict=True)]


def told(values: Sequence[float]) -> str:
    """Return the steps that are shown."""
    return "  ".join(f"{values[step - 1]:7.0e}" for step in SHOWN)


def main() -> None:
    """Train and print."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    registry.get("torch-cpu").open()
    print(f"{'':14}{'steps':8}" + "  ".join(f"{step:7}" for step in SHOWN))
    for model in MODELS:
        other, probe = rows(model)
        print(f"{model:14}{'kernels':8}{told(other)}")
        print(f"{'':14}{'probes':8}{told(probe)}", flush=True)


if __name__ == "__main__":
    main()
