"""Networks: their shapes, their sizes, and what is said of a user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.errors import InputError
from breakeven.workloads.training import models
from breakeven.workloads.training.resnet import resnet18
from breakeven.workloads.training.transformer import patch_side

PREFACE = "from torch import nn\nimport torch\n"


def own(tmp_path: Path, code: str) -> str:
    """Return ``FILE.py:model`` of a file with this code."""
    path = tmp_path / "net.py"
    path.write_text(PREFACE + code, encoding="utf-8")
    return f"{path}:model"


@pytest.mark.parametrize("name", sorted(models.BUILT_IN))
@pytest.mark.parametrize("side", [8, 28, 33])
def test_every_network_answers_with_a_figure_for_each_class(name: str, side: int) -> None:
    """Of images of 8, 28 and 33 pixels, in training and in evaluation."""
    import torch

    image = (models.channels(name) or 1, side, side)
    model = models.make(name, image, 7, 1)
    images = torch.randn(2, *image)
    assert model(images).shape == model.eval()(images).shape == (2, 7)


def test_resnet18_has_the_parameters_of_the_paper() -> None:
    """With 1000 classes there are 11,689,512, as in torchvision's, under the same names."""
    model = resnet18(3, 1000)
    assert sum(p.numel() for p in model.parameters()) == 11_689_512
    names = set(model.state_dict())
    assert {"conv1.weight", "layer2.0.downsample.0.weight", "layer4.1.bn2.bias", "fc.bias"} <= names
    assert len(names) == 122


def test_resnet18_shrinks_its_images_as_the_paper_does() -> None:
    """An image of 224 pixels is 7 wide before it is averaged."""
    import torch

    model = resnet18(3, 10).to("meta")
    x = torch.empty((1, 3, 224, 224), device="meta")
    for layer in list(model)[:8]:
        x = layer(x)
    assert x.shape == (1, 512, 7, 7)


def test_weights_come_from_the_seed_and_nothing_else_is_drawn() -> None:
    """The same seed gives the same weights, and the generator is left where it was."""
    import torch

    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first, again, other = (models.make("cnn", (1, 8, 8), 10, seed) for seed in (1, 1, 2))
    assert torch.equal(torch.rand(3), expected)
    pairs = zip(first.state_dict().values(), again.state_dict().values(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    assert not torch.equal(first[0].weight, other[0].weight)


def test_patches_divide_the_image_and_are_not_too_many() -> None:
    """Of 224 pixels they are 16 wide, of 8 two; of a prime side the whole image is one."""
    assert [patch_side(s, s) for s in (8, 28, 32, 224)] == [2, 2, 2, 16]
    assert patch_side(33, 33) == 33
    assert patch_side(9, 9) == 1


def test_a_users_own_model_is_made_for_the_images(tmp_path: Path) -> None:
    """It is told the image and the classes where it asks for them."""
    code = (
        "def model(classes, image, width=5):\n"
        "    n = image[0] * image[1] * image[2]\n"
        "    return nn.Sequential(nn.Flatten(), nn.Linear(n, width), nn.Linear(width, classes))\n"
    )
    made = models.make(own(tmp_path, code), (1, 4, 4), 3, 1)
    assert [tuple(p.shape) for p in made.parameters()] == [(5, 16), (5,), (3, 5), (3,)]
    assert made.training


FAULTS = {
    "def other(): pass": r"net.py defines no 'model'; it has: other",
    "model = 3": r"model in net.py is no function but of type int",
    "def model(): return 3": r"net.py:model returns no torch.nn.Module but int",
    "def model(): raise ValueError('too deep')": r"net.py:model fails \(ValueError: too deep\)",
    "def model(depth): return None": r"asks for depth, which is not known here",
    "def model(): return nn.Flatten()": r"something of shape \(2, 16\).*\(batch, 3\)",
    "def model(): return nn.Linear(5, 3)": r"fails on a batch of 1x4x4 images \(RuntimeError: ",
    "import nowhere": r"net.py fails when it is run \(ModuleNotFoundError: ",
    "x = (": r"net.py fails when it is run \(SyntaxError: ",
}


@pytest.mark.parametrize("code", FAULTS)
def test_what_is_wrong_with_a_users_model_is_told_in_one_line(tmp_path: Path, code: str) -> None:
    """The message names file, function and fault."""
    with pytest.raises(InputError, match=FAULTS[code]) as told:
        models.make(own(tmp_path, code), (1, 4, 4), 3, 1)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [("nowhere.py:model", "there is no file 'nowhere.py'"), ("net.py:", "names no function")],
)
def test_a_model_that_is_nowhere_is_told(name: str, words: str) -> None:
    """A file that is missing, or a name that is none."""
    with pytest.raises(InputError, match=words):
        models.make(name, (1, 4, 4), 3, 1)
