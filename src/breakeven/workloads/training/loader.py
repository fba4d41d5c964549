"""Batches: the order of the images, PyTorch's loader, and what went wrong in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from breakeven.workloads.training.data import Samples

_PLACE = 1_000_003
_MEMORY = ("insufficient shared memory", "No space left on device")
_IN_WORKER = "in DataLoader worker process"


def order(count: int, seed: int, epoch: int) -> list[int]:
    """Return the places of all images in the order of one epoch.

    It is drawn on the CPU from a generator of its own, so it is the same on every backend and
    whatever the model draws.
    """
    import torch

    generator = torch.Generator().manual_seed(seed * _PLACE + epoch)
    drawn: list[int] = torch.randperm(count, generator=generator).tolist()
    return drawn


class Batches:
    """Places of the images batch by batch, what is left over of an epoch dropped.

    Parameters
    ----------
    count : int
        Images.
    size : int
        Images of a batch, at most `count`.
    seed : int
    epoch : int or None
        The only one; None goes on from epoch 0 without an end.
    """

    def __init__(self, count: int, size: int, seed: int, epoch: int | None = None) -> None:
        self._count, self._size, self._seed, self._epoch = count, size, seed, epoch

    def __iter__(self) -> Iterator[list[int]]:
        epoch = self._epoch or 0
        while True:
            places = order(self._count, self._seed, epoch)
            for begin in range(0, self._count - self._size + 1, self._size):
                yield places[begin : begin + self._size]
            if self._epoch is not None:
                return
            epoch += 1

    def __len__(self) -> int:
        return self._count // self._size


def check_size(size: int, count: int, name: str) -> None:
    """Refuse a batch that holds more images than there are.

    Raises
    ------
    NotImplementedError
        With the reason: such a batch size is a case that is not supported, and no end of the run.
    """
    if size > count:
        raise NotImplementedError(
            f"a batch of {size:,} images is more than the {count:,} training images of {name}"
        )


def loader(samples: Samples, batches: Any, workers: int, seed: int) -> Any:  # noqa: ANN401
    """Return PyTorch's loader with its defaults: pageable memory, a prefetch of two a process.

    Parameters
    ----------
    batches : iterable of list of int
    workers : int
        Processes that load; 0 loads in the step's own.
    seed : int
        Of what the data themselves draw in the loader's processes.
    """
    import torch

    taken: Any = samples  # PyTorch takes whatever has a length and items
    return torch.utils.data.DataLoader(
        taken,
        batch_sampler=batches,
        num_workers=workers,
        generator=torch.Generator().manual_seed(seed),
        worker_init_fn=_leave_core if workers else None,
    )


def _leave_core(worker: int) -> None:
    """Let a process of the loader run wherever its parent's threads may.

    It inherits the place of the thread that started it: where that is pinned to a core, all of
    them would share this one.
    """
    del worker
    tasks = Path(f"/proc/{os.getppid()}/task")
    if not hasattr(os, "sched_setaffinity") or not tasks.is_dir():
        return
    allowed: set[int] = set()
    for thread in tasks.iterdir():
        try:
            allowed |= os.sched_getaffinity(int(thread.name))
        except ProcessLookupError:
            continue  # it ended in between
    os.sched_setaffinity(0, allowed)


def fault(error: Exception) -> Exception:
    """Return an error of the loader as one whose first line says what happened.

    PyTorch puts the text of an error in a process of the loader behind a whole traceback.
    """
    text = str(error)
    if any(words in text for words in _MEMORY):
        return MemoryError("the loader's processes ran out of shared memory (/dev/shm)")
    if _IN_WORKER not in text:
        return error
    last = text.strip().splitlines()[-1].strip()
    return RuntimeError(f"the data fail when they are loaded ({last})")


def next_batch(batches: Iterator[Any]) -> tuple[Any, Any]:
    """Return images and labels of the next batch.

    Raises
    ------
    Exception
        What the data raised, told in one line.
    """
    try:
        images, labels = next(batches)
    except StopIteration:
        raise
    except Exception as error:
        told = fault(error)
        if told is error:
            raise
        raise told from error
    return images, labels
