"""The benchmark of accuracies: what is met, and what is not."""

from __future__ import annotations

from typing import Any

from digits_accuracy import compared, result, spreads

LOSSES = [2.3, 2.2, 2.1]


def row(device: str, seed: int, wrong: list[int], scale: float = 1.0) -> dict[str, Any]:
    """Return a training that answered these images wrongly."""
    return {
        "device": device,
        "batch": 64,
        "seed": seed,
        "accuracy": 1 - len(wrong) / 360,
        "correct": 360 - len(wrong),
        "total": 360,
        "wrong": wrong,
        "last_loss": 0.01 * scale + 0.001 * seed,
        "first_losses": [x * (1 + 1e-3 * (scale != 1.0)) for x in LOSSES],
        "probes": [LOSSES],
    }


def test_without_a_gpu_nothing_is_compared() -> None:
    """98 % is reached, and whether both are alike cannot be told here."""
    told = result([row("cpu", 1, [3]), row("cpu", 2, [])])
    assert told.met is None
    assert "99.7 % at least in 2 trainings; no GPU here" in told.figure


def test_too_few_right_answers_miss_the_target() -> None:
    """Nine wrong of 360 are 97.5 %."""
    assert result([row("cpu", 1, list(range(9)))]).met is False


def test_two_devices_alike_meet_it() -> None:
    """The same losses and nearly the same answers."""
    told = result([row("cpu", 1, [3, 4]), row("cuda:0", 1, [3, 5])])
    assert told.met is True
    assert "first losses agree in 1 of 1, accuracies on a par in 1" in told.figure


def test_losses_that_part_are_found() -> None:
    """A difference of 1e-3 in the first losses is another training."""
    pairs = compared([row("cpu", 1, [3]), row("cuda:0", 1, [3], scale=2.0)])
    assert [p["losses_agree"] for p in pairs] == [False]
    assert result([row("cpu", 1, [3]), row("cuda:0", 1, [3], scale=2.0)]).met is False


def test_last_losses_are_held_to_the_spread_of_seeds() -> None:
    """Ten times the loss of three seeds does not end where they do; the same does."""
    base = [row("cpu", seed, []) for seed in (1, 2, 3)]
    assert spreads([*base, row("cuda:0", 1, [])]) == {"64": True}
    assert spreads([*base, row("cuda:0", 1, [], scale=10.0)]) == {"64": False}
    assert spreads(base) == {"64": None}
