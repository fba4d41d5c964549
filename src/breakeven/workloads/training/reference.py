"""A training's first losses in float64 on the CPU: what those of every backend are held against."""

from __future__ import annotations

from collections.abc import Callable

from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training import data as sources
from breakeven.workloads.training import models
from breakeven.workloads.training.dropout import without_dropout
from breakeven.workloads.training.loader import Batches, check_size, loader, next_batch
from breakeven.workloads.training.optimisers import optimiser


def reference_losses(
    spec: TrainingSpec,
    batch_size: int,
    seed: int,
    count: int,
    *,
    learn: bool,
    enough: Callable[[int], bool] = lambda _steps: False,
) -> tuple[float, ...]:
    """Return the losses of the first steps, as `first_losses` of a job does in float32.

    The same weights, images and order, widened to float64, with dropout off.

    Parameters
    ----------
    learn : bool
        Whether the weights change from step to step; without, each loss is of the first weights
        in evaluation mode.
    enough : callable
        Asked after each step, with their number so far, whether to end early.

    Raises
    ------
    InputError, NotImplementedError
        As the job itself does.
    """
    import torch

    data = sources.load(spec.data, spec.image_size, models.channels(spec.model))
    check_size(batch_size, len(data.train), data.name)
    model = models.make(spec.model, data.image, data.classes, seed).double()
    model.train(learn)
    rule = optimiser(spec.optimizer, model.parameters(), spec.learning_rate)
    stream = iter(loader(data.train, Batches(len(data.train), batch_size, seed), 0, seed))
    losses: list[float] = []
    with without_dropout(model), torch.set_grad_enabled(learn):
        while len(losses) < count:
            images, labels = next_batch(stream)
            loss = torch.nn.functional.cross_entropy(model(images.double()), labels)
            if learn:
                loss.backward()  # type: ignore[no-untyped-call]
                rule.step()
                rule.zero_grad()
            losses.append(float(loss.detach()))
            if enough(len(losses)):
                break
    return tuple(losses)
