"""Training of a small network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

from breakeven.model.spec import DType
from breakeven.workloads.mlp import EPOCHS, ROWS, Mlp
from workloads.opened import Opened, rounded


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [16, 64])
def test_every_backend_agrees_with_the_reference(backend: Opened, size: int, dtype: DType) -> None:
    """Losses and final weights are those of training in float64, within the rule's bound."""
    found = backend.agreement(Mlp(), size, dtype)
    assert found.passed
    assert found.error <= found.bound
    assert found.class_ in ({"float64"} if dtype == "float64" else {"float32", "float64"})


def test_losses_are_equal_on_every_backend(backend: Opened) -> None:
    """The same seeded weights and data give NumPy's losses to one part in ten thousand."""
    inputs, reference = Mlp().make(64, "float32", 42)
    _, losses = backend.run(Mlp(), tuple(inputs.values()))
    _, plain = Opened("numpy").run(Mlp(), tuple(inputs.values()))
    np.testing.assert_allclose(losses, plain, rtol=1e-4)
    np.testing.assert_allclose(losses, reference["losses"], rtol=1e-4)
    assert len(losses) == EPOCHS // 2
    assert sorted(losses, reverse=True) == list(losses)


def test_inputs_are_left_as_they_are(backend: Opened) -> None:
    """Training starts from the same weights at every call."""
    inputs, _ = Mlp().make(16, "float32", 42)
    before = {name: array.copy() for name, array in inputs.items()}
    first = backend.run(Mlp(), tuple(inputs.values()))
    second = backend.run(Mlp(), tuple(inputs.values()))
    assert all(np.array_equal(inputs[name], before[name]) for name in inputs)
    np.testing.assert_allclose(first[1], second[1], rtol=1e-6)


def _trained(spoil: str) -> tuple[Any, ...]:
    """Return arrays, losses and references of a training that went wrong."""
    inputs, reference = Mlp().make(64, "float32", 42)
    values = dict(inputs)
    match spoil:
        case "transposed weights":
            values["w1"] = np.ascontiguousarray(inputs["w1"].reshape(64, 20).T)
        case "TF32 inputs" | "bfloat16 inputs":
            bits = 10 if spoil.startswith("TF32") else 7
            values |= {name: rounded(inputs[name], bits) for name in ("x", "w1", "w2")}
        case "NaN in the data":
            values["x"] = inputs["x"].copy()
            values["x"][0, 0] = np.nan
    answer = Mlp().run(np, tuple(values.values()))
    arrays, losses = answer.arrays, answer.losses
    if spoil == "factor of 1.001":
        losses = tuple(np.float64(loss) * 1.001 for loss in losses)
    if spoil == "one weight NaN":
        arrays[0][3, 3] = np.nan
    return arrays, losses, reference


@pytest.mark.parametrize(
    ("fault", "classes"),
    [
        ("transposed weights", {"wrong", "bfloat16"}),
        ("factor of 1.001", {"TF32/half", "bfloat16"}),
        ("TF32 inputs", {"TF32/half"}),
        ("bfloat16 inputs", {"TF32/half", "bfloat16"}),
        ("NaN in the data", {"wrong"}),
        ("one weight NaN", {"wrong"}),
    ],
)
def test_a_planted_fault_fails_and_is_classed(fault: str, classes: set[str]) -> None:
    """What is not training in float32 does not pass for it."""
    found = Mlp().check(*_trained(fault), "float32")
    assert not found.passed
    assert found.class_ in classes


def test_data_are_those_of_the_published_comparison() -> None:
    """make_classification(10000, 20) of the seed, 80 % of the rows, each row as it was made."""
    inputs, _ = Mlp().make(16, "float64", 7)
    assert inputs["x"].shape == (ROWS, 20) == (8000, 20)
    assert inputs["y"].shape == (8000, 1)
    x, y = make_classification(10000, 20, random_state=7)
    made = {row.tobytes(): label for row, label in zip(x, y, strict=True)}
    taken = {row.tobytes() for row in inputs["x"]}
    assert len(taken) == 8000
    for row, label in zip(inputs["x"], inputs["y"][:, 0], strict=True):
        assert made[row.tobytes()] == label


def test_the_same_seed_makes_the_same_case() -> None:
    """Data and weights follow from the seed; weights from the size as well."""
    one, two = (Mlp().make(16, "float32", 42) for _ in range(2))
    for left, right in zip(one, two, strict=True):
        assert all(np.array_equal(left[name], right[name]) for name in left)
    other = Mlp().make(16, "float32", 43)[0]
    assert not np.array_equal(one[0]["w1"], other["w1"])
    assert not np.array_equal(one[0]["x"], other["x"])
    assert np.array_equal(one[0]["x"], Mlp().make(8, "float32", 42)[0]["x"])


def test_work_is_counted_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """One hidden unit, two rows of three inputs: every operation of an epoch, one by one."""
    from breakeven.workloads import mlp

    monkeypatch.setattr(mlp, "ROWS", 2)
    monkeypatch.setattr(mlp, "FEATURES", 3)
    monkeypatch.setattr(mlp, "EPOCHS", 1)
    forward = 2 * (2 * 3) + 2 + 2 + 2 * 2  # X W1, + b1, ReLU, a1 W2
    output = 2 * 7  # + b2, negate, exp, 1 +, 1 /, - y, / m
    backward = 2 * 2 + 2 + 2 + 2 * 2 + 2 * (2 * 3) + 2  # dz2 W2^T, mask, *, a1^T dz2, X^T dz1, b1
    update = 2 * (3 + 1 + 1 + 1)  # rate * gradient, weight - that: w1, b1, w2, b2
    loss = 2 * 6
    assert Mlp().work(1, "float32").flops == forward + output + backward + update + loss
    assert Mlp().work(1, "float64").bytes == 2 * Mlp().work(1, "float32").bytes


def test_work_grows_with_width_and_need_with_it() -> None:
    """Twice the width is about twice the work, never more than twice; memory likewise."""
    small, large = Mlp().work(64, "float32"), Mlp().work(128, "float32")
    assert 1.9 < large.flops / small.flops < 2
    assert 1.8 < large.bytes / small.bytes < 2
    assert Mlp().need(128, "float64").host > Mlp().need(64, "float64").host > 8000 * 64 * 8
