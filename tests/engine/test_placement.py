"""Inputs begin at a cache line that chance chooses, whole and in the order that they were stored."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from breakeven.engine.placement import GRAIN, PAGE, STEP, TRIES, Places, read_placed

# A clock that stands still: these tests are about places.
CLOCK = float

ARRAYS = {
    "float32": np.arange(12, dtype=np.float32).reshape(3, 4),
    "float64 by columns": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "one value": np.array(2.5),
    "nothing": np.empty((0, 3)),
    "complex": np.array([1 + 2j, 3 - 4j], dtype=np.complex64),
    "whole numbers": np.arange(5),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_read_is_what_was_stored(tmp_path: Path, name: str) -> None:
    """Values, shape, dtype and order are those of the file, and the array may be written."""
    path = tmp_path / "a.npy"
    np.save(path, ARRAYS[name])
    read = read_placed(path)
    assert np.array_equal(read, ARRAYS[name])
    assert (read.dtype, read.shape) == (ARRAYS[name].dtype, ARRAYS[name].shape)
    assert read.flags.f_contiguous == ARRAYS[name].flags.f_contiguous
    assert read.flags.writeable


def _begin(array: NDArray[np.float32]) -> int:
    return int(array.ctypes.data) % PAGE


def test_an_array_begins_where_it_is_told(tmp_path: Path) -> None:
    """The choice is a cache line within a page."""
    np.save(tmp_path / "a.npy", np.ones(100, np.float32))
    for step in (0, 1, 3, PAGE // STEP - 1):
        assert _begin(read_placed(tmp_path / "a.npy", lambda _, s=step: s)) == STEP * step


def test_places_differ_from_read_to_read(tmp_path: Path) -> None:
    """Twenty reads lie at many places: one place for all would favour whoever has it."""
    np.save(tmp_path / "a.npy", np.ones(100, np.float32))
    kept = [read_placed(tmp_path / "a.npy") for _ in range(20)]
    assert len({_begin(a) for a in kept}) > 10


def _results(size: int) -> Callable[[], tuple[NDArray[np.float32], ...]]:
    square = np.ones((size, size), np.float32)
    return lambda: (np.matmul(square, square),)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's allocator is on Linux")
@pytest.mark.parametrize("size", [96, 160, 256])
def test_results_are_moved_to_where_chance_wants_them(size: int) -> None:
    """Different places within a line are reached, and the next results lie there too."""
    run, reached = _results(size), set()
    for wanted in (0, 3, 1, 2) * 3:
        drawn = iter([wanted])
        places = Places(_address, lambda n, d=drawn: next(d) if n == 4 else secrets.randbelow(n))
        if places.move(run, CLOCK, 1.0):
            assert _address(run()[0]) % STEP == GRAIN * wanted
            reached.add(wanted)
    assert len(reached) > 1


def test_places_are_drawn_anew() -> None:
    """Thirty slots begin at more than one place within a line: one for good would be a bias."""
    run, places = _results(160), Places(_address)
    found = set()
    for _ in range(30):
        places.move(run, CLOCK, 1.0)
        found.add(_address(run()[0]) % STEP)
    assert len(found) > 1


def test_results_that_do_not_move_are_left() -> None:
    """A library that always begins at a line is asked a few times, not for ever."""
    fixed = np.ones(4096, np.float32)
    calls = []

    def run() -> tuple[NDArray[np.float32], ...]:
        calls.append(1)
        return (fixed,)

    assert not Places(lambda _: 64, lambda _: 1).move(run, CLOCK, 1.0)
    assert len(calls) == TRIES


def test_small_results_are_not_asked_for_twice() -> None:
    """Results of less than a kilobyte lie in bins of their own: one look is enough."""
    assert not Places(_address).move(lambda: (np.ones(4, np.float32),), CLOCK, 1.0)
    assert not Places(_address).move(tuple, CLOCK, 1.0)


def _address(array: NDArray[np.float32]) -> int:
    return int(array.ctypes.data)


def test_no_place_is_tried_after_the_time_is_over() -> None:
    """A slow call is made until the time is over, and the slot begins where its results lie."""
    calls = []

    def run() -> tuple[NDArray[np.float32], ...]:
        calls.append(1)
        return (np.ones(4096, np.float32),)

    assert not Places(lambda _: 64, lambda _: 1).move(run, lambda: float(len(calls)), 3.0)
    assert len(calls) == 3
