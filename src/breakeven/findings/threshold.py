"""From where on a rule speaks, with where that comes from."""

from __future__ import annotations

from typing import NamedTuple

from breakeven.model.finding import Figure

JUDGEMENT = "our judgement"


class Threshold(NamedTuple):
    """A bound that one figure is held against.

    Attributes
    ----------
    name : str
        What the figure is.
    value : float
        From where on the rule speaks.
    unit : str
        As `Figure.unit`.
    origin : str
        A tool whose bound it is, or our judgement.
    """

    name: str
    value: float
    unit: str = "share"
    origin: str = JUDGEMENT

    def figure(self, value: float) -> Figure:
        """Return a figure beside the bound."""
        return Figure(
            name=self.name, value=value, unit=self.unit, threshold=self.value, origin=self.origin
        )


def figure(name: str, value: float, unit: str = "share") -> Figure:
    """Return a figure that nothing is held against."""
    return Figure(name=name, value=value, unit=unit)
