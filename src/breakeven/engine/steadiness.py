"""Whether the SM clock of a GPU has become steady while a case warms up."""

from __future__ import annotations

import statistics
from collections.abc import Callable

READ_EVERY_S = 5e-3
READINGS, SPREAD = 4, 0.02
# A clock that still rises is given so much longer than a case that is steady in time alone.
RAMP_S = 0.5


class ClockSteadiness:
    """Reads the SM clock between the blocks of a warm-up, 5 ms apart at least.

    Parameters
    ----------
    read : callable
        Returns the SM clock in MHz; None where the driver does not tell.
    clock : callable
        Host seconds, the one that the warm-up is timed on.
    """

    def __init__(self, read: Callable[[], float | None], clock: Callable[[], float]) -> None:
        self._read = read
        self._clock = clock
        self._readings: list[float] = []
        self._due: float | None = None
        self._blind = False

    def look(self) -> None:
        """Take a reading if one is due; call it between blocks, never inside one."""
        if self._blind or (self._due is not None and self._clock() < self._due):
            return
        found = self._read()
        if found is None:
            self._blind = True
            return
        self._readings = [*self._readings, found][-READINGS:]
        self._due = self._clock() + READ_EVERY_S

    @property
    def steady(self) -> bool | None:
        """Whether the last four readings differ by 2 % at most; None where there are none."""
        if self._blind:
            return None
        last = self._readings
        return len(last) == READINGS and max(last) - min(last) <= SPREAD * statistics.median(last)

    @property
    def rising(self) -> bool:
        """Whether the newest reading lies above the oldest by more than that."""
        last = self._readings
        return len(last) > 1 and last[-1] > (1 + SPREAD) * last[0]
