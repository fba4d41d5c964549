"""Networks that classify images."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from breakeven.backends.found import first_line
from breakeven.errors import InputError
from breakeven.workloads.training import factory

Image = tuple[int, int, int]


def mlp(image: Image, classes: int) -> Any:  # noqa: ANN401  a module
    """Return a network of two hidden layers of 512."""
    from torch import nn

    inputs = image[0] * image[1] * image[2]
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(inputs, 512),
        nn.ReLU(),
        nn.Linear(512, 512),
        nn.ReLU(),
        nn.Linear(512, classes),
    )


def cnn(image: Image, classes: int) -> Any:  # noqa: ANN401  a module
    """Return three convolutions of 32, 64 and 128 channels, each with batch normalisation.

    It answers 99 % of scikit-learn's digits rightly after 20 epochs with Adam.
    """
    from torch import nn

    def block(inputs: int, outputs: int) -> list[Any]:
        convolution = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        return [convolution, nn.BatchNorm2d(outputs), nn.ReLU()]

    return nn.Sequential(
        *block(image[0], 32),
        *block(32, 64),
        nn.MaxPool2d(2),
        *block(64, 128),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(512, classes),
    )


def _resnet18(image: Image, classes: int) -> Any:  # noqa: ANN401  a module
    from breakeven.workloads.training.resnet import resnet18  # noqa: PLC0415  torch inside

    return resnet18(image[0], classes)


def _transformer(image: Image, classes: int) -> Any:  # noqa: ANN401  a module
    from breakeven.workloads.training.transformer import encoder  # noqa: PLC0415  torch inside

    return encoder(image, classes)


@dataclasses.dataclass(frozen=True, kw_only=True)
class BuiltIn:
    """A network that comes with the package.

    Attributes
    ----------
    channels : int or None
        Of the images that it takes; None takes any.
    """

    make: Callable[[Image, int], Any]
    words: str
    channels: int | None = None


BUILT_IN: dict[str, BuiltIn] = {
    "mlp": BuiltIn(make=mlp, words="mlp (2 hidden layers of 512)"),
    "cnn": BuiltIn(make=cnn, words="cnn (3 convolutions)"),
    # Our own code and not torchvision's, whether that is installed or not: figures of two machines
    # must be of one network.
    "resnet18": BuiltIn(make=_resnet18, words="resnet18 (built in)", channels=3),
    "transformer": BuiltIn(make=_transformer, words="transformer (small encoder)"),
}


def channels(name: str) -> int | None:
    """Return the channels that the images of a model must have; None where it takes any.

    Raises
    ------
    InputError
        If no model has that name.
    """
    if factory.named(name):
        return None
    return _built_in(name).channels


def words(name: str) -> str:
    """Return what to call a model."""
    return name if factory.named(name) else _built_in(name).words


def _built_in(name: str) -> BuiltIn:
    if name not in BUILT_IN:
        raise InputError(
            f"no model is called {name!r}",
            f"choose from: {', '.join(BUILT_IN)}, or FILE.py:FACTORY",
        )
    return BUILT_IN[name]


def make(name: str, image: Image, classes: int, seed: int) -> Any:  # noqa: ANN401  a module
    """Return a model on the CPU, in float32, its weights drawn with `seed`.

    Weights are drawn on the CPU whatever device they go to: generators of two devices differ.

    Raises
    ------
    InputError
        If there is no such model, or the user's factory does not make one for these images.
    """
    import torch

    before = torch.random.get_rng_state()
    torch.manual_seed(seed)
    try:
        if not factory.named(name):
            return _built_in(name).make(image, classes)
        made = factory.call(factory.load(name, "model"), name, {"image": image, "classes": classes})
    finally:
        torch.random.set_rng_state(before)
    if not isinstance(made, torch.nn.Module):
        raise InputError(
            f"{name} returns no torch.nn.Module but {type(made).__name__}",
            "return the model itself, made but not moved to a device",
        )
    _try(made, name, image, classes)
    return made


def _try(model: Any, name: str, image: Image, classes: int) -> None:  # noqa: ANN401  a module
    """Refuse a user's model that does not answer two images with a figure a class."""
    import torch

    model.eval()
    try:
        with torch.no_grad():
            answer = model(torch.zeros((2, *image)))
    except Exception as error:
        shape = "x".join(map(str, image))
        raise InputError(
            f"the model of {name} fails on a batch of {shape} images ({first_line(error)})",
            "make it take float32 images of shape (batch, channels, height, width)",
        ) from error
    finally:
        model.train()
    found = tuple(getattr(answer, "shape", ()))
    if found != (2, classes):
        told = f"of shape {found}" if found else f"of type {type(answer).__name__}"
        raise InputError(
            f"the model of {name} answers two images with something {told}",
            f"answer with a tensor of shape (batch, {classes}): a figure for each class",
        )
