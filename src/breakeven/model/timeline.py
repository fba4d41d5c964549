"""Readings of a sensor over time."""

from __future__ import annotations

import msgspec


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
