"""Images to train on: what they are, how they are split, what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from breakeven.errors import InputError
from breakeven.workloads.training import data
from breakeven.workloads.training.data import Data, Samples

PREFACE = "import torch\nfrom torch.utils.data import TensorDataset\n"


def labels(samples: Samples) -> list[int]:
    """Return all labels in their order."""
    return [int(samples[place][1]) for place in range(len(samples))]


def own(tmp_path: Path, code: str) -> str:
    """Return ``FILE.py:data`` of a file with this code."""
    path = tmp_path / "mine.py"
    path.write_text(PREFACE + code, encoding="utf-8")
    return f"{path}:data"


def test_digits_are_the_real_ones_split_alike() -> None:
    """Every image is in one of the two sets, and every digit has its share of both."""
    import torch
    from sklearn.datasets import load_digits

    made = data.load("digits", None, None)
    assert (len(made.train), len(made.test), made.image) == (1437, 360, (1, 8, 8))
    values, _ = load_digits(return_X_y=True)
    found = torch.stack(
        [part[p][0] for part in (made.train, made.test) for p in range(len(part))]
    ).reshape(1797, 64)
    original = torch.from_numpy(values).float()
    span = (found.max() - found.min()) / 16
    back = ((found - found.min()) / span).round()
    assert sorted(map(tuple, back.int().tolist())) == sorted(map(tuple, original.int().tolist()))
    shares = Counter(labels(made.test))
    whole = Counter(labels(made.train)) + shares
    assert all(abs(shares[d] - whole[d] / 5) <= 1 for d in range(10))


def test_digits_are_scaled_by_their_training_images() -> None:
    """Those have mean 0 and deviation 1, and the test images nearly so."""
    import torch

    made = data.load("digits", None, None)
    pixels = torch.stack([made.train[p][0] for p in range(len(made.train))])
    assert float(pixels.mean()) == pytest.approx(0, abs=1e-5)
    assert float(pixels.std()) == pytest.approx(1, abs=1e-5)


def test_images_are_resized_and_given_channels_on_request() -> None:
    """A digit of 16 pixels in three channels holds the same picture three times."""
    import torch

    made = data.load("digits", 16, 3)
    image, label = made.train[0]
    assert image.shape == made.image == (3, 16, 16)
    assert torch.equal(image[0], image[2])
    small, same = data.load("digits", None, None).train[0]
    assert same == label
    assert float(image.mean()) == pytest.approx(float(small.mean()), abs=0.02)
    assert "resized to 16 x 16" in made.remarks[0]


def test_synthetic_images_are_seeded_and_never_constant() -> None:
    """Twice the same, each with a spread of its own, no two alike, in any size."""
    import torch

    first, again = data.load("synthetic", 24, 1), data.load("synthetic", 24, 1)
    assert first.image == (1, 24, 24)
    assert torch.equal(first.train[3][0], again.train[3][0])
    assert not torch.equal(first.train[3][0], first.train[4][0])
    assert not torch.equal(first.train[0][0], first.test[0][0])
    assert all(0.9 < float(first.train[p][0].std()) < 1.1 for p in range(20))
    assert len(set(labels(first.test))) == first.classes == 10


def test_synthetic_images_take_little_memory_however_large() -> None:
    """64 of 224 pixels come round again, with their labels."""
    import torch

    made = data.load("synthetic", 224, 3)
    assert len(made.train) == 16384
    count = (64 << 20) // (4 * 3 * 224 * 224)
    assert torch.equal(made.train[1][0], made.train[count + 1][0])
    assert made.train[1][1] == made.train[count + 1][1]
    with pytest.raises(IndexError):
        made.train[16384]


def test_unknown_data_are_the_users_mistake() -> None:
    """The message names what there is."""
    with pytest.raises(InputError, match=r"'cifar'.*digits, synthetic, a folder"):
        data.load("cifar", None, None)


PAIR = """
def part(n):
    return TensorDataset(torch.arange(n * 12.0).reshape(n, 3, 2, 2), torch.arange(n) % 4)
def data():
    return part(20), part(8)
"""
WHOLE = """
def data(image_size, channels):
    side = image_size or 2
    return TensorDataset(torch.zeros(20, channels or 1, side, side), torch.arange(20) % 2)
"""


def test_a_users_own_pair_is_taken_as_it_is(tmp_path: Path) -> None:
    """Two sets are training and test, the classes those of both."""
    made: Data = data.load(own(tmp_path, PAIR), None, None)
    assert (len(made.train), len(made.test), made.classes, made.image) == (20, 8, 4, (3, 2, 2))


def test_a_users_own_single_set_is_split(tmp_path: Path) -> None:
    """A fifth of each class is kept for the test; size and channels are handed on."""
    made = data.load(own(tmp_path, WHOLE), 5, 3)
    assert (len(made.train), len(made.test), made.image) == (16, 4, (3, 5, 5))
    assert Counter(labels(made.test)) == {0: 2, 1: 2}


FAULTS = {
    "def data(): return 3": "returns no data set but int",
    "def data(): return [], []": "a data set of .* is empty",
    "def data(): return [1], [2], [3]": "returns 3 things",
    "def data(): return [1, 2]": "item 0 of .* is no pair",
    "def data(): return [(torch.zeros(1, 2, 2), 'a')] * 4": "labels of .* are no whole numbers",
    "def data(): return [(torch.zeros(1, 2, 2), n) for n in range(4)]": "cannot be split",
    "def data(): return [(torch.zeros(4), n % 2) for n in range(20)]": r"has the shape \(4,\)",
    "def data(): return [(torch.zeros(1, 2, 2).int(), n % 2) for n in range(20)]": "torch.int32",
    "def data(): return [(torch.zeros(1, 2, 2), n % 2 - 1) for n in range(20)]": "the label -1",
    "def data(): raise OSError('disk')": r"fails \(OSError: disk\)",
}


@pytest.mark.parametrize("code", FAULTS)
def test_what_is_wrong_with_a_users_data_is_told_in_one_line(tmp_path: Path, code: str) -> None:
    """The message names the factory and the fault."""
    with pytest.raises(InputError, match=FAULTS[code]) as told:
        data.load(own(tmp_path, code), None, None)
    assert "\n" not in str(told.value)


def test_images_with_too_few_channels_for_the_model_are_refused(tmp_path: Path) -> None:
    """A model of three channels cannot take a user's grey images."""
    code = "def data(): return [(torch.zeros(1, 2, 2), n % 2) for n in range(20)]"
    with pytest.raises(InputError, match="have 1 channels, and the model needs 3"):
        data.load(own(tmp_path, code), None, 3)


def test_a_factory_that_draws_draws_the_same_each_time(tmp_path: Path) -> None:
    """Every process calls it, and all must work on the same data: generators are seeded for it."""
    file = tmp_path / "drawn.py"
    file.write_text(
        "import random\n"
        "import numpy as np\n"
        "import torch\n"
        "from torch.utils.data import TensorDataset\n"
        "def data():\n"
        "    x = torch.randn(40, 1, 8, 8) + float(np.random.rand()) + random.random()\n"
        "    return TensorDataset(x, torch.arange(40) % 4)\n"
    )
    import torch

    from breakeven.workloads.training.own_data import own_data

    before = torch.random.get_rng_state()
    one, other = (own_data(f"{file}:data", None, None) for _ in range(2))
    assert torch.equal(one.train[3][0], other.train[3][0])
    assert torch.equal(torch.random.get_rng_state(), before)
