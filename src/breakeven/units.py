"""Units of measure: the only code that turns a number into text."""

from __future__ import annotations

import math
from typing import NewType

Seconds = NewType("Seconds", float)
Bytes = NewType("Bytes", int)
Joules = NewType("Joules", float)
Watts = NewType("Watts", float)

_SMALL_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_PLAIN_FROM = 1e-4
_HOURS_FROM = 7200
_BYTES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))
_RATES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def significant(value: float, digits: int = 3) -> str:
    """Return `value` rounded to `digits` significant digits.

    The notation is plain down to 1e-4; smaller numbers are scientific, since nobody counts zeros.
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if abs(value) < _PLAIN_FROM:
        return scientific(value, digits)
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    # Rounding may carry into a new digit (9.996 -> 10.0): one decimal fewer is then significant.
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(decimals, 0)}f}"


def scientific(value: float, digits: int = 2) -> str:
    """Return a number that may be tiny, such as an error, as text like ``"3.0e-7"``."""
    if not math.isfinite(value):
        return f"{value:g}"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def seconds(value: float) -> str:
    """Return a duration in seconds as text with a fitting unit, such as ``"2.52 ms"``."""
    if abs(value) >= _HOURS_FROM:
        return f"{significant(value / 3600)} h"
    if abs(value) >= 120:
        return f"{significant(value / 60)} min"
    for scale, unit in _SMALL_TIMES:
        if abs(value) >= scale * 0.9995:
            return f"{significant(value / scale)} {unit}"
    return "0 s" if value == 0 else f"{significant(value * 1e9)} ns"


def about(seconds_: float) -> str:
    """Return a duration for planning: whole seconds, from two minutes on whole minutes."""
    return f"{seconds_ / 60:.0f} min" if seconds_ >= 120 else f"{seconds_:.0f} s"


def size_bytes(value: float) -> str:
    """Return a number of bytes as text with a binary unit, such as ``"256 MiB"``."""
    for scale, unit in _BYTES:
        if abs(value) >= scale:
            return f"{value:.0f} B" if unit == "B" else f"{significant(value / scale)} {unit}"
    return "0 B"


def rate(value: float, unit: str) -> str:
    """Return a rate as text with a decimal prefix, such as ``"51.2 TFLOP/s"``."""
    for scale, prefix in _RATES:
        if abs(value) >= scale:
            return f"{significant(value / scale)} {prefix}{unit}"
    return f"{significant(value)} {unit}"


def ratio(value: float) -> str:
    """Return a ratio as text, such as ``"2.05x"``."""
    return f"{significant(value, 4 if value >= 1000 else 3)}x"


def whole(value: float) -> str:
    """Return a count as text with thousands separated, such as ``"8,192"``."""
    return f"{round(value):,}"


def share(value: float) -> str:
    """Return a share as a percentage, such as ``"43 %"``; small ones keep a digit."""
    percent = value * 100
    return f"{percent:.1f} %" if 0 < abs(percent) < 9.95 else f"{percent:.0f} %"


def accuracy(value: float) -> str:
    """Return a share of right answers as a percentage with one decimal, such as ``"97.8 %"``."""
    return f"{value * 100:.1f} %"


def joules(value: float) -> str:
    """Return an energy as text with a decimal prefix, such as ``"6.38 J"``."""
    return f"{significant(value * 1e3)} mJ" if 0 < abs(value) < 0.1 else rate(value, "J")


def watts(value: float) -> str:
    """Return a power as text, such as ``"203 W"``."""
    return f"{significant(value)} W"


def celsius(value: float) -> str:
    """Return a temperature as text, such as ``"45.2 °C"``."""
    return f"{value:.1f} °C"


def spanned(shown: str, low: str, high: str) -> str:
    """Return a figure with its interval; a unit that all three share stands once.

    ``"6.38 J", "6.27 J", "6.50 J"`` gives ``"6.38 J [6.27, 6.50]"``.
    """
    unit = shown.partition(" ")[2]
    ends = [low, high]
    if unit and all(end.endswith(f" {unit}") for end in ends):
        ends = [end.removesuffix(f" {unit}") for end in ends]
    elif shown.endswith("x") and all(end.endswith("x") for end in ends):
        ends = [end.removesuffix("x") for end in ends]
    return f"{shown} [{ends[0]}, {ends[1]}]"
