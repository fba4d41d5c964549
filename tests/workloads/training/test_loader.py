"""The order of batches, the loader's processes, and their faults."""

from __future__ import annotations

import os
from itertools import islice
from typing import Any

import pytest

from breakeven.workloads.training.loader import Batches, fault, loader, next_batch, order


class Places:
    """Items that are their own place."""

    def __init__(self, count: int, broken: int | None = None) -> None:
        self._count, self._broken = count, broken

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        if place == self._broken:
            raise ValueError("a hole in the data")
        return place, len(os.sched_getaffinity(0))


def test_an_epoch_holds_every_image_once() -> None:
    """Its order depends on seed and epoch, and on nothing else."""
    assert sorted(order(50, 1, 0)) == list(range(50))
    assert order(50, 1, 0) == order(50, 1, 0)
    assert len({tuple(order(50, s, e)) for s in (1, 2) for e in (0, 1)}) == 4


def test_batches_drop_what_is_left_over_and_go_on() -> None:
    """Three full batches of an epoch of 50 are followed by those of the next."""
    endless = list(islice(Batches(50, 16, 7), 7))
    one, two = list(Batches(50, 16, 7, 0)), list(Batches(50, 16, 7, 1))
    assert endless == [*one, *two, next(iter(Batches(50, 16, 7, 2)))]
    assert len(one) == len(Batches(50, 16, 7)) == 3
    assert all(len(batch) == 16 for batch in endless)
    assert one[0] == order(50, 7, 0)[:16]


@pytest.mark.parametrize("workers", [0, 2])
def test_the_order_is_the_same_with_processes(workers: int) -> None:
    """What arrives is what was asked for, in that order."""
    stream = iter(loader(Places(20), Batches(20, 5, 3), workers, 3))
    got = [next_batch(stream)[0].tolist() for _ in range(6)]
    assert got == list(islice(Batches(20, 5, 3), 6))


def test_processes_of_the_loader_leave_the_core_of_their_creator() -> None:
    """Where another thread may run elsewhere, they may run there too."""
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        pytest.skip("there is one core")
    import threading

    release, ready = threading.Event(), threading.Event()

    def stay() -> None:
        ready.set()
        release.wait(60)

    other = threading.Thread(target=stay)
    other.start()
    ready.wait(60)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        stream = iter(loader(Places(8), Batches(8, 4, 1), 1, 1))
        cores = next_batch(stream)[1].tolist()
    finally:
        os.sched_setaffinity(0, allowed)
        release.set()
        other.join()
    assert set(cores) == {len(allowed)}


@pytest.mark.parametrize("workers", [0, 1])
def test_a_fault_of_the_data_is_told_in_its_first_line(workers: int) -> None:
    """Not behind the traceback of the process that it happened in."""
    stream = iter(loader(Places(4, broken=2), Batches(4, 4, 1), workers, 1))
    with pytest.raises((ValueError, RuntimeError)) as told:
        next_batch(stream)
    assert "a hole in the data" in str(told.value).splitlines()[0]


def test_shared_memory_that_ran_out_is_a_want_of_memory() -> None:
    """PyTorch tells it as a bus error."""
    words = "Unexpected bus error ... might be caused by insufficient shared memory (shm)."
    assert isinstance(fault(RuntimeError(words)), MemoryError)
    other = RuntimeError("anything else")
    assert fault(other) is other
