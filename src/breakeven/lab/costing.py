"""A stored run in money, with the prices that its reader gives."""

from __future__ import annotations

import math

from breakeven.analysis.cost import costs
from breakeven.errors import InputError
from breakeven.model.cost import Prices
from breakeven.model.run import RunRecord
from breakeven.report import cost

_EXAMPLE = "write it as --price cpu=0.80,gpu=4.00, in dollars an hour"


def cost_text(record: RunRecord, price: str) -> str:
    """Return which side is cheaper, case by case, as text.

    Raises
    ------
    InputError
        If `price` is not the two prices of an hour.
    """
    prices = prices_of(price)
    return cost.text_of(record.id, prices, tuple(costs(record, prices)))


def prices_of(text: str) -> Prices:
    """Return the prices that ``cpu=USD,gpu=USD`` gives; ``/h`` may follow each.

    Raises
    ------
    InputError
        If one is missing, twice there, unknown, or no number above 0.
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name not in {"cpu", "gpu"} or name in found:
            raise InputError(f"--price {text!r} is not one price for cpu and one for gpu", _EXAMPLE)
        try:
            found[name] = float(value.removesuffix("/h"))
        except ValueError as error:
            raise InputError(f"the price {value!r} is no number", _EXAMPLE) from error
        if not (found[name] > 0 and math.isfinite(found[name])):
            raise InputError(f"the price {value!r} is not above 0", _EXAMPLE)
    if len(found) < 2:
        raise InputError(f"--price {text!r} gives one price of two", _EXAMPLE)
    return Prices(cpu=found["cpu"], gpu=found["gpu"])
