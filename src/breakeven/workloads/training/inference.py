"""An inference: batches of images answered with the class of each."""

from __future__ import annotations

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
from breakeven.workloads.training.counting import count_inference
from breakeven.workloads.training.job import DROPPED, PAGEABLE, compiled
from breakeven.workloads.training.loader import Batches, check_size, loader, next_batch
from breakeven.workloads.training.precision import autocast, products
from breakeven.workloads.training.probe import probed
from breakeven.workloads.training.stopwatch import Stopwatch

UNTRAINED = "weights are as they were drawn: what a network has learned does not change its time"


class InferenceJob:
    """A model in evaluation mode on one device, at one batch size, without gradients.

    A step answers a request as users wait for it: the loader's batch, its way to the device, the
    forward pass, and the class of each image back on the host. The requests are the training
    images in their order, of which there are more.

    Parameters
    ----------
    spec : TrainingSpec
    batch_size : int
        Images of one request.
    device : str
        ``"cpu"``, ``"cuda:0"``.
    seed : int
        Of weights and order.

    Raises
    ------
    InputError
        If model or data are not what they should be.
    NotImplementedError
        If the batch is larger than the data, the device lacks the precision, or compiling fails.
    """

    def __init__(self, spec: TrainingSpec, batch_size: int, device: str, seed: int) -> None:
        import torch

        self._torch, self._spec, self._device, self._seed = torch, spec, device, seed
        self._batch_size = batch_size
        self._data = sources.load(spec.data, spec.image_size, models.channels(spec.model))
        check_size(batch_size, len(self._data.train), self._data.name)
        self._kept = ExitStack()
        self._kept.enter_context(products(spec.precision, device))
        try:
            self._make()
        except BaseException:
            self._kept.close()
            raise

    def _make(self) -> None:
        spec, data = self._spec, self._data
        plain = models.make(spec.model, data.image, data.classes, self._seed)
        counted = count_inference(plain, data.image, self._batch_size)
        self._plain = plain.eval().to(self._device)
        self._stream: Iterator[Any] | None = None
        self._resident: Any = next_batch(self._first_batches(0))[0].to(self._device)
        self._model, compile_s = self._compiled()
        weights = sum(p.numel() * p.element_size() for p in plain.parameters())
        steps = len(data.train) // self._batch_size
        self.facts = Facts(
            model=models.words(spec.model),
            data=data.name,
            classes=data.classes,
            image=data.image,
            batch_size=self._batch_size,
            steps_per_epoch=steps,
            samples_per_epoch=steps * self._batch_size,
            train_samples=len(data.train),
            test_samples=len(data.test),
            parameters=sum(p.numel() for p in plain.parameters()),
            flops=counted.flops,
            bytes=counted.bytes,
            need=counted.need(weights),
            compile_s=compile_s,
            remarks=(*data.remarks, PAGEABLE, DROPPED, UNTRAINED, *filter(None, [counted.why])),
        )

    def _compiled(self) -> tuple[Any, float | None]:
        if not self._spec.compile:
            return self._plain, None
        model, times = compiled(self._plain), []
        try:
            for _ in range(2):
                begin = time.perf_counter()
                self._classes(model, self._resident).cpu()
                times.append(time.perf_counter() - begin)
        except self._torch.OutOfMemoryError:
            raise
        except Exception as error:
            raise NotImplementedError(f"torch.compile fails ({first_line(error)})") from error
        return model, max(0.0, times[0] - times[1])

    def _first_batches(self, workers: int, epoch: int | None = None) -> Iterator[Any]:
        samples = self._data.train
        batches = Batches(len(samples), self._batch_size, self._seed, epoch)
        stream: Iterator[Any] = iter(loader(samples, batches, workers, self._seed))
        return stream

    def _answers(self, model: Any, images: Any) -> Any:  # noqa: ANN401  tensors
        with self._torch.inference_mode(), autocast(self._spec.precision, self._device):
            return model(images)

    def _classes(self, model: Any, images: Any) -> Any:  # noqa: ANN401  tensors
        return self._answers(model, images).argmax(dim=1)

    def _batch(self) -> Any:  # noqa: ANN401  a tensor
        if self._stream is None:
            self._stream = self._first_batches(self._spec.workers)
        return next_batch(self._stream)[0]

    def step(self) -> object:
        """Answer one request, from the loader to the classes on the host."""
        return self._classes(self._model, self._batch().to(self._device)).cpu()

    def resident_step(self) -> object:
        """Answer one batch that lies on the device, the classes staying there."""
        return self._classes(self._model, self._resident)

    def phased_step(self, wait: Wait, clock: Clock) -> Phases:
        """Answer one request, its parts awaited and timed."""
        watch = Stopwatch(wait, clock)
        with watch.whole():
            with watch.part("loader"):
                images = self._batch()
            with watch.part("to_device"):
                images = images.to(self._device)
            with watch.part("forward"):
                classes = self._classes(self._model, images)
            with watch.part("to_host"):
                classes.cpu()
        return watch.phases()

    def first_losses(self, count: int, probe: int | None = None) -> tuple[float, ...]:
        """Return the losses of the first batches in float32, TF32 off: no weight is learned."""
        if probe is None:
            return tuple(self._losses(self._first_batches(0), count))
        before = {name: tensor.cpu().clone() for name, tensor in self._plain.state_dict().items()}
        try:
            self._plain.load_state_dict(probed(before, probe))
            return tuple(self._losses(self._first_batches(0), count))
        finally:
            self._plain.load_state_dict(before)

    def _losses(self, stream: Iterator[Any], count: int) -> Iterator[float]:
        functional = self._torch.nn.functional
        with products("fp32", self._device), self._torch.inference_mode():
            for _ in range(count):
                images, labels = (t.to(self._device) for t in next_batch(stream))
                yield float(functional.cross_entropy(self._model(images), labels))

    def run_epoch(self, number: int) -> float:
        """Answer the training images once, in the order of epoch `number`; return the mean loss."""
        stream = self._first_batches(self._spec.workers, number)
        functional, losses = self._torch.nn.functional, []
        for _ in range(self.facts.steps_per_epoch):
            images, labels = (t.to(self._device) for t in next_batch(stream))
            losses.append(functional.cross_entropy(self._answers(self._model, images), labels))
        return float(self._torch.stack(losses).mean())

    def evaluate(self) -> Score:
        """Answer all test images."""
        with autocast(self._spec.precision, self._device):
            return score_of(
                self._plain, self._data.test, self._batch_size, self._device, self._spec.workers
            )

    def close(self) -> None:
        """End the loader's processes, drop the tensors, and switch TF32 back."""
        self._stream = None
        self._kept.close()
        self._model = self._plain = self._resident = None
