"""A job whose times are given: it computes nothing, and lets the time of a step pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.backends.scripted import ScriptedBackend
from breakeven.workloads.base import Need
from breakeven.workloads.training.base import Clock, Facts, Phases, Score, Wait

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLES, TEST, RIGHT, CLASSES = 1024, 256, 250, 10
PARAMETERS, FLOPS = 1000, 6000
STEP_BYTES = 4096


class ScriptedJob:
    """Steps of a scripted backend: its journey, then its computing once the device is awaited.

    Parameters
    ----------
    backend : ScriptedBackend
        Its case is begun.
    batch_size : int
    """

    def __init__(self, backend: ScriptedBackend, batch_size: int) -> None:
        if batch_size > SAMPLES:
            raise NotImplementedError(
                f"a batch of {batch_size} is more than the {SAMPLES} samples there are"
            )
        self._backend = backend
        backend.queue(0)
        self.facts = Facts(
            model="scripted",
            data="scripted",
            classes=CLASSES,
            image=(1, 8, 8),
            batch_size=batch_size,
            steps_per_epoch=SAMPLES // batch_size,
            samples_per_epoch=SAMPLES // batch_size * batch_size,
            train_samples=SAMPLES,
            test_samples=TEST,
            parameters=PARAMETERS,
            flops=FLOPS * batch_size,
            bytes=STEP_BYTES * batch_size,
            need=Need(host=STEP_BYTES * batch_size, device=STEP_BYTES * batch_size),
        )

    def step(self) -> object:
        """Let a batch travel; the time of the step passes when it is awaited."""
        self._backend.to_device(None)
        self._backend.queue(1)
        return None

    def resident_step(self) -> object:
        """Queue a step: its time passes when it is awaited."""
        self._backend.queue(1)
        return None

    def phased_step(self, wait: Wait, clock: Clock) -> Phases:
        """Let a batch travel, then all of the step's time pass as its forward pass."""
        begin = clock()
        self.step()
        travelled = clock()
        wait()
        end = clock()
        return Phases(
            loader_s=0.0,
            to_device_s=travelled - begin,
            forward_s=end - travelled,
            backward_s=0.0,
            optimiser_s=0.0,
            step_s=end - begin,
        )

    def first_losses(self, count: int, probe: int | None = None) -> tuple[float, ...]:
        """Return losses that fall step by step, spoilt where the script says so."""
        if probe is not None:
            return self.reference(count)
        import numpy as np  # noqa: PLC0415  in a worker

        plain: NDArray[Any] = np.array(self.reference(count))
        return tuple(float(x) for x in self._backend.to_host(plain))

    @staticmethod
    def reference(count: int) -> tuple[float, ...]:
        """Return the losses that an honest backend has."""
        return tuple(2.0 / (1 + step) for step in range(count))

    def run_epoch(self, number: int) -> float:
        """Let the steps of an epoch pass; return a loss that falls."""
        for _ in range(self.facts.steps_per_epoch):
            self.step()
            self._backend.synchronise()
        return 1.0 / (1 + number)

    def evaluate(self) -> Score:
        """Return the same score always."""
        wrong = tuple(range(TEST - RIGHT))
        return Score(correct=RIGHT, total=TEST, loss=0.1, wrong=wrong)

    def close(self) -> None:
        """Have nothing to let go of."""
