"""What the first call of a process takes beyond a steady one."""

from __future__ import annotations

import math
from collections.abc import Sequence

# Equal calls on a scripted clock differ in the last bits of a float, which no clock could tell.
ALIKE = 1e-9


def excess(calls_s: Sequence[float]) -> float | None:
    """Return the seconds that the first call took beyond the last one, at least 0.

    Parameters
    ----------
    calls_s : sequence of float
        Seconds of the first calls of one process, in their order.

    Returns
    -------
    float or None
        None for a process that made one call only: it cannot tell its excess from the call.
    """
    if len(calls_s) < 2:
        return None
    first, last = calls_s[0], calls_s[-1]
    return 0.0 if math.isclose(first, last, rel_tol=ALIKE) else max(0.0, first - last)
