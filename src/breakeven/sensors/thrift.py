"""How often each question may be asked, so that all together stay within a share of a core."""

from __future__ import annotations

import math
from collections.abc import Sequence

SMOOTH = 0.2
"""Weight of the newest reading in what a question is thought to cost."""

LEAST_LEFT = 0.1
"""Part of the share that is left to the others, whatever the steady ones take."""


class Asked:
    """What one question costs, and how often it is asked.

    Parameters
    ----------
    period_s : float
        How often it is asked when it is cheap.
    steady : bool
        Whether it keeps its period whatever it costs.
    """

    def __init__(self, period_s: float, *, steady: bool = False) -> None:
        self.period_s, self.steady = period_s, steady
        self.cost_s = 0.0
        self.every = 1
        """It is asked at every so-many-th occasion."""
        self._passed = 0

    def due(self) -> bool:
        """Tell whether it is to be asked at this occasion, which is counted."""
        self._passed += 1
        if self._passed < self.every:
            return False
        self._passed = 0
        return True

    def took(self, cpu_s: float) -> None:
        """Take note of what one answer cost.

        A first answer costs many times what the later ones do, and counts for little.
        """
        self.cost_s += SMOOTH * (cpu_s - self.cost_s)


def allot(asked: Sequence[Asked], share: float) -> None:
    """Set how often each question is asked, so that all stay within `share` of a core.

    Steady ones come first, and keep their period. So do cheap ones; what is left is split evenly
    among those that would take more. Steady ones that leave nothing leave a tenth all the same.

    Parameters
    ----------
    share : float
        CPU time over time.
    """
    steady = math.fsum(a.cost_s / a.period_s for a in asked if a.steady)
    loads = sorted(a.cost_s / a.period_s for a in asked if not a.steady)
    left, most = max(share - steady, LEAST_LEFT * share), math.inf
    for place, load in enumerate(loads):
        even = left / (len(loads) - place)
        if load > even:
            most = even
            break
        left -= load
    for one in asked:
        if one.steady:
            continue
        load = one.cost_s / one.period_s
        one.every = max(1, math.ceil(load / most)) if most > 0 and load > most else 1
