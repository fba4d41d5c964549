"""The seam of a job: a training, or an inference, that the engine steps through and times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from breakeven.workloads.base import Need

Wait = Callable[[], None]
Clock = Callable[[], float]

PHASES = ("loader", "to_device", "forward", "backward", "optimiser", "to_host")
"""Names of the parts of a step, as a trace shows them: ``breakeven.forward`` and so on."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What a job works on, known before its first step.

    Attributes
    ----------
    model, data : str
        What they are, in words.
    classes : int
    image : tuple of int
        Channels, height and width of one image.
    batch_size : int
        Images of every step.
    steps_per_epoch, samples_per_epoch : int
        Full batches of the training images, and the images in them: what is left over at the end
        of an epoch is dropped, so that every step is the same work.
    train_samples, test_samples : int
        Images there are.
    parameters : int
        Weights of the model.
    flops, bytes : int or None
        Of one step, as counted operator by operator: multiplications and additions of products
        and convolutions; bytes that every operator reads and writes, as if nothing were fused.
    need : Need or None
        Bytes that the job is predicted to hold: parameters, gradients, state of the optimiser,
        what the forward pass keeps for the backward pass, and one batch.
    compile_s : float or None
        What the first compiled step took beyond a second one; None where nothing is compiled.
    remarks : tuple of str
        What to know about the figures, a clause each; also why something was not counted.
    """

    model: str
    data: str
    classes: int
    image: tuple[int, int, int]
    batch_size: int
    steps_per_epoch: int
    samples_per_epoch: int
    train_samples: int
    test_samples: int
    parameters: int
    flops: int | None = None
    bytes: int | None = None
    need: Need | None = None
    compile_s: float | None = None
    remarks: tuple[str, ...] = ()


class Phases(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of the parts of one step, the device awaited after each.

    Attributes
    ----------
    backward_s, optimiser_s : float or None
        None for inference.
    to_host_s : float or None
        The answer's way back; None for training, which brings nothing back.
    step_s : float
        The whole step, by readings of the clock of its own.
    """

    loader_s: float
    to_device_s: float
    forward_s: float
    step_s: float
    backward_s: float | None = None
    optimiser_s: float | None = None
    to_host_s: float | None = None

    @property
    def sum_s(self) -> float:
        """Return what the parts add up to."""
        parts = (self.loader_s, self.to_device_s, self.forward_s)
        more = (self.backward_s, self.optimiser_s, self.to_host_s)
        return sum(parts) + sum(part for part in more if part is not None)


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """How well the model answers the test images.

    Attributes
    ----------
    wrong : tuple of int
        Places of the test images that were answered wrongly, ascending: the same images stand at
        the same places on every backend.
    loss : float
        Mean cross-entropy.
    """

    correct: int
    total: int
    loss: float
    wrong: tuple[int, ...] = ()


class Job(Protocol):
    """A training or an inference at one batch size, ready on its device.

    A training reads nothing back from the device but in `first_losses`, `run_epoch` and `evaluate`,
    so that a timed step hides no wait. An inference's step brings its answers to the host: that is
    what a request is for.

    Attributes
    ----------
    facts : Facts
        What it works on.
    """

    facts: Facts

    def step(self) -> object:
        """Take one step as users do: load a batch, copy it, compute; the device is not awaited."""
        ...

    def resident_step(self) -> object:
        """Take one step on a batch that lies on the device already; the device is not awaited."""
        ...

    def phased_step(self, wait: Wait, clock: Clock) -> Phases:
        """Take one step as `step` does, waiting after each part and reading the clock around it.

        Each part is marked for a profiler (`PHASES`), so a trace is taken of this step too, with a
        `wait` that does nothing.
        """
        ...

    def first_losses(self, count: int, probe: int | None = None) -> tuple[float, ...]:
        """Return the losses of the first steps from the seeded weights, computed in float32.

        Weights, state of the optimiser and order are afterwards as they were at the start.

        Parameters
        ----------
        probe : int or None
            Seed by which every weight is first moved by one unit in its last place, up or down:
            how far that moves the losses says how much rounding alone may. None moves nothing.
        """
        ...

    def run_epoch(self, number: int) -> float:
        """Go through the training images once, in the order of epoch `number`; return the loss."""
        ...

    def evaluate(self) -> Score:
        """Answer all test images."""
        ...

    def close(self) -> None:
        """End the processes of the loader, and let go of the device's memory."""
        ...
