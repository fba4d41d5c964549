"""Slots in which two threads shared a core."""

from __future__ import annotations

import pytest

from breakeven.engine.states import TIMES_BEST, stalled

BEST_S = 3.3e-4


@pytest.mark.parametrize("unit", [4e-3, 3e-3])
@pytest.mark.parametrize("slices", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("off", [-0.04, 0.0, 0.04])
def test_whole_time_slices_are_seen(unit: float, slices: int, off: float) -> None:
    """A slot of 4 or 3 ms times a whole number, ten times the best and more, is a stall."""
    seconds = slices * unit + off * unit
    assert stalled(seconds, seconds / 11)
    if seconds >= TIMES_BEST * BEST_S:
        assert stalled(seconds, BEST_S)


def test_a_time_slice_that_is_not_ten_times_the_best_is_innocent() -> None:
    """Work that takes 4 ms anyway is not a stall, however often it reads 4 ms."""
    assert not stalled(4e-3, 3.9e-3)
    assert not stalled(4e-3, 4.1e-4)
    assert stalled(4e-3, 3.9e-4)


@pytest.mark.parametrize("seconds", [3.5e-3, 5e-3, 6.6e-3, 7e-3, 10.1e-3])
def test_other_lengths_are_innocent(seconds: float) -> None:
    """A slow slot between the multiples is slow for another reason."""
    assert not stalled(seconds, seconds / 100)


def test_nothing_stalls_beside_a_best_of_nothing() -> None:
    """Without a best slot there is nothing to be ten times of."""
    assert not stalled(4e-3, 0.0)
    assert not stalled(0.0, 0.0)
