"""Readings of a sensor over time."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["level", "counter", "codes"]

_COUNTERS = (".energy_j", ".to_device_bytes", ".to_host_bytes", "_total_s")
_CODES = (".held_by",)


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """One sensor's readings; times are seconds since the run's start.

    Attributes
    ----------
    sensor : str
        Device and quantity with its unit: ``gpu0.power_w``, ``cpu.busy_share``, ``tree.rss_bytes``.
    t_s : tuple of float
        Ascending.
    value : tuple of float or None
        None where that one reading failed.
    low, high : tuple of float or None
        Least and greatest of the samples that were merged into each value; empty where none were.
    """

    sensor: str
    t_s: tuple[float, ...]
    value: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()


def kind_of(sensor: str) -> Kind:
    """Return what a sensor's values are, by its name.

    Returns
    -------
    str
        ``level``: how much there is at that moment, of which a mean makes sense; ``counter``: a
        figure that only grows, of which only differences mean something (energy, bytes, seconds in
        a state); ``codes``: bits, each a state that holds or does not.
    """
    if sensor.endswith(_COUNTERS):
        return "counter"
    return "codes" if sensor.endswith(_CODES) else "level"
