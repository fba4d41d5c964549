"""The batches of one process of several: its share of the images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from breakeven.workloads.training.data import Samples
from breakeven.workloads.training.loader import check_size, loader, next_batch


class Shard:
    """Places of this process's images batch by batch, epoch after epoch without an end.

    Parameters
    ----------
    sampler : DistributedSampler
    size : int
        Images of a batch.
    """

    def __init__(self, sampler: Any, size: int) -> None:  # noqa: ANN401  PyTorch's
        self._sampler, self._size = sampler, size

    def __iter__(self) -> Iterator[list[int]]:
        epoch = 0
        while True:
            self._sampler.set_epoch(epoch)
            places = list(self._sampler)
            for begin in range(0, len(places) - self._size + 1, self._size):
                yield places[begin : begin + self._size]
            epoch += 1


def shard_batches(
    samples: Samples, name: str, size: int, workers: int, seed: int
) -> Iterator[tuple[Any, Any]]:
    """Return batches without an end of the images that PyTorch's sampler gives this process.

    Raises
    ------
    NotImplementedError
        If its share holds fewer images than one batch.
    """
    import torch

    taken: Any = samples  # PyTorch takes whatever has a length and items
    sampler: Any = torch.utils.data.DistributedSampler(taken, seed=seed, drop_last=True)
    share = f"one process's share of {name}"
    check_size(size, len(sampler), share)
    stream = iter(loader(samples, Shard(sampler, size), workers, seed))
    while True:
        yield next_batch(stream)
