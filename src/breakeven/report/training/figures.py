"""Quantities of answers as text: value, interval, unit, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable

from breakeven import units
from breakeven.model.questions import Quantity, Unit
from breakeven.report.evidence import NONE


def _plain(value: float) -> str:
    return units.significant(value)


def _rate(value: float) -> str:
    return f"{units.whole(value) if value >= 100 else units.significant(value)}/s"


_TEXTS: dict[Unit, Callable[[float], str]] = {
    "share": units.share,
    "cores": _plain,
    "bytes": units.size_bytes,
    "s": units.seconds,
    "1/s": _rate,
    "W": units.watts,
    "C": units.celsius,
    "J": units.joules,
    "1": _plain,
    "batch": units.whole,
}


def short(q: Quantity | None) -> str:
    """Return a figure without its interval, or the sign for none."""
    return NONE if q is None or q.value is None else _TEXTS[q.unit](q.value)


def shown(q: Quantity | None) -> str:
    """Return a figure with its interval where it has one, or the sign for none.

    An interval that is the figure itself, as printed, says nothing and is left out.
    """
    if q is None or q.value is None:
        return NONE
    text = _TEXTS[q.unit]
    value = text(q.value)
    if q.low is None or q.high is None:
        return value
    low, high = text(q.low), text(q.high)
    return value if low == value == high else units.spanned(value, low, high)


def count(q: Quantity | None) -> str:
    """Return a number of things without decimals, or the sign for none."""
    return NONE if q is None or q.value is None else units.whole(q.value)


def accuracy(q: Quantity | None) -> str:
    """Return a share of right answers with its interval, to one decimal."""
    if q is None or q.value is None:
        return NONE
    if q.low is None or q.high is None:
        return units.accuracy(q.value)
    return units.spanned(*(units.accuracy(v) for v in (q.value, q.low, q.high)))


def rate(q: Quantity | None, of: str) -> str:
    """Return a rate as ``"62,600 images/s [62,200, 63,100]"``."""
    said = shown(q)
    return (
        said
        if said == NONE
        else said.replace("/s", f" {of}/s", 1).replace("/s,", ",").replace("/s]", "]")
    )


def ratio(q: Quantity | None) -> str:
    """Return a ratio with its interval, such as ``"15.6x [12.4, 19.7]"``."""
    if q is None or q.value is None:
        return NONE
    if q.low is None or q.high is None:
        return units.ratio(q.value)
    value, low, high = units.ratio(q.value), units.ratio(q.low), units.ratio(q.high)
    return value if low == value == high else units.spanned(value, low, high)


def reason(q: Quantity | None) -> str:
    """Return why a figure is missing; the way to get it stands in the tables."""
    return "" if q is None or q.value is not None else q.why or "no reason was recorded"


def why(q: Quantity | None) -> str:
    """Return why a figure is missing, with the way to get it; empty where there is a figure."""
    if q is None or q.value is not None:
        return ""
    said = q.why or "no reason was recorded"
    return f"{said}; {q.fix}" if q.fix else said
