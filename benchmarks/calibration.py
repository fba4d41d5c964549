"""What the decision rule found when its constants were chosen, to set new findings beside."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

FACTORS = (1.10, 1.20, 1.5, 2.0)
BY_SPREAD = (0.0, 0.03, 0.06, 0.12, 0.20, math.inf)
# What the rule found when its constants were chosen, without the margin of an A/A pair: share
# settled and mean rounds at each planted factor, by the spread of a round's log ratio.
CHOSEN = (
    ((1.0, 8.0), (1.0, 8.0), (1.0, 5.0), (1.0, 3.0)),
    ((1.0, 8.8), (1.0, 8.1), (1.0, 5.0), (1.0, 3.0)),
    ((0.80, 16.2), (1.0, 9.5), (1.0, 5.1), (1.0, 3.0)),
    ((0.13, 19.6), (0.87, 16.4), (1.0, 6.6), (1.0, 3.5)),
    ((0.07, 19.6), (0.37, 18.3), (0.99, 9.8), (1.0, 4.4)),
)
# Room for the draws and for cells that were not there when the table was made.
FEWER, LATER = 0.05, 1.0
# Share of tellings after which the rounds told must have been enough.
TOLD_RIGHT = 0.95


def expected(spread: float, factor: float) -> tuple[float, float] | None:
    """Return share settled and mean rounds at a spread; None for a factor that was not tried."""
    near = min(FACTORS, key=lambda f: abs(f - factor))
    if abs(near - factor) > 0.01:
        return None
    place = sum(spread >= s for s in BY_SPREAD[1:-1])
    return CHOSEN[place][FACTORS.index(near)]


def as_the_table(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether what was found is what the table says, with a little room."""
    return all(
        r["found"] >= r["table_found"] - FEWER and r["rounds"] <= r["table_rounds"] + LATER
        for r in rows
    )
