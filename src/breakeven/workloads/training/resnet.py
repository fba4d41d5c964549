"""ResNet-18: He, Zhang, Ren, Sun, "Deep residual learning for image recognition", table 1.

Layers, their names and their first values are those of torchvision's ``resnet18``, so weights
saved from it can be loaded; with 1000 classes it has its 11,689,512 parameters.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from typing import Any

STAGES = ((64, 1), (128, 2), (256, 2), (512, 2))
BLOCKS = 2


@lru_cache(maxsize=1)
def _block() -> Any:  # noqa: ANN401  a class of module
    from torch import nn

    class BasicBlock(nn.Module):
        """Two convolutions beside a path that lets the input through."""

        def __init__(self, inputs: int, outputs: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(outputs)
            self.relu = nn.ReLU(inplace=True)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
            self.bn2 = nn.BatchNorm2d(outputs)
            self.downsample = None
            if stride != 1 or inputs != outputs:
                self.downsample = nn.Sequential(
                    nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
                )

        def forward(self, x: Any) -> Any:  # noqa: ANN401  tensors
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            return self.relu(out + (x if self.downsample is None else self.downsample(x)))

    return BasicBlock


def resnet18(channels: int, classes: int) -> Any:  # noqa: ANN401  a module
    """Return the network for images of any size from 1 pixel on.

    Parameters
    ----------
    channels : int
        3 in the paper.
    classes : int
    """
    from torch import nn

    layers: OrderedDict[str, Any] = OrderedDict(
        conv1=nn.Conv2d(channels, 64, 7, stride=2, padding=3, bias=False),
        bn1=nn.BatchNorm2d(64),
        relu=nn.ReLU(inplace=True),
        maxpool=nn.MaxPool2d(3, stride=2, padding=1),
    )
    inputs = 64
    for number, (width, stride) in enumerate(STAGES, start=1):
        blocks = [_block()(inputs, width, stride)]
        blocks += [_block()(width, width, 1) for _ in range(BLOCKS - 1)]
        layers[f"layer{number}"] = nn.Sequential(*blocks)
        inputs = width
    layers["avgpool"] = nn.AdaptiveAvgPool2d(1)
    layers["flatten"] = nn.Flatten()
    layers["fc"] = nn.Linear(inputs, classes)
    model = nn.Sequential(layers)
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    return model
