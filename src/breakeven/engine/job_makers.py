"""Makes the job that a backend runs: PyTorch's, or one whose times are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from breakeven.backends.base import Backend
from breakeven.backends.scripted import ScriptedBackend
from breakeven.engine.training_request import IN_WORDS
from breakeven.model.spec import Precision, TrainingSpec
from breakeven.workloads.jobs import TRAIN

if TYPE_CHECKING:
    from breakeven.workloads.training.base import Job


def make_job(
    workload: str,
    size: int,
    seed: int,
    backend: Backend,
    training: TrainingSpec,
    *,
    precision: Precision = "float32",
) -> Job:
    """Return a job, ready on the device of `backend`.

    Raises
    ------
    NotImplementedError
        If the backend trains nothing, or lacks the precision.
    InputError
        If model or data are not what they should be.
    """
    about = backend.about
    match about.trains:
        case "torch":
            pass
        case "scripted":
            from breakeven.workloads.scripted_job import ScriptedJob  # noqa: PLC0415  tests alone

            return ScriptedJob(_scripted(backend), size)
        case _:
            raise NotImplementedError(f"{workload} runs on PyTorch; {about.name} is for arrays")
    if precision not in IN_WORDS:
        raise NotImplementedError(f"{workload} is not made for {precision}")
    spec = msgspec.structs.replace(training, precision=IN_WORDS[precision])
    if workload == TRAIN:
        from breakeven.workloads.training.job import TrainingJob  # noqa: PLC0415  imports torch

        return TrainingJob(spec, size, about.device, seed)
    from breakeven.workloads.training.inference import InferenceJob  # noqa: PLC0415  the same

    return InferenceJob(spec, size, about.device, seed)


def make_reference(
    workload: str,
    size: int,
    seed: int,
    backend: Backend,
    training: TrainingSpec,
    *,
    count: int,
    enough: Callable[[int], bool],
) -> tuple[float, ...]:
    """Return the first losses of a job in float64, which this process makes on the CPU."""
    if backend.about.trains == "scripted":
        from breakeven.workloads.scripted_job import ScriptedJob  # noqa: PLC0415  tests alone

        return ScriptedJob(_scripted(backend), size).reference(count)
    from breakeven.workloads.training.reference import reference_losses  # noqa: PLC0415  torch

    return reference_losses(training, size, seed, count, learn=workload == TRAIN, enough=enough)


def _scripted(backend: Backend) -> ScriptedBackend:
    if not isinstance(backend, ScriptedBackend):
        raise TypeError(f"{backend.about.name} has no times that are given")
    return backend
