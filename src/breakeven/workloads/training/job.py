"""A training: one step at a time, epoch by epoch, or its first losses."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from breakeven.backends.found import first_line
from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training import data as sources
from breakeven.workloads.training import models
from breakeven.workloads.training.answers import score_of
from breakeven.workloads.training.base import Clock, Facts, Phases, Score, Wait
from breakeven.workloads.training.counting import count_training
from breakeven.workloads.training.dropout import without_dropout
from breakeven.workloads.training.loader import Batches, check_size, loader, next_batch
from breakeven.workloads.training.optimisers import optimiser
from breakeven.workloads.training.precision import autocast, products
from breakeven.workloads.training.probe import probed
from breakeven.workloads.training.stopwatch import Stopwatch

PAGEABLE = "batches lie in pageable memory, as PyTorch's loader leaves them by default"
DROPPED = "images left over at the end of an epoch are dropped"


def compiled(model: Any) -> Any:  # noqa: ANN401  modules
    """Return a model that is compiled for the sizes of its first call, and for each of another.

    Compiled code is kept by the code of `forward`, which all batch sizes share: from the second
    size on, a process would get code for any size, and from some number of sizes on none at all.
    """
    import torch

    torch.compiler.reset()
    return torch.compile(model, dynamic=False)


class TrainingJob:
    """A model, its data and its optimiser on one device, at one batch size.

    Steps come from an endless stream of batches: epoch follows epoch without a new start of the
    loader, which `run_epoch` has. The gradients are cleared within the optimiser's part.

    Parameters
    ----------
    spec : TrainingSpec
    batch_size : int
    device : str
        ``"cpu"``, ``"cuda:0"``.
    seed : int
        Of weights and order.

    Raises
    ------
    InputError
        If model, data or optimiser are not what they should be.
    NotImplementedError
        If the batch is larger than the data, the device lacks the precision, or compiling fails.
    """

    def __init__(self, spec: TrainingSpec, batch_size: int, device: str, seed: int) -> None:
        import torch

        self._torch, self._spec, self._device, self._seed = torch, spec, device, seed
        self._data = sources.load(spec.data, spec.image_size, models.channels(spec.model))
        check_size(batch_size, len(self._data.train), self._data.name)
        self._kept = ExitStack()
        self._kept.enter_context(products(spec.precision, device))
        try:
            self._make(batch_size)
        except BaseException:
            self._kept.close()
            raise

    def _make(self, batch_size: int) -> None:
        spec, data = self._spec, self._data
        plain = models.make(spec.model, data.image, data.classes, self._seed)
        counted = count_training(plain, data.image, batch_size, spec.optimizer)
        self._first = copy.deepcopy(plain.state_dict())
        self._plain = plain.to(self._device)
        self._rule = optimiser(spec.optimizer, self._plain.parameters(), spec.learning_rate)
        self._first_rule = copy.deepcopy(self._rule.state_dict())
        self._batch_size = batch_size
        endless = Batches(len(data.train), batch_size, self._seed)
        self._stream: Iterator[Any] | None = None
        self._loader = loader(data.train, endless, spec.workers, self._seed)
        images, labels = next_batch(iter(loader(data.train, endless, 0, self._seed)))
        self._resident: Any = images.to(self._device), labels.to(self._device)
        self._model, compile_s = self._compiled()
        parameters = list(self._plain.parameters())
        weights = sum(p.numel() * p.element_size() for p in parameters)
        steps = len(data.train) // batch_size
        self.facts = Facts(
            model=models.words(spec.model),
            data=data.name,
            classes=data.classes,
            image=data.image,
            batch_size=batch_size,
            steps_per_epoch=steps,
            samples_per_epoch=steps * batch_size,
            train_samples=len(data.train),
            test_samples=len(data.test),
            parameters=sum(p.numel() for p in parameters),
            flops=counted.flops,
            bytes=counted.bytes,
            need=counted.need(weights),
            compile_s=compile_s,
            remarks=(*data.remarks, PAGEABLE, DROPPED, *filter(None, [counted.why])),
        )

    def _compiled(self) -> tuple[Any, float | None]:
        """Return the model that steps use, and what its first step took beyond a second one."""
        if not self._spec.compile:
            return self._plain, None
        model, times = compiled(self._plain), []
        try:
            for _ in range(2):
                begin = time.perf_counter()
                images, labels = self._resident
                self._forward(model, images, labels, self._spec.precision).backward()
                self._wait()
                times.append(time.perf_counter() - begin)
        except self._torch.OutOfMemoryError:
            raise
        except Exception as error:
            raise NotImplementedError(f"torch.compile fails ({first_line(error)})") from error
        self._begin_again()
        return model, max(0.0, times[0] - times[1])

    def _wait(self) -> None:
        if self._device != "cpu":
            self._torch.cuda.synchronize(self._device)

    def _forward(self, model: Any, images: Any, labels: Any, precision: Any) -> Any:  # noqa: ANN401
        with autocast(precision, self._device):
            return self._torch.nn.functional.cross_entropy(model(images), labels)

    def _update(self) -> None:
        self._rule.step()
        self._rule.zero_grad()

    def _begin_again(self) -> None:
        """Put weights, state of the optimiser and gradients back to where they began."""
        self._plain.load_state_dict(self._first)
        self._rule.load_state_dict(copy.deepcopy(self._first_rule))
        self._rule.zero_grad()
        self._plain.train()

    def _batch(self) -> tuple[Any, Any]:
        if self._stream is None:
            self._stream = iter(self._loader)
        return next_batch(self._stream)

    def step(self) -> object:
        """Take one step as users do; return its loss, which nobody has read."""
        images, labels = self._batch()
        return self._learn(images.to(self._device), labels.to(self._device))

    def resident_step(self) -> object:
        """Take one step on a batch that lies on the device."""
        return self._learn(*self._resident)

    def _learn(self, images: Any, labels: Any) -> Any:  # noqa: ANN401  tensors
        loss = self._forward(self._model, images, labels, self._spec.precision)
        loss.backward()
        self._update()
        return loss.detach()

    def phased_step(self, wait: Wait, clock: Clock) -> Phases:
        """Take one step, its parts awaited and timed."""
        watch = Stopwatch(wait, clock)
        with watch.whole():
            with watch.part("loader"):
                images, labels = self._batch()
            with watch.part("to_device"):
                images, labels = images.to(self._device), labels.to(self._device)
            with watch.part("forward"):
                loss = self._forward(self._model, images, labels, self._spec.precision)
            with watch.part("backward"):
                loss.backward()
            with watch.part("optimiser"):
                self._update()
        return watch.phases()

    def first_losses(self, count: int, probe: int | None = None) -> tuple[float, ...]:
        """Return the losses of the first steps in float32, TF32 and dropout off."""
        data, read = self._data, []
        self._begin_again()
        if probe is not None:
            self._plain.load_state_dict(probed(self._first, probe))
        batches = Batches(len(data.train), self._batch_size, self._seed)
        stream = iter(loader(data.train, batches, 0, self._seed))
        with products("fp32", self._device), without_dropout(self._plain):
            for _ in range(count):
                images, labels = (t.to(self._device) for t in next_batch(stream))
                loss = self._forward(self._model, images, labels, "fp32")
                loss.backward()
                self._update()
                read.append(loss.detach())
        self._begin_again()
        return tuple(float(loss) for loss in read)

    def run_epoch(self, number: int) -> float:
        """Go through the training images once; return the mean loss, read at the end."""
        data = self._data
        batches = Batches(len(data.train), self._batch_size, self._seed, number)
        stream = iter(loader(data.train, batches, self._spec.workers, self._seed + number))
        self._plain.train()
        total: Any = 0.0
        for _ in range(len(batches)):
            images, labels = (t.to(self._device) for t in next_batch(stream))
            total = total + self._learn(images, labels)
        return float(total) / len(batches)

    def evaluate(self) -> Score:
        """Answer all test images with the weights as they are."""
        self._plain.eval()
        try:
            with autocast(self._spec.precision, self._device):
                return score_of(
                    self._plain, self._data.test, self._batch_size, self._device, self._spec.workers
                )
        finally:
            self._plain.train()

    def close(self) -> None:
        """End the loader's processes, drop the tensors, and switch TF32 back."""
        self._stream = None
        self._kept.close()
        self._model = self._plain = self._rule = self._resident = None
        self._first = self._first_rule = {}
