"""Weights moved by a unit in the last place, and models without chance."""

from __future__ import annotations

import pytest

from breakeven.model.spec import TrainingSpec
from breakeven.stats.losses import agreement
from breakeven.workloads.training.dropout import without_dropout
from breakeven.workloads.training.job import TrainingJob
from breakeven.workloads.training.probe import UNIT, probed


def test_every_weight_moves_by_a_unit_and_nothing_else_does() -> None:
    """Up or down by one part in 2^23, drawn from the seed; whole numbers stay."""
    import torch

    state = {"w": torch.randn(1000), "n": torch.tensor(7)}
    moved = probed(state, 1)
    apart = (moved["w"] - state["w"]).abs() / state["w"].abs()
    assert float(apart.max()) <= 2 * UNIT
    assert float(apart.min()) > 0
    assert int(moved["n"]) == 7
    assert torch.equal(probed(state, 1)["w"], moved["w"])
    assert not torch.equal(probed(state, 2)["w"], moved["w"])


def test_a_training_on_other_kernels_agrees() -> None:
    """The losses of the cnn without oneDNN, which sums in another order, are the same by rule."""
    import torch

    job = TrainingJob(TrainingSpec(model="cnn"), 64, "cpu", 1)
    losses = job.first_losses(10)
    probes = [job.first_losses(10, probe=n) for n in (1, 2)]
    torch.backends.mkldnn.set_flags(_enabled=False)
    try:
        other = job.first_losses(10)
    finally:
        torch.backends.mkldnn.set_flags(_enabled=True)
    assert other != losses
    assert agreement(other, losses, probes).passed


def test_a_training_at_another_rate_does_not_agree() -> None:
    """A learning rate one part in a hundred larger is found."""
    right, wrong = (
        TrainingJob(TrainingSpec(model="cnn", learning_rate=rate), 64, "cpu", 1)
        for rate in (1e-3, 1.01e-3)
    )
    losses = right.first_losses(10)
    probes = [right.first_losses(10, probe=n) for n in (1, 2)]
    assert not agreement(wrong.first_losses(10), losses, probes).passed


def test_a_step_that_is_left_out_does_not_agree() -> None:
    """ResNet-18 magnifies rounding, and a second loss after no step at all is found all the same."""
    right, wrong = (
        TrainingJob(TrainingSpec(model="resnet18", learning_rate=rate), 16, "cpu", 1)
        for rate in (1e-3, 1e-12)
    )
    losses = right.first_losses(2)
    probes = [right.first_losses(2, probe=n) for n in (1, 2)]
    assert agreement(right.first_losses(2), losses, probes).passed
    assert not agreement(wrong.first_losses(2), losses, probes).passed


def test_dropout_is_off_for_a_while() -> None:
    """Also within attention, and is as it was afterwards."""
    import torch
    from torch import nn

    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.5, batch_first=True)
    x = torch.randn(2, 3, 8)
    assert not torch.equal(layer(x), layer(x))
    with without_dropout(layer):
        assert torch.equal(layer(x), layer(x))
    assert layer.self_attn.dropout == layer.dropout.p == pytest.approx(0.5)
