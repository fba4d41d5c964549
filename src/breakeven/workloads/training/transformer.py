"""A small transformer encoder over patches of an image.

After Dosovitskiy and others, "An image is worth 16x16 words": patches are projected, given a
learned place, encoded, and averaged.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

WIDTH, HEADS, LAYERS, FEED = 128, 4, 4, 256
MOST_PATCHES = 256


def patch_side(height: int, width: int) -> int:
    """Return the smallest power of two that leaves at most 256 patches and divides both sides.

    Starting at 2: a patch of one pixel says nothing. Where none divides, the whole image is one.
    """
    side = 2
    while height % side == 0 and width % side == 0:
        if (height // side) * (width // side) <= MOST_PATCHES:
            return side
        side *= 2
    return 1 if height * width <= MOST_PATCHES else max(height, width)


@lru_cache(maxsize=1)
def _patches() -> Any:  # noqa: ANN401  a class of module
    import torch
    from torch import nn

    class Patches(nn.Module):
        """Cuts images into patches, and gives each a learned place."""

        def __init__(self, channels: int, side: tuple[int, int], count: int) -> None:
            super().__init__()
            self.project = nn.Conv2d(channels, WIDTH, side, stride=side)
            self.place = nn.Parameter(torch.randn(1, count, WIDTH) * 0.02)

        def forward(self, x: Any) -> Any:  # noqa: ANN401  tensors
            return self.project(x).flatten(2).transpose(1, 2) + self.place

    return Patches


@lru_cache(maxsize=1)
def _mean() -> Any:  # noqa: ANN401  a class of module
    from torch import nn

    class Mean(nn.Module):
        """Averages over the patches."""

        def forward(self, x: Any) -> Any:  # noqa: ANN401  tensors
            return x.mean(dim=1)

    return Mean


def encoder(image: tuple[int, int, int], classes: int) -> Any:  # noqa: ANN401  a module
    """Return four layers of width 128 with four heads, normalised first, without dropout.

    Dropout is left out because two devices draw different values for it, and their losses could
    not be compared.
    """
    from torch import nn

    channels, height, width = image
    side = patch_side(height, width)
    cut = (side, side) if side < max(height, width) else (height, width)
    layer = nn.TransformerEncoderLayer(
        WIDTH, HEADS, FEED, dropout=0.0, batch_first=True, norm_first=True, activation="gelu"
    )
    return nn.Sequential(
        _patches()(channels, cut, (height // cut[0]) * (width // cut[1])),
        nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False),
        nn.LayerNorm(WIDTH),
        _mean()(),
        nn.Linear(WIDTH, classes),
    )
