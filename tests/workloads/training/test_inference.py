"""An inference: its answers, its parts, its agreement."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training.base import Job
from breakeven.workloads.training.inference import InferenceJob
from breakeven.workloads.training.loader import order

CNN = TrainingSpec(model="cnn")


@pytest.fixture(scope="module")
def made() -> Iterator[InferenceJob]:
    """Return an inference on the CPU."""
    inference = InferenceJob(CNN, 16, "cpu", 1)
    yield inference
    inference.close()


def test_it_is_a_job(made: InferenceJob) -> None:
    """The engine can step through it as through a training."""
    seen: Job = made
    assert seen.facts.batch_size == 16
    assert seen.facts.flops is not None


def test_an_answer_is_the_class_of_each_image_on_the_host(made: InferenceJob) -> None:
    """The first request holds the first images of the order, answered as the model does by hand."""
    import torch

    fresh = InferenceJob(CNN, 16, "cpu", 1)
    answered = fresh.step()
    places = order(1437, 1, 0)[:16]
    images = torch.stack([fresh._data.train[p][0] for p in places])
    with torch.no_grad():
        expected = fresh._plain(images).argmax(dim=1)
    assert isinstance(answered, torch.Tensor)
    assert torch.equal(answered, expected)
    assert not answered.requires_grad
    resident = fresh.resident_step()
    assert isinstance(resident, torch.Tensor)
    assert torch.equal(resident, expected)
    del made


def test_its_parts_end_with_the_way_back(made: InferenceJob) -> None:
    """With a clock that goes on by one at each reading, four parts are one each, the step nine."""
    ticks = count()
    phases = made.phased_step(lambda: None, lambda: float(next(ticks)))
    assert phases.sum_s == 4.0
    assert phases.step_s == 9.0
    assert (phases.to_host_s, phases.backward_s, phases.optimiser_s) == (1.0, None, None)


def test_the_same_seed_has_the_same_losses(made: InferenceJob) -> None:
    """They are a check of the answers, and a probe moves them by no more than rounding."""
    losses, probed = made.first_losses(4), made.first_losses(4, probe=1)
    assert losses == InferenceJob(CNN, 16, "cpu", 1).first_losses(4)
    assert losses != probed
    assert probed == pytest.approx(losses, rel=1e-5)
    assert made.first_losses(4) == losses


def test_all_images_are_answered(made: InferenceJob) -> None:
    """Untrained weights are right about one digit in ten, and an epoch's loss is that of chance."""
    score = made.evaluate()
    assert score.total == 360
    assert score.correct < 180
    assert 1.5 < made.run_epoch(0) < 4
