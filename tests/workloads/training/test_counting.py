"""Work and memory of a step, counted without values."""

from __future__ import annotations

import pytest

from breakeven.workloads.training import models
from breakeven.workloads.training.counting import count_inference, count_training


def test_the_operations_are_those_of_the_layers() -> None:
    """Of the multi-layer network: 2 n m a product, three products a layer, less one gradient."""
    model = models.mlp((1, 8, 8), 10)
    layers = [(64, 512), (512, 512), (512, 10)]
    forward = 32 * sum(2 * n * m for n, m in layers)
    first = 32 * 2 * 64 * 512
    assert count_inference(model, (1, 8, 8), 32).flops == forward
    assert count_training(model, (1, 8, 8), 32, "adam").flops == 3 * forward - first


def test_the_bytes_are_those_that_operators_touch() -> None:
    """One linear layer without a bias reads its input and weights, writes its output."""
    from torch import nn

    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32, bias=False))
    counted = count_inference(model, (1, 8, 8), 16)
    product = 4 * (16 * 64 + 64 * 32 + 16 * 32)
    largest = 4 * 16 * 32 + 8 * 16
    assert counted.bytes == product + largest


def test_the_peak_holds_weights_gradients_and_state() -> None:
    """With Adam four times the weights and two while it computes, with momentum one less."""
    from torch import nn

    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 4096, bias=False))
    weights = 4 * 64 * 4096
    adam = count_training(model, (1, 8, 8), 1, "adam").peak_bytes
    sgd = count_training(model, (1, 8, 8), 1, "sgd").peak_bytes
    assert adam is not None
    assert sgd is not None
    assert adam / weights == pytest.approx(6, rel=0.01)
    assert 3 <= sgd / weights < 5


def test_activations_grow_with_the_batch() -> None:
    """Eight times the images hold nearly eight times as much of what is not weights."""
    model = models.cnn((1, 32, 32), 10)
    small = count_training(model, (1, 32, 32), 8, "adam").peak_bytes
    large = count_training(model, (1, 32, 32), 64, "adam").peak_bytes
    assert small is not None
    assert large is not None
    assert large / small == pytest.approx(8, rel=0.25)


def test_inference_holds_less_than_training() -> None:
    """Nothing is kept for a backward pass."""
    model = models.cnn((1, 32, 32), 10)
    training = count_training(model, (1, 32, 32), 64, "adam")
    inference = count_inference(model, (1, 32, 32), 64)
    assert inference.peak_bytes is not None
    assert training.peak_bytes is not None
    assert inference.peak_bytes < training.peak_bytes / 2


def test_the_model_is_left_as_it_was() -> None:
    """Its weights stay on the CPU, in training, without gradients."""
    model = models.cnn((1, 8, 8), 10)
    before = [p.clone() for p in model.parameters()]
    count_training(model, (1, 8, 8), 4, "adam")
    assert model.training
    for old, new in zip(before, model.parameters(), strict=True):
        assert new.device.type == "cpu"
        assert new.grad is None
        assert bool((old == new).all())


def test_a_model_that_needs_values_is_not_counted() -> None:
    """The reason stands where the figures would: nothing is guessed."""
    from torch import nn

    class Reads(nn.Module):
        """Branches on what it computes."""

        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 2)

        def forward(self, x: object) -> object:
            out = self.layer(x.flatten(1))  # type: ignore[attr-defined]
            return out if float(out.sum()) > 0 else -out

    counted = count_training(Reads(), (1, 2, 2), 4, "adam")
    assert (counted.flops, counted.bytes, counted.peak_bytes) == (None, None, None)
    assert counted.why is not None
    assert "could not be counted" in counted.why
