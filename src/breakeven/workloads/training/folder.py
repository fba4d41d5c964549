"""A folder of images: one sub-folder a class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from breakeven._installed import pip_line
from breakeven.backends.found import first_line, installed
from breakeven.errors import InputError, UnavailableError
from breakeven.workloads.training.data import Data, Part, Samples, split

SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".ppm", ".tif", ".tiff", ".webp"})
TRAIN, TESTS = "train", ("test", "val", "valid")
_LAYOUT = "lay them out as FOLDER/CLASS/IMAGE, or FOLDER/train/CLASS/IMAGE and FOLDER/test/..."


class Files:
    """Image files, each opened, resized and scaled to -1..1 when it is taken.

    Parameters
    ----------
    paths : list of Path
    targets : list of int
        Labels, in the order of `paths`.
    side : int or None
        Pixels that an image is resized to; None leaves it, and all must be alike.
    mode : str
        Pillow's: ``"RGB"`` or ``"L"``.
    """

    def __init__(self, paths: list[Path], targets: list[int], side: int | None, mode: str) -> None:
        self._paths, self.targets, self._side, self._mode = paths, targets, side, mode

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, place: int) -> tuple[Any, int]:
        import numpy as np  # noqa: PLC0415  only a loader needs it
        import torch
        from PIL import Image  # noqa: PLC0415  an extra

        path = self._paths[place]
        try:
            with Image.open(path) as opened:
                image = opened.convert(self._mode)
        except OSError as error:
            raise InputError(
                f"{path.parent.name}/{path.name} cannot be read as an image ({first_line(error)})",
                "mend or remove it",
            ) from error
        if self._side is not None:
            image = image.resize((self._side, self._side), Image.Resampling.BILINEAR)
        values = np.asarray(image, dtype=np.float32).reshape(image.height, image.width, -1)
        return torch.from_numpy(values.transpose(2, 0, 1) / 127.5 - 1.0), self.targets[place]


def folder(path: Path, image_size: int | None, channels: int | None) -> Data:
    """Return the images below a folder, its sub-folders being the classes.

    With sub-folders ``train`` and ``test`` (or ``val``) these are the two sets; without, the
    images are split, each class shared out alike.

    Raises
    ------
    UnavailableError
        If Pillow, which reads them, is not installed.
    InputError
        If there are no images or a single class, or a first look finds two sizes.
    """
    if not installed("PIL"):
        raise UnavailableError(
            "images in a folder are read with Pillow, which is missing",
            f"install it: {pip_line('vision')}",
        )
    tests = [name for name in TESTS if (path / name).is_dir()]
    if (path / TRAIN).is_dir() and tests:
        classes = _classes(path / TRAIN)
        train = _files(path / TRAIN, classes)
        test = _files(path / tests[0], classes)
    else:
        classes = _classes(path)
        train, test = _files(path, classes), None
    mode = "L" if channels == 1 else "RGB"
    made = Files(*train, image_size, mode)
    shape = _shape(made, path)
    if test is None:
        places, others = split(made.targets)
        parts: tuple[Samples, Samples] = (Part(made, places), Part(made, others))
    else:
        parts = (made, Files(*test, image_size, mode))
    return Data(
        name=path.name,
        train=parts[0],
        test=parts[1],
        classes=len(classes),
        image=shape,
        remarks=("images are read from their files as they are loaded",),
    )


def _classes(path: Path) -> list[str]:
    classes = sorted(p.name for p in path.iterdir() if p.is_dir() and not p.name.startswith("."))
    if len(classes) < 2:
        found = "one sub-folder" if classes else "no sub-folder"
        raise InputError(f"the folder {path.name!r} has {found}, and each is a class", _LAYOUT)
    return classes


def _files(path: Path, classes: list[str]) -> tuple[list[Path], list[int]]:
    paths: list[Path] = []
    targets: list[int] = []
    for label, name in enumerate(classes):
        found = sorted(p for p in (path / name).rglob("*") if p.suffix.lower() in SUFFIXES)
        if not found:
            known = ", ".join(sorted(SUFFIXES))
            raise InputError(
                f"there is no image of the class {name!r} in the folder {path.name!r}",
                f"its files may end in: {known}",
            )
        paths += found
        targets += [label] * len(found)
    return paths, targets


def _shape(files: Files, path: Path) -> tuple[int, int, int]:
    """Return channels, height and width, from the first image and the last."""
    first, last = (tuple(files[place][0].shape) for place in (0, len(files) - 1))
    if first != last:
        raise InputError(
            f"the images in {path.name!r} differ in size, as {first[1:]} and {last[1:]} pixels",
            "give the side that they are resized to: --image-size 224",
        )
    return int(first[0]), int(first[1]), int(first[2])
