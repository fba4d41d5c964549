"""A training: its order of work, its parts, its losses, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING

import pytest

from breakeven.errors import InputError
from breakeven.model.spec import TrainingSpec
from breakeven.stats.losses import agreement
from breakeven.workloads.training.base import Job
from breakeven.workloads.training.inference import InferenceJob
from breakeven.workloads.training.job import TrainingJob, compiled

if TYPE_CHECKING:
    import torch

MLP = TrainingSpec(model="mlp")


def job(spec: TrainingSpec = MLP, batch: int = 64, seed: int = 1) -> TrainingJob:
    """Return a training on the CPU."""
    return TrainingJob(spec, batch, "cpu", seed)


@pytest.fixture(scope="module")
def made() -> Iterator[TrainingJob]:
    """Return a training that tests may share: each begins it again with `first_losses`."""
    training = job()
    yield training
    training.close()


def test_it_is_a_job(made: TrainingJob) -> None:
    """The engine can step through it as through any job."""
    seen: Job = made
    assert seen.facts.steps_per_epoch == 1437 // 64
    assert seen.facts.samples_per_epoch == 1437 // 64 * 64


def test_the_parts_are_what_lies_between_two_readings_of_the_clock(made: TrainingJob) -> None:
    """With a clock that goes on by one at each reading, each part is one and the step eleven."""
    ticks = count()
    phases = made.phased_step(lambda: None, lambda: float(next(ticks)))
    assert (phases.loader_s, phases.to_device_s, phases.forward_s) == (1.0, 1.0, 1.0)
    assert (phases.backward_s, phases.optimiser_s, phases.to_host_s) == (1.0, 1.0, None)
    assert phases.sum_s == 5.0
    assert phases.step_s == 11.0


def test_the_device_is_awaited_within_each_part(made: TrainingJob) -> None:
    """Time that only a wait takes belongs to the part that started the work."""
    now = 0.0

    def wait() -> None:
        nonlocal now
        now += 2.0

    phases = made.phased_step(wait, lambda: now)
    assert phases.sum_s == phases.step_s == 10.0


def test_losses_repeat_from_the_same_seed(made: TrainingJob) -> None:
    """Weights and order come from the seed: a second training has the same losses."""
    other = job()
    assert made.first_losses(4) == other.first_losses(4)
    assert job(seed=2).first_losses(4) != other.first_losses(4)


def test_first_losses_leave_the_training_at_its_start(made: TrainingJob) -> None:
    """They are the same when they are asked for again, after steps too."""
    before = made.first_losses(3)
    made.step()
    made.resident_step()
    assert made.first_losses(3) == before


def test_first_losses_are_those_of_plain_pytorch() -> None:
    """A loop written by hand on the same weights and batches has the same losses."""
    import torch

    training = job()
    torch.manual_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Flatten(),
        torch.nn.Linear(64, 512),
        torch.nn.ReLU(),
        torch.nn.Linear(512, 512),
        torch.nn.ReLU(),
        torch.nn.Linear(512, 10),
    )
    rule = torch.optim.Adam(model.parameters(), 1e-3)
    losses = []
    places = torch.randperm(1437, generator=torch.Generator().manual_seed(1_000_003)).tolist()
    train = training._data.train
    for begin in (0, 64, 128):
        images, labels = zip(*(train[p] for p in places[begin : begin + 64]), strict=True)
        loss = torch.nn.functional.cross_entropy(model(torch.stack(images)), torch.stack(labels))
        rule.zero_grad()
        loss.backward()
        rule.step()
        losses.append(loss.item())
    assert training.first_losses(3) == pytest.approx(losses, rel=1e-6)


def test_an_epoch_lowers_the_loss(made: TrainingJob) -> None:
    """Two epochs from the start teach the digits to nine in ten."""
    made.first_losses(1)
    first, second = made.run_epoch(0), made.run_epoch(1)
    assert second < first / 2
    score = made.evaluate()
    assert score.total == 360
    assert score.correct == 360 - len(score.wrong) > 324


def test_a_batch_larger_than_the_data_is_not_supported() -> None:
    """The reason names both numbers."""
    with pytest.raises(NotImplementedError, match=r"2,048 images is more than the 1,437"):
        job(batch=2048)


def test_tf32_is_refused_on_a_cpu() -> None:
    """A CPU has no tensor cores: the precision is not supported, and nothing is switched."""
    import torch

    before = torch.get_float32_matmul_precision()
    with pytest.raises(NotImplementedError, match="TF32"):
        job(TrainingSpec(model="mlp", precision="tf32"))
    assert torch.get_float32_matmul_precision() == before


def test_bfloat16_changes_the_step_and_not_the_first_losses(made: TrainingJob) -> None:
    """Losses that two backends are compared by are computed in float32 whatever a step is."""
    half = job(TrainingSpec(model="mlp", precision="bf16"))
    assert half.first_losses(2) == made.first_losses(2)
    stepped, full = float(half.step()), float(made.step())
    assert stepped != full
    assert stepped == pytest.approx(full, rel=1e-2)


def test_an_unknown_model_is_the_users_mistake() -> None:
    """The message names those that there are."""
    with pytest.raises(InputError, match=r"alexnet.*mlp, cnn, resnet18, transformer"):
        job(TrainingSpec(model="alexnet"))


def test_the_cnn_learns_the_digits() -> None:
    """Five epochs with Adam at batch 64 answer 98 in 100 test images rightly."""
    training = job(TrainingSpec(model="cnn"), seed=3)
    for epoch in range(5):
        training.run_epoch(epoch)
    score = training.evaluate()
    assert score.correct / score.total >= 0.98


def test_a_model_that_does_not_compile_is_not_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler's reason is told, and the batch size is a case like any other."""
    import torch

    def refuse(_model: object, **_: object) -> object:
        def call(_images: object) -> object:
            raise RuntimeError("no C++ compiler was found")

        return call

    monkeypatch.setattr(torch, "compile", refuse)
    with pytest.raises(NotImplementedError, match=r"torch.compile fails .*no C\+\+ compiler"):
        job(TrainingSpec(model="mlp", compile=True))


def test_compiling_has_a_time_of_its_own_and_learns_nothing(
    monkeypatch: pytest.MonkeyPatch, made: TrainingJob
) -> None:
    """The steps that compile leave the weights at their start."""
    import torch

    monkeypatch.setattr(torch, "compile", lambda model, **_: model)
    quick = job(TrainingSpec(model="mlp", compile=True))
    assert quick.facts.compile_s is not None
    assert made.facts.compile_s is None
    made.first_losses(1)
    fresh = [p.clone() for p in made._plain.parameters()]
    assert all(bool((a == b).all()) for a, b in zip(fresh, quick._plain.parameters(), strict=True))
    assert all(p.grad is None for p in quick._plain.parameters())


@pytest.mark.parametrize("kind", [TrainingJob, InferenceJob])
def test_each_batch_size_is_compiled_for_itself(
    monkeypatch: pytest.MonkeyPatch, kind: type[TrainingJob | InferenceJob]
) -> None:
    """One process compiles a graph of fixed sizes for the second batch size, and the tenth."""
    import torch

    seen: list[object] = []

    def note(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> object:
        seen.append([i.shape[0] for i in inputs if i.ndim == 4])
        return graph.forward

    plain = torch.compile
    monkeypatch.setattr(torch, "compile", lambda m, **given: plain(m, backend=note, **given))
    sizes = range(8, 18)
    for batch in sizes:
        kind(TrainingSpec(model="mlp", compile=True), batch, "cpu", 1).close()
    assert seen == [[batch] for batch in sizes]
    assert all(type(s) is int for (s,) in seen)  # type: ignore[misc]


def test_another_size_is_not_compiled_for_any(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within one job too: nothing has a size that is left open."""
    import torch

    seen: list[type] = []

    def note(graph: torch.fx.GraphModule, inputs: list[object]) -> object:
        seen.extend(type(i) for i in inputs)
        return graph.forward

    plain = torch.compile
    monkeypatch.setattr(torch, "compile", lambda m, **given: plain(m, backend=note, **given))
    model = compiled(torch.nn.Flatten())
    for batch in (4, 6, 8):
        assert model(torch.zeros(batch, 1, 2, 2)).shape == (batch, 4)
    assert len(seen) == 3
    assert set(seen) == {torch.Tensor}


def test_a_compiled_model_that_answers_otherwise_is_found(
    monkeypatch: pytest.MonkeyPatch, made: TrainingJob
) -> None:
    """The first losses are those of what the steps run, not of the model as it was written."""
    import torch

    def wrongly(model: torch.nn.Module, **_: object) -> Callable[[torch.Tensor], torch.Tensor]:
        return lambda images: model(images) * 1.01

    monkeypatch.setattr(torch, "compile", wrongly)
    quick = job(TrainingSpec(model="mlp", compile=True))
    assert not agreement(quick.first_losses(4), made.first_losses(4)).passed


@pytest.mark.parametrize("name", ["adam", "adamw", "sgd"])
def test_every_optimiser_learns(name: str) -> None:
    """Ten steps lower the loss, and another name is the user's mistake."""
    losses = job(TrainingSpec(model="mlp", optimizer=name, learning_rate=1e-2)).first_losses(10)  # type: ignore[arg-type]
    assert losses[-1] < losses[0]
    with pytest.raises(InputError, match="no optimiser"):
        job(TrainingSpec(model="mlp", optimizer="lion"))  # type: ignore[arg-type]


def test_a_loaders_processes_change_neither_order_nor_losses(made: TrainingJob) -> None:
    """An epoch with two of them has the loss of one without."""
    two = job(TrainingSpec(model="mlp", workers=2))
    made.first_losses(1)
    assert two.run_epoch(0) == pytest.approx(made.run_epoch(0), rel=1e-6)
    two.close()
