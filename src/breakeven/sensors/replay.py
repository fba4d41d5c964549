"""A GPU played from a recording: a throttled clock or a neighbour without either being there."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from breakeven.errors import InputError
from breakeven.model.run import GpuConditions
from breakeven.sensors.base import Look

VARIABLE = "BREAKEVEN_REPLAY"
Reason = Literal["power_cap", "thermal", "hardware", "other"]
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Shot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One recorded look; what is left out was not told by the driver."""

    sm_clock_mhz: Amount | None = None
    memory_clock_mhz: Amount | None = None
    power_w: Amount | None = None
    temperature_c: Amount | None = None
    reasons: tuple[Reason, ...] = ()
    others: Count | None = None
    memory_used_bytes: Count | None = None


class Recording(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Looks in the order in which a process takes them, each process from the first on.

    Attributes
    ----------
    looks : tuple of Shot
        One after each slot, beginning with those at set-up.
    warm_up_mhz : tuple of float
        SM clock read while a case warms up; empty takes that of the next look.
    then : str
        After the last one: ``"again"`` from the first, or ``"hold"`` the last.
    """

    looks: Annotated[tuple[Shot, ...], msgspec.Meta(min_length=1)]
    warm_up_mhz: tuple[Amount, ...] = ()
    then: Literal["again", "hold"] = "again"


def read_recording(name: str) -> Recording:
    """Read a recording.

    Raises
    ------
    InputError
        If the file cannot be read, or is no recording.
    """
    try:
        return msgspec.json.decode(Path(name).read_bytes(), type=Recording)
    except OSError as error:
        raise InputError(
            f"the recording {name} cannot be read ({error.strerror})", f"mend or unset {VARIABLE}"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{name} is no recording: {error}", f"mend or unset {VARIABLE}") from error


def check_recording(environ: Mapping[str, str] = os.environ) -> None:
    """Refuse a recording that cannot be played, before any process starts.

    Raises
    ------
    InputError
        If ``BREAKEVEN_REPLAY`` names one that cannot be read.
    """
    if name := environ.get(VARIABLE):
        read_recording(name)


class ReplayWatch:
    """Plays a recording through the seam of a driver."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._taken = 0
        self._warmed = 0

    def look(self, own_pids: Collection[int]) -> Look:
        """Return the next look."""
        del own_pids
        shot = self._next()
        self._taken += 1
        told = {
            "SM clock": shot.sm_clock_mhz,
            "memory clock": shot.memory_clock_mhz,
            "power": shot.power_w,
            "temperature": shot.temperature_c,
            "memory in use": shot.memory_used_bytes,
        }
        return Look(
            conditions=GpuConditions(
                sm_clock_mhz=shot.sm_clock_mhz,
                memory_clock_mhz=shot.memory_clock_mhz,
                power_w=shot.power_w,
                temperature_c=shot.temperature_c,
                reasons=shot.reasons,
                others=shot.others,
            ),
            memory_used_bytes=shot.memory_used_bytes,
            unknown=tuple(name for name, value in told.items() if value is None),
            source="replay",
        )

    def sm_clock_mhz(self) -> float | None:
        """Return the next reading of a warm-up, or the clock of the look to come."""
        series = self._recording.warm_up_mhz
        if not series:
            return self._next().sm_clock_mhz
        self._warmed += 1
        return series[self._place(self._warmed - 1, len(series))]

    def close(self) -> None:
        """Do nothing: no session is open."""

    def _next(self) -> Shot:
        looks = self._recording.looks
        return looks[self._place(self._taken, len(looks))]

    def _place(self, number: int, count: int) -> int:
        return number % count if self._recording.then == "again" else min(number, count - 1)
