"""The user's own data: what a function in a file returns."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from breakeven.backends.found import first_line
from breakeven.errors import InputError
from breakeven.workloads.training import factory
from breakeven.workloads.training.data import Data, Part, Samples, split

_SEED = 0
_WANTED = "return a data set, or a pair of them (training, test), of (image, label)"


def own_data(text: str, image_size: int | None, channels: int | None) -> Data:
    """Return what ``FILE.py:FACTORY`` makes, a single set split into training and test.

    A single set needs labels that can be read before it is split: its attribute ``targets``, or
    else every item is taken once.

    Raises
    ------
    InputError
        If it makes no data set, or not one of images with labels.
    """
    offered: dict[str, object] = {"image_size": image_size, "channels": channels}
    with _seeded():
        made = factory.call(factory.load(text, "data"), text, offered)
    if isinstance(made, tuple):
        if len(made) != 2:
            raise InputError(f"{text} returns {len(made)} things", _WANTED)
        train, test = (_samples(part, text) for part in made)
        labels = sorted({*_labels(train, text), *_labels(test, text)})
    else:
        whole = _samples(made, text)
        found = _labels(whole, text)
        places, others = split(found)
        train, test, labels = Part(whole, places), Part(whole, others), sorted(set(found))
    if labels[0] < 0:
        raise InputError(f"{text} gives the label {labels[0]}", "number the classes from 0 on")
    image = _image(train, text)
    if channels is not None and image[0] != channels:
        raise InputError(
            f"the images of {text} have {image[0]} channels, and the model needs {channels}",
            "take `channels` as an argument of the factory, or another model",
        )
    return Data(name=text, train=train, test=test, classes=labels[-1] + 1, image=image)


@contextmanager
def _seeded() -> Iterator[None]:
    """Have whoever draws at random draw the same in every process: all must work on the same data.

    Generators of PyTorch, NumPy and Python are left as they were.
    """
    import numpy as np  # noqa: PLC0415  with PyTorch alone, which brings it
    import torch

    before = torch.random.get_rng_state(), np.random.get_state(), random.getstate()  # noqa: NPY002
    torch.manual_seed(_SEED)
    np.random.seed(_SEED)  # noqa: NPY002  what users' code draws from
    random.seed(_SEED)
    try:
        yield
    finally:
        torch.random.set_rng_state(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
        random.setstate(before[2])


def _samples(made: Any, text: str) -> Samples:  # noqa: ANN401  whatever a user returns
    if not hasattr(made, "__len__") or not hasattr(made, "__getitem__"):
        raise InputError(f"{text} returns no data set but {type(made).__name__}", _WANTED)
    if len(made) == 0:
        raise InputError(f"a data set of {text} is empty", _WANTED)
    samples: Samples = made
    return samples


def _item(samples: Samples, place: int, text: str) -> tuple[Any, Any]:
    try:
        item: Any = samples[place]
    except Exception as error:
        raise InputError(
            f"item {place} of {text} cannot be taken ({first_line(error)})", _WANTED
        ) from error
    if not isinstance(item, (tuple, list)) or len(item) != 2:
        raise InputError(f"item {place} of {text} is no pair", _WANTED)
    return item[0], item[1]


def _labels(samples: Samples, text: str) -> list[int]:
    known = getattr(samples, "targets", None)
    if known is None:
        known = [_item(samples, place, text)[1] for place in range(len(samples))]
    try:
        labels = [int(label) for label in known]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the labels of {text} are no whole numbers ({first_line(error)})",
            "number the classes from 0 on",
        ) from error
    if len(labels) != len(samples):
        raise InputError(
            f"{text} has {len(samples)} items and {len(labels)} targets", "give each item a label"
        )
    return labels


def _image(samples: Samples, text: str) -> tuple[int, int, int]:
    import torch

    image = _item(samples, 0, text)[0]
    shape = tuple(getattr(image, "shape", ()))
    if len(shape) != 3:
        told = f"the shape {shape}" if shape else f"the type {type(image).__name__}"
        raise InputError(
            f"an image of {text} has {told}",
            "give tensors of shape (channels, height, width)",
        )
    if torch.as_tensor(image).dtype is not torch.float32:
        raise InputError(
            f"an image of {text} is of {torch.as_tensor(image).dtype}, not torch.float32",
            "convert it: image.float() / 255",
        )
    return int(shape[0]), int(shape[1]), int(shape[2])
