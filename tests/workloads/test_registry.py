"""Workloads by name."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.workloads import registry


@pytest.mark.parametrize("name", registry.names())
def test_every_name_is_a_workload_under_that_name(name: str) -> None:
    """What is listed can be had, with sizes that ascend."""
    found = registry.get(name)
    assert found.name == name
    assert list(found.sizes) == sorted(set(found.sizes))
    assert found.axis


def test_the_tour_is_made_of_workloads_that_are_there() -> None:
    """A run without a word measures what can be had."""
    assert set(registry.TOUR) <= set(registry.names())


def test_an_unknown_name_is_refused_with_those_that_are_known() -> None:
    """The message names both."""
    with pytest.raises(InputError, match="'fft2'") as caught:
        registry.get("fft2")
    assert "matmul" in caught.value.fix
