"""Tests of what sizes are called."""

from __future__ import annotations

import pytest

from breakeven.report import names
from breakeven.workloads import registry

ALL = (32, 64, 128, 256, 512, 1024, 2048)


@pytest.mark.parametrize(
    ("values", "text"),
    [((), ""), ((512,), "512"), ((128, 32, 64), "32, 64 and 128"), ((32, 64, 128, 256), "32 to 256"),
     ((32, 64, 128, 1024, 2048), "32 to 128, 1024 and 2048"),
     ((32, 128, 512, 2048), "32, 128, 512 and 2048")],
)  # fmt: skip
def test_sizes_are_told_in_few_words(values: tuple[int, ...], text: str) -> None:
    """Few sizes are listed, neighbours become a range, and no size has a separator."""
    assert names.sizes(values, ALL) == text


def test_scattered_sizes_are_a_range_with_their_number() -> None:
    """A list that would be long is told by its ends."""
    among = tuple(range(1, 30))
    assert names.sizes((1, 5, 9, 13, 17), among) == "1 to 17 (5 of the sizes)"


@pytest.mark.parametrize(
    ("value", "text"), [(2048.0, "2048"), (75.6, "76"), (934.3, "934"), (1094.2, "1090"), (3.51, "3.51")]
)  # fmt: skip
def test_an_interpolated_size_has_three_digits_at_most(value: float, text: str) -> None:
    """A measured size stands as it is; an interpolated one shows no digits that are not known."""
    assert names.size(value) == text


@pytest.mark.parametrize("workload", registry._BUILT_IN)
def test_every_built_in_workload_has_a_verb(workload: str) -> None:
    """A script that runs it once is told by what it does; another package's runs."""
    said = names.once(workload)
    assert said.endswith("s once")
    assert not said.startswith("runs ")
    assert names.once("saxpy") == "runs once"
