"""Labelled images to train on and to test with."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Protocol

from breakeven.errors import InputError
from breakeven.workloads.training import factory

BUILT_IN = ("digits", "synthetic")
SPLIT_SEED = 0
"""The split is the same whatever a training is seeded with: all answer the same test images."""

TEST_SHARE = 0.2
SYNTHETIC_SIDE, SYNTHETIC_CLASSES = 32, 10
SYNTHETIC_TRAIN, SYNTHETIC_TEST = 16384, 2048
SYNTHETIC_BYTES, SYNTHETIC_LEAST = 64 << 20, 64
SYNTHETIC_SEED = 0


class Samples(Protocol):
    """Labelled images by place: what PyTorch calls a map-style data set."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        """Return an image (tensor, float32) with its label."""
        ...


@dataclasses.dataclass(frozen=True, kw_only=True)
class Data:
    """Two sets of labelled images.

    Attributes
    ----------
    name : str
        In words.
    train, test : Samples
    classes : int
    image : tuple of int
        Channels, height and width.
    remarks : tuple of str
        What to know about them.
    """

    name: str
    train: Samples
    test: Samples
    classes: int
    image: tuple[int, int, int]
    remarks: tuple[str, ...] = ()


class Part:
    """Some of the items of a larger set, in a given order.

    Parameters
    ----------
    whole : Samples
    places : list of int
    """

    def __init__(self, whole: Samples, places: list[int]) -> None:
        self._whole, self._places = whole, places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        return self._whole[self._places[place]]


class Images:
    """Images that lie in memory, resized and given their channels when one is taken.

    Parameters
    ----------
    images : tensor
        Shape (n, channels, height, width), float32.
    labels : tensor
        Shape (n,), int64.
    side : int or None
        Pixels that an image is resized to, bilinearly; None leaves it.
    channels : int
        Channels that a model needs: those of an image with a single one are repeated.
    length : int or None
        How many there are to be; over the number of images, they come round again.
    """

    def __init__(
        self,
        images: Any,  # noqa: ANN401  a tensor
        labels: Any,  # noqa: ANN401  a tensor
        *,
        side: int | None = None,
        channels: int | None = None,
        length: int | None = None,
    ) -> None:
        self._images, self._labels = images, labels
        self._side = None if side is None or images.shape[2:] == (side, side) else side
        self._channels = None if channels in {None, images.shape[1]} else channels
        self._length = len(labels) if length is None else length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        if not 0 <= place < self._length:
            raise IndexError(place)
        place %= len(self._labels)
        image = self._images[place]
        if self._side is not None:
            from torch.nn.functional import interpolate

            size = (self._side, self._side)
            image = interpolate(image[None], size=size, mode="bilinear", antialias=True)[0]
        if self._channels is not None:
            image = image.expand(self._channels, -1, -1)
        return image, self._labels[place]


def load(name: str, image_size: int | None, channels: int | None) -> Data:
    """Return the images that a name, a folder or ``FILE.py:FACTORY`` stands for.

    Parameters
    ----------
    image_size : int or None
        Pixels that each side is resized to.
    channels : int or None
        What the model needs; None leaves an image its own.

    Raises
    ------
    InputError
        If there are none, or they are not what a training needs.
    UnavailableError
        If a library that reads them is missing.
    """
    if name == "digits":
        return digits(image_size, channels)
    if name == "synthetic":
        return synthetic(image_size, channels)
    if factory.named(name):
        from breakeven.workloads.training.own_data import own_data  # noqa: PLC0415  torch inside

        return own_data(name, image_size, channels)
    if Path(name).is_dir():
        from breakeven.workloads.training.folder import folder  # noqa: PLC0415  Pillow inside

        return folder(Path(name), image_size, channels)
    raise InputError(
        f"no data are called {name!r}, and there is no such folder",
        f"choose from: {', '.join(BUILT_IN)}, a folder with one sub-folder a class, "
        "or FILE.py:FACTORY",
    )


def split(labels: Any) -> tuple[list[int], list[int]]:  # noqa: ANN401  NumPy, or a list
    """Return the places of the training and of the test images, each class shared out alike.

    Raises
    ------
    InputError
        If a class has a single image, so that it cannot be in both.
    """
    from sklearn.model_selection import train_test_split  # noqa: PLC0415  slow to import

    try:
        train, test = train_test_split(
            range(len(labels)), test_size=TEST_SHARE, random_state=SPLIT_SEED, stratify=labels
        )
    except ValueError as error:
        raise InputError(
            f"the images cannot be split into training and test ({error})",
            "give every class several images, or make the two sets yourself",
        ) from error
    return sorted(train), sorted(test)


def digits(image_size: int | None, channels: int | None) -> Data:
    """Return scikit-learn's 1,797 handwritten digits, 8 by 8 pixels, four fifths to train on.

    Values are scaled by the mean and the deviation of the training images.
    """
    import torch
    from sklearn.datasets import load_digits  # noqa: PLC0415  slow to import

    values, labels = load_digits(return_X_y=True)
    train, test = split(labels)
    pixels = torch.from_numpy(values).float().reshape(-1, 1, 8, 8)
    mean, deviation = pixels[train].mean(), pixels[train].std()
    pixels, targets = (pixels - mean) / deviation, torch.from_numpy(labels).long()
    side = image_size or 8
    kept = channels or 1
    remarks = () if side == 8 else (f"images are resized to {side} x {side} as they are loaded",)
    return Data(
        name="digits (scikit-learn)",
        train=Images(pixels[train], targets[train], side=side, channels=kept),
        test=Images(pixels[test], targets[test], side=side, channels=kept),
        classes=10,
        image=(kept, side, side),
        remarks=remarks,
    )


def synthetic(image_size: int | None, channels: int | None) -> Data:
    """Return seeded normal values with random labels: work without meaning, of any size.

    There are as many different images as fit 64 MiB (and at least 64); they come round again.
    """
    import torch

    side, kept = image_size or SYNTHETIC_SIDE, channels or 3
    fit = max(SYNTHETIC_LEAST, SYNTHETIC_BYTES // (4 * kept * side * side))
    generator = torch.Generator().manual_seed(SYNTHETIC_SEED)

    def made(length: int) -> Images:
        count = min(fit, length)
        images = torch.randn((count, kept, side, side), generator=generator)
        labels = torch.randint(SYNTHETIC_CLASSES, (count,), generator=generator)
        return Images(images, labels, length=length)

    return Data(
        name="synthetic",
        train=made(SYNTHETIC_TRAIN),
        test=made(SYNTHETIC_TEST),
        classes=SYNTHETIC_CLASSES,
        image=(kept, side, side),
        remarks=("labels are random, so its accuracy says nothing",),
    )
