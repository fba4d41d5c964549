"""How well a model answers: its score on labelled images."""

from __future__ import annotations

from typing import Any

from breakeven.workloads.training.base import Score
from breakeven.workloads.training.data import Samples
from breakeven.workloads.training.loader import loader, next_batch


def score_of(
    model: Any,  # noqa: ANN401  a module
    samples: Samples,
    batch_size: int,
    device: str,
    workers: int,
) -> Score:
    """Answer all images in their own order, the last batch as small as it comes.

    Parameters
    ----------
    model : module
        In evaluation mode, on `device`.
    """
    import torch

    count = len(samples)
    places = [list(range(a, min(a + batch_size, count))) for a in range(0, count, batch_size)]
    stream, losses, wrong = iter(loader(samples, places, workers, 0)), [], []
    with torch.no_grad():
        for _ in places:
            images, labels = (t.to(device) for t in next_batch(stream))
            answers = model(images).float()
            sums = torch.nn.functional.cross_entropy(answers, labels, reduction="sum")
            losses.append(sums)
            wrong.append(answers.argmax(dim=1) != labels)
    missed = torch.cat(wrong).nonzero().flatten().tolist()
    return Score(
        correct=count - len(missed),
        total=count,
        loss=float(torch.stack(losses).sum()) / count,
        wrong=tuple(missed),
    )
