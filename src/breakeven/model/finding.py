"""What stands in the way of speed, with its evidence."""

from __future__ import annotations

from typing import Literal

import msgspec


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """A place in the user's source."""

    path: str
    line: int


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One diagnosis: code, evidence, ceiling of the gain, fix, effort, how to verify."""

    code: str
    title: str
    severity: Literal["info", "warning", "error"]
    evidence: tuple[Literal["static", "counter", "trace", "trial"], ...]
    location: Location | None = None
    gain_ceiling: float | None = None
    fix: str | None = None
    effort: str | None = None
    verify: str | None = None
