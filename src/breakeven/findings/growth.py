"""A straight line through values at the ends of steps: does memory grow?"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple


class Fit(NamedTuple):
    """Least squares through values against their numbers.

    Attributes
    ----------
    slope : float
        Growth from one value to the next.
    r_squared : float
        Share of the spread that the line explains; 0 where there is none.
    """

    slope: float
    r_squared: float


def line_through(values: Sequence[float]) -> Fit:
    """Return the line through at least two values."""
    at = range(len(values))
    mean_x, mean_y = statistics.fmean(at), statistics.fmean(values)
    across = sum((x - mean_x) ** 2 for x in at)
    joint = sum((x - mean_x) * (y - mean_y) for x, y in zip(at, values, strict=True))
    spread = sum((y - mean_y) ** 2 for y in values)
    slope = joint / across if across else 0.0
    return Fit(slope, slope * joint / spread if spread > 0 else 0.0)
