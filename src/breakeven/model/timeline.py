"""Readings of a sensor over time."""

from __future__ import annotations

import msgspec


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """One sensor's readings; times are seconds since the run's start."""

    sensor: str
    t_s: tuple[float, ...]
    value: tuple[float | None, ...]
