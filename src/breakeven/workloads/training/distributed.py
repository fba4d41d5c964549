"""One process of several that train one model: torchrun starts it, its order lies in a folder."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec

from breakeven.backends.found import first_line
from breakeven.workloads.training import data as sources
from breakeven.workloads.training import models
from breakeven.workloads.training.agent import die_with_parent
from breakeven.workloads.training.exchange import Exchange
from breakeven.workloads.training.optimisers import optimiser
from breakeven.workloads.training.orders import (
    ORDER,
    RankFacts,
    Stage,
    TeamOrder,
    facts_file,
    stage_file,
    write,
)
from breakeven.workloads.training.precision import autocast, products
from breakeven.workloads.training.shards import shard_batches

IDLE_IMAGES = 2
"""Of each batch of a rank that is planted without work: normalisation needs more than one."""

_TIMED_OUT = ("Timed out", "timed out", "Timeout", "timeout")
_LEFT = (
    "Connection closed by peer",
    "Connection reset by peer",
    "Broken pipe",
    "ncclRemoteError",
    "remote process exited",
    "communicator was aborted",
)


def main() -> None:
    """Do what the order in the folder named first says, and write down how it went."""
    folder = Path(sys.argv[1])
    order = msgspec.json.decode((folder / ORDER).read_bytes(), type=TeamOrder)
    die_with_parent()
    rank, local = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    device = "cpu" if order.device == "cpu" else f"cuda:{local}"
    backend = "gloo" if order.device == "cpu" else "nccl"
    seen = RankFacts(rank=rank, device=device, backend=backend)
    member = Member(order, folder, rank, local)
    try:
        found = member.run(seen)
    except Exception as error:  # noqa: BLE001  whatever stops it is written down for the parent
        text = first_line(error)
        waited = any(w in str(error) for w in (*_TIMED_OUT, *_LEFT))
        found = msgspec.structs.replace(seen, why=text, waited=waited)
    write(facts_file(folder, rank), msgspec.json.encode(found))
    if found.why is not None:
        # Leaving by the front door would wait for the others, who may be gone.
        os._exit(1)


class Member:
    """One process of a team.

    Parameters
    ----------
    order : TeamOrder
    folder : Path
        Where it writes.
    rank, local : int
        Its number among all, and among those of its machine.
    """

    def __init__(self, order: TeamOrder, folder: Path, rank: int, local: int) -> None:
        self._order, self._folder, self._rank, self._local = order, folder, rank, local
        self._torch: Any = None
        self._kept = ExitStack()
        self._device = "cpu" if order.device == "cpu" else f"cuda:{local}"
        planted = order.planted
        self._planted = planted if planted is not None and planted.rank == rank else None

    def run(self, seen: RankFacts) -> RankFacts:
        """Join the others, and measure: together, part by part, without them."""
        import torch

        self._torch = torch
        self._reach("started")
        self._place()
        with self._kept, self._joined():
            self._reach("joined")
            self._prepare()
            return self._measured(seen)

    def _reach(self, stage: Stage) -> None:
        write(stage_file(self._folder, self._rank), stage.encode())

    def _place(self) -> None:
        """Take the share of this machine that the order gives this process."""
        order, torch = self._order, self._torch
        if order.device == "cuda":
            here, asked = torch.cuda.device_count(), int(os.environ["LOCAL_WORLD_SIZE"])
            asked = max(asked, order.gpus)
            if here < asked:
                told = "1 GPU is" if here == 1 else f"{here or 'no'} GPUs are"
                raise NotImplementedError(f"{asked} GPUs were asked for, and {told} visible here")
            torch.cuda.set_device(self._local)
        elif order.cores:
            cores = order.cores[self._local]
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(0, cores)
            torch.set_num_threads(len(cores))

    @contextmanager
    def _joined(self) -> Iterator[None]:
        import torch.distributed as dist

        order = self._order
        more: dict[str, Any] = {}
        if order.device == "cuda":
            more["device_id"] = self._torch.device(self._device)
        dist.init_process_group(
            "gloo" if order.device == "cpu" else "nccl",
            timeout=timedelta(seconds=order.timeout_s),
            **more,
        )
        yield
        # Not after an error: to take leave would wait for the others.
        dist.barrier()
        dist.destroy_process_group()

    def _prepare(self) -> None:
        order, torch, spec = self._order, self._torch, self._order.spec
        held = sources.load(spec.data, spec.image_size, models.channels(spec.model))
        self._kept.enter_context(products(spec.precision, self._device))
        plain = models.make(spec.model, held.image, held.classes, order.seed).to(self._device)
        if order.strategy == "data_parallel":
            self._model: Any = torch.nn.DataParallel(plain, list(range(order.gpus)))
        elif int(os.environ["WORLD_SIZE"]) == 1:
            # As users train on one device.
            self._model = plain
        else:
            ids = [self._local] if order.device == "cuda" else None
            self._model = torch.nn.parallel.DistributedDataParallel(plain, device_ids=ids)
        self._rule = optimiser(spec.optimizer, plain.parameters(), spec.learning_rate)
        size = order.batch_size * order.gpus
        self._batches = shard_batches(held.train, held.name, size, spec.workers, order.seed)
        self._exchange = Exchange(plain.parameters())

    def _measured(self, seen: RankFacts) -> RankFacts:
        order = self._order
        for _ in range(order.warm_steps):
            self._step()
        self._exchange.meet()
        self._reach("warm")
        self._reset_peaks()
        self._reach("stretch")
        begin_s, end_s = self._stretch(faulty=True)
        peak = self._peak()
        self._reach("apart")
        busy_s, wait_s, exchange_s = self._apart()
        self._reach("alone")
        alone_s = self._alone()
        self._reach("done")
        idle = self._planted is not None and self._planted.idle
        images = IDLE_IMAGES if idle else order.batch_size * order.gpus
        return msgspec.structs.replace(
            seen,
            steps=order.steps,
            samples=order.steps * images,
            begin_s=begin_s,
            end_s=end_s,
            synced_s=end_s - begin_s,
            alone_s=alone_s,
            busy_s=busy_s,
            wait_s=wait_s,
            exchange_s=exchange_s,
            gpu=self._uuid(),
            memory_peak_bytes=peak,
        )

    def _gpus(self) -> list[int]:
        """Return the numbers of the GPUs that this process drives."""
        if self._order.device == "cpu":
            return []
        alone = self._order.strategy == "data_parallel"
        return list(range(self._order.gpus)) if alone else [self._local]

    def _reset_peaks(self) -> None:
        for number in self._gpus():
            self._torch.cuda.reset_peak_memory_stats(number)

    def _peak(self) -> int | None:
        """Return the bytes of the GPU that needed most; None on a CPU."""
        return max(map(self._torch.cuda.max_memory_allocated, self._gpus()), default=None)

    def _uuid(self) -> str | None:
        if self._order.device == "cpu":
            return None
        found = getattr(self._torch.cuda.get_device_properties(self._device), "uuid", None)
        return None if found is None else f"GPU-{found}"

    def _wait(self) -> None:
        if self._order.device == "cuda":
            self._torch.cuda.synchronize()

    def _compute(self) -> None:
        """Load a batch, go forward and backward; a planted fault does so more often, or never."""
        functional, precision = self._torch.nn.functional, self._order.spec.precision
        images, labels = (t.to(self._device) for t in next(self._batches))
        if self._planted is not None and self._planted.idle:
            images, labels = images[:IDLE_IMAGES], labels[:IDLE_IMAGES]
        with autocast(precision, self._device):
            loss = functional.cross_entropy(self._model(images), labels)
        loss.backward()

    def _extra(self) -> None:
        """Compute as often again as was planted, the exchange left out."""
        if self._planted is not None:
            with self._unsynced():
                for _ in range(self._planted.slow - 1):
                    self._compute()

    @contextmanager
    def _unsynced(self) -> Iterator[None]:
        if hasattr(self._model, "no_sync"):
            with self._model.no_sync():
                yield
        else:
            yield

    def _step(self) -> None:
        self._extra()
        self._compute()
        self._rule.step()
        self._rule.zero_grad()

    def _stretch(self, *, faulty: bool = False) -> tuple[float, float]:
        """Return when all steps began and when this process had finished them."""
        self._wait()
        self._exchange.meet()
        begin = time.perf_counter()
        for number in range(self._order.steps):
            if faulty and number == 1:
                self._fail()
            self._step()
        self._wait()
        return begin, time.perf_counter()

    def _fail(self) -> None:
        if self._planted is not None and self._planted.dies:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._planted is not None and self._planted.hangs:
            signal.pause()

    def _apart(self) -> tuple[float, float, float]:
        """Return seconds of own work, of waiting for the others, and of the exchange alone.

        Each part is awaited before the next: what hides behind computing otherwise stands bare.
        """
        busy = wait = exchange = 0.0
        for _ in range(self._order.steps):
            marks = [time.perf_counter()]
            self._extra()
            with self._unsynced():
                self._compute()
            self._wait()
            marks.append(time.perf_counter())
            self._exchange.meet()
            marks.append(time.perf_counter())
            self._exchange.share()
            self._wait()
            marks.append(time.perf_counter())
            self._rule.step()
            self._rule.zero_grad()
            self._wait()
            marks.append(time.perf_counter())
            busy += (marks[1] - marks[0]) + (marks[4] - marks[3])
            wait += marks[2] - marks[1]
            exchange += marks[3] - marks[2]
        return busy, wait, exchange

    def _alone(self) -> float:
        """Return seconds of as many steps without an exchange; weights drift apart, and may."""
        self._exchange.meet()
        begin = time.perf_counter()
        with self._unsynced():
            for _ in range(self._order.steps):
                self._step()
        self._wait()
        return time.perf_counter() - begin


if __name__ == "__main__":
    main()
