"""Weights moved by as little as rounding moves them."""

from __future__ import annotations

from typing import Any

UNIT = 2.0**-23


def probed(state: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return a model's state with each weight a unit in the last place larger or smaller.

    Some networks turn such a difference into one of whole per cents within three steps (ResNet-18
    with batch normalisation does): two honest backends then differ as much.

    Parameters
    ----------
    state : dict of tensor
        On the CPU; left as it is. What holds no floating-point numbers is taken over.
    seed : int
    """
    import torch

    generator = torch.Generator().manual_seed(seed)

    def moved(tensor: Any) -> Any:  # noqa: ANN401  tensors
        if not tensor.is_floating_point():
            return tensor
        sign = torch.randint(0, 2, tensor.shape, generator=generator) * 2 - 1
        return tensor * (1 + UNIT * sign)

    return {name: moved(tensor) for name, tensor in state.items()}
