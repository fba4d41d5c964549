"""Sums over intervals of time: unions, and the gaps that they leave."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Spans = NDArray[np.float64]


def spans(pairs: Iterable[tuple[float, float]]) -> Spans:
    """Return begins and ends in seconds, shape (n, 2)."""
    found = np.array(list(pairs), dtype=np.float64)
    return found.reshape(-1, 2)


def union(of: Spans) -> Spans:
    """Return the times that at least one interval covers, disjoint and in order, shape (m, 2)."""
    of = of[of[:, 1] > of[:, 0]]
    if not len(of):
        return of
    of = of[np.argsort(of[:, 0], kind="stable")]
    reach = np.maximum.accumulate(of[:, 1])
    first = np.concatenate(([True], of[1:, 0] > reach[:-1]))
    last = np.concatenate((first[1:], [True]))
    return np.column_stack((of[first, 0], reach[last]))


def clipped(of: Spans, begin: float, end: float) -> Spans:
    """Return what lies between two times."""
    cut = np.clip(of, begin, end)
    return cut[cut[:, 1] > cut[:, 0]]


def gaps(covered: Spans, begin: float, end: float) -> Spans:
    """Return what disjoint, ordered intervals leave open between two times."""
    covered = clipped(covered, begin, end)
    edges = np.concatenate(([begin], covered.ravel(), [end])).reshape(-1, 2)
    return edges[edges[:, 1] > edges[:, 0]]


def total(of: Spans) -> float:
    """Return the seconds of disjoint intervals."""
    return float(np.sum(of[:, 1] - of[:, 0]))
