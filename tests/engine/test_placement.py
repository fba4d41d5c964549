"""Inputs begin at a cache line that chance chooses, whole and in the order that they were stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from breakeven.engine.placement import PAGE, STEP, read_placed

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
