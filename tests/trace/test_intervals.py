"""Unions and gaps of intervals, against a grid of instants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.trace.intervals import clipped, gaps, spans, total, union

LENGTH = 60
PAIRS = st.lists(
    st.tuples(st.integers(0, LENGTH), st.integers(0, LENGTH)).map(lambda p: (min(p), max(p))),
    max_size=12,
)


def grid(pairs: list[tuple[int, int]]) -> np.ndarray:
    """Return which unit cells of a line the intervals cover."""
    cells = np.zeros(LENGTH, dtype=bool)
    for begin, end in pairs:
        cells[begin:end] = True
    return cells


def cells_of(of: np.ndarray) -> np.ndarray:
    """Return the cells of intervals that were returned, and check that they are in order."""
    assert (of[:, 1] > of[:, 0]).all()
    assert (of[1:, 0] > of[:-1, 1]).all()
    return grid([(int(a), int(b)) for a, b in of.tolist()])


@given(PAIRS)
def test_a_union_covers_what_its_parts_cover(pairs: list[tuple[int, int]]) -> None:
    """Cell by cell, disjoint and in order, with the same length."""
    found = union(spans(pairs))
    assert (cells_of(found) == grid(pairs)).all()
    assert total(found) == grid(pairs).sum()


@given(PAIRS, st.integers(0, 30), st.integers(30, LENGTH))
def test_gaps_are_the_rest_of_a_window(pairs: list[tuple[int, int]], begin: int, end: int) -> None:
    """What is covered and what is left open fill the window, and share nothing."""
    covered = clipped(union(spans(pairs)), begin, end)
    left = gaps(union(spans(pairs)), begin, end)
    window = grid([(begin, end)])
    assert (cells_of(left) == (window & ~grid(pairs))).all()
    assert total(covered) + total(left) == pytest.approx(end - begin)
