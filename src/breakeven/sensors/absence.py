"""A sensor that is not there, with the reason."""

from __future__ import annotations

from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Tier


class Missing:
    """Stands for what cannot be read.

    Parameters
    ----------
    absent : Absent
        What to tell.
    """

    names: tuple[str, ...] = ()

    def __init__(self, *absent: Absent) -> None:
        self._absent = absent

    def read(self, tier: Tier) -> tuple[Sample, ...]:
        """Return nothing."""
        del tier
        return ()

    def absent(self) -> tuple[Absent, ...]:
        """Return the reasons."""
        return self._absent

    def slower(self) -> dict[str, float]:
        """Return nothing: nothing is read."""
        return {}

    def close(self) -> None:
        """Do nothing."""
