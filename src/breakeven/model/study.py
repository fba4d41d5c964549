"""Training or inference of one entry at one batch size, beside its timed slots."""

from __future__ import annotations

import msgspec

from breakeven.model.sensing import Energy, Reading
from breakeven.model.trace import TraceSummary

__all__ = [
    "Energy",
    "Epoch",
    "Latency",
    "Reading",
    "StepPhases",
    "Stretch",
    "Study",
    "Training",
]


class StepPhases(msgspec.Struct, frozen=True, kw_only=True):
    """Mean seconds of the phases of one step, the device awaited after each.

    Attributes
    ----------
    round : int
        The fresh process that it comes from.
    backward_s, optimiser_s : float or None
        None for inference.
    to_host_s : float or None
        The answers' way back; None for training.
    step_s : float
        Mean of the whole step, by its own clock, in the same pass.
    plain_step_s : float
        Mean of a step in which nothing is awaited between phases.
    """

    round: int
    steps: int
    loader_s: float
    to_device_s: float
    forward_s: float
    step_s: float
    plain_step_s: float
    backward_s: float | None = None
    optimiser_s: float | None = None
    to_host_s: float | None = None


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """Steps without a pause in one fresh process, under the sensors and without a profiler.

    Attributes
    ----------
    begin_s, end_s : float
        On the clock of the run's timeline.
    samples : int
        Images (or sequences) that went through.
    """

    round: int
    begin_s: float
    end_s: float
    steps: int
    samples: int
    readings: tuple[Reading, ...] = ()
    energies: tuple[Energy, ...] = ()

    @property
    def samples_per_s(self) -> float:
        """Throughput of the stretch."""
        return self.samples / (self.end_s - self.begin_s)


class Epoch(msgspec.Struct, frozen=True, kw_only=True):
    """One epoch that was run in full."""

    epoch: int
    seconds: float
    train_loss: float
    test_loss: float
    correct: int
    total: int


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """All epochs of one training, run in one fresh process.

    Attributes
    ----------
    seed : int
        Of weights and order.
    first_losses : tuple of float
        Of the first steps: what the agreement of two backends is judged by.
    probes : tuple of tuple of float
        The same from weights that were each moved by one unit in the last place: what rounding
        alone does to the losses.
    wrong : tuple of int or None
        Places of the test images that were answered wrongly after the last epoch; the same images
        stand at the same places in every training of a run. None where they were not kept.
    """

    round: int
    seed: int
    epochs: tuple[Epoch, ...]
    first_losses: tuple[float, ...] = ()
    probes: tuple[tuple[float, ...], ...] = ()
    wrong: tuple[int, ...] | None = None


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of single requests in one fresh process, each awaited.

    Attributes
    ----------
    p50_s, p95_s, p99_s : float or None
        None where there were too few requests to say.
    """

    round: int
    requests: int
    p50_s: float | None
    p95_s: float | None
    p99_s: float | None
    worst_s: float


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of one entry at one batch size beside its timed slots.

    Attributes
    ----------
    workload : str
        ``train`` or ``infer``.
    size : int
        Batch size.
    steps_per_epoch, samples_per_epoch : int or None
        Of the training data at this batch size.
    parameters : int or None
        Weights of the model.
    compile_s : float or None
        What the first compiled step took beyond a second one, in the process that was studied last;
        None where nothing was compiled. It is part of no step.
    """

    workload: str
    size: int
    entry: str
    steps_per_epoch: int | None = None
    samples_per_epoch: int | None = None
    parameters: int | None = None
    compile_s: float | None = None
    phases: tuple[StepPhases, ...] = ()
    stretches: tuple[Stretch, ...] = ()
    trainings: tuple[Training, ...] = ()
    latencies: tuple[Latency, ...] = ()
    trace: TraceSummary | None = None
    why: str | None = None
