"""A folder of images: its classes, its two layouts, its faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from breakeven.errors import InputError, UnavailableError
from breakeven.workloads.training import data, folder


def paint(path: Path, value: int, side: int = 6) -> None:
    """Write an image of one grey, red a little stronger."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.full((side, side, 3), value, np.uint8)
    pixels[..., 0] += 10
    Image.fromarray(pixels).save(path)


@pytest.fixture
def images(tmp_path: Path) -> Path:
    """Return a folder of ten cats and ten dogs."""
    for number in range(10):
        paint(tmp_path / "cat" / f"{number}.png", 50)
        paint(tmp_path / "dog" / f"{number}.png", 200)
    (tmp_path / "cat" / "notes.txt").write_text("no image", encoding="utf-8")
    return tmp_path


def test_each_sub_folder_is_a_class(images: Path) -> None:
    """Twenty images of two classes are split, each with its own label and its own pixels."""
    made = data.load(str(images), None, None)
    assert (made.classes, made.image, len(made.train), len(made.test)) == (2, (3, 6, 6), 16, 4)
    for place in range(16):
        image, label = made.train[place]
        assert image.shape == (3, 6, 6)
        assert float(image[1].mean()) == pytest.approx((200 if label else 50) / 127.5 - 1)
        assert float(image[0, 0, 0]) == pytest.approx((210 if label else 60) / 127.5 - 1)


def test_size_and_channels_are_made_as_asked(images: Path) -> None:
    """Images of 4 pixels and one channel."""
    made = data.load(str(images), 4, 1)
    assert made.image == (1, 4, 4)
    assert made.test[0][0].shape == (1, 4, 4)


def test_two_sets_that_are_there_are_not_split(images: Path) -> None:
    """Folders ``train`` and ``val`` are the two sets, with the labels of the first."""
    for name in ("cat", "dog"):
        (images / "train").mkdir(exist_ok=True)
        (images / name).rename(images / "train" / name)
    paint(images / "val/dog/x.png", 200)
    paint(images / "val/cat/x.png", 50)
    made = data.load(str(images), None, None)
    assert (len(made.train), len(made.test)) == (20, 2)
    assert [made.test[p][1] for p in (0, 1)] == [0, 1]


def test_one_class_is_none(tmp_path: Path) -> None:
    """A folder with a single sub-folder cannot be told apart."""
    paint(tmp_path / "cat" / "1.png", 50)
    with pytest.raises(InputError, match="has one sub-folder"):
        data.load(str(tmp_path), None, None)


def test_a_class_without_images_is_named(images: Path) -> None:
    """An empty sub-folder is a mistake that would shift no label, and yet is one."""
    (images / "eel").mkdir()
    with pytest.raises(InputError, match="no image of the class 'eel'"):
        data.load(str(images), None, None)


def test_images_of_two_sizes_ask_for_a_size(images: Path) -> None:
    """The message says which sizes, and names the option."""
    paint(images / "dog" / "9.png", 200, side=7)
    with pytest.raises(InputError, match=r"\(6, 6\) and \(7, 7\).*--image-size"):
        data.load(str(images), None, None)
    assert data.load(str(images), 6, None).image == (3, 6, 6)


def test_a_broken_image_is_named(images: Path) -> None:
    """The file that cannot be read is told, without the folder above it."""
    (images / "cat" / "0.png").write_bytes(b"no image")
    with pytest.raises(InputError, match=r"cat/0.png cannot be read as an image"):
        data.load(str(images), None, None)


def test_without_pillow_the_line_that_installs_it_is_told(
    images: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing library is a reason with its remedy."""
    monkeypatch.setattr(folder, "installed", lambda name: name != "PIL")
    with pytest.raises(UnavailableError, match=r"pip install .*\[vision\]'"):
        data.load(str(images), None, None)
