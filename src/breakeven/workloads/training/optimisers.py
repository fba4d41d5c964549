"""The rules that change the weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from breakeven.errors import InputError

NAMES = ("adam", "adamw", "sgd")
MOMENTUM = 0.9


def optimiser(name: str, weights: Iterable[Any], rate: float) -> Any:  # noqa: ANN401
    """Return an optimiser with PyTorch's defaults; stochastic gradient descent has momentum 0.9.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    import torch

    if name == "adam":
        return torch.optim.Adam(weights, lr=rate)
    if name == "adamw":
        return torch.optim.AdamW(weights, lr=rate)
    if name == "sgd":
        return torch.optim.SGD(weights, lr=rate, momentum=MOMENTUM)
    raise InputError(f"no optimiser is called {name!r}", f"choose from: {', '.join(NAMES)}")
