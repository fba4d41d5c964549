"""Does the cnn learn the digits, on every device alike?

``python benchmarks/digits_accuracy.py`` takes 4 minutes on two cores, and one more with a GPU.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import results_file
from breakeven.backends import registry
from breakeven.model.spec import TrainingSpec
from breakeven.stats.losses import agreement, within_spread
from breakeven.stats.proportions import paired, paired_difference
from breakeven.workloads.training.job import TrainingJob

ROW = "digits_accuracy"
CLAIM = "the cnn learns scikit-learn's digits, on the CPU and on the GPU alike"
TARGET = "98 % or better after 20 epochs at batch 64 and 128; losses agree; accuracies on a par"
LEAST, PAR = 0.98, 0.02
BATCHES, SEEDS, EPOCHS, FIRST = (64, 128), (1, 2, 3), 20, 10
PROBES = (1, 2)


def trained(device: str, batch: int, seed: int) -> dict[str, Any]:
    """Train once; return the first losses, the last loss, and what was answered wrongly."""
    job = TrainingJob(TrainingSpec(model="cnn", epochs=EPOCHS), batch, device, seed)
    try:
        first = job.first_losses(FIRST)
        probes = [job.first_losses(FIRST, probe=p) for p in PROBES] if device == "cpu" else []
        loss = [job.run_epoch(epoch) for epoch in range(EPOCHS)][-1]
        score = job.evaluate()
    finally:
        job.close()
    return {
        "device": device,
        "batch": batch,
        "seed": seed,
        "accuracy": score.correct / score.total,
        "correct": score.correct,
        "total": score.total,
        "wrong": list(score.wrong),
        "last_loss": loss,
        "first_losses": list(first),
        "probes": [list(p) for p in probes],
    }


def compared(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Set each training on a GPU beside the one on the CPU of the same batch and seed."""
    known = {(r["device"], r["batch"], r["seed"]): r for r in rows}
    found = []
    for row in rows:
        base = known.get(("cpu", row["batch"], row["seed"]))
        if row["device"] == "cpu" or base is None:
            continue
        told = agreement(row["first_losses"], base["first_losses"], base["probes"])
        counts = paired(frozenset(row["wrong"]), frozenset(base["wrong"]), row["total"])
        apart = paired_difference(counts)
        found.append(
            {
                "batch": row["batch"],
                "seed": row["seed"],
                "loss_error": told.error,
                "loss_bound": told.bound,
                "losses_agree": told.passed,
                "rule": told.rule,
                "difference": apart.value,
                "low": apart.low,
                "high": apart.high,
                "on_a_par": apart.low >= -PAR and apart.high <= PAR,
            }
        )
    return found


def result(rows: Sequence[dict[str, Any]]) -> results_file.Result:
    """Return the row of the table: not told where there is no GPU to compare with."""
    pairs = compared(rows)
    least = min(rows, key=lambda row: row["accuracy"])
    figure = f"{100 * least['accuracy']:.1f} % at least in {len(rows)} trainings"
    learnt: bool | None = least["accuracy"] >= LEAST
    if pairs:
        agree = sum(p["losses_agree"] for p in pairs)
        level = sum(p["on_a_par"] for p in pairs)
        figure += f"; first losses agree in {agree} of {len(pairs)}, accuracies on a par in {level}"
        learnt = learnt and agree == level == len(pairs)
    elif learnt:
        figure += "; no GPU here to compare with"
        learnt = None
    return results_file.result(
        row=ROW,
        claim=CLAIM,
        target=TARGET,
        figure=figure,
        met=learnt,
        details={"trainings": list(rows), "pairs": pairs, "spread": spreads(rows)},
    )


def spreads(rows: Sequence[dict[str, Any]]) -> dict[str, bool | None]:
    """Return by batch whether the last losses of a GPU lie where seeds of the CPU would end."""
    found = {}
    for batch in sorted({row["batch"] for row in rows}):
        mine = [r for r in rows if r["batch"] == batch]
        base = [r["last_loss"] for r in mine if r["device"] == "cpu"]
        other = [r["last_loss"] for r in mine if r["device"] != "cpu"]
        found[str(batch)] = within_spread(other, base)
    return found


def main() -> None:
    """Train, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    rows = []
    for name in ("torch-cpu", "torch-cuda"):
        backend = registry.get(name)
        if not backend.find().available:
            continue
        backend.open()
        for batch in BATCHES:
            for seed in SEEDS:
                rows.append(trained(backend.about.device, batch, seed))
                print(
                    f"{name:<11}batch {batch:<4}seed {seed}  {rows[-1]['correct']} of "
                    f"{rows[-1]['total']} right",
                    flush=True,
                )
    made = result(rows)
    print(made.figure)
    results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
