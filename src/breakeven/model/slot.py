"""Short measurements of a case, with the conditions under which they were made."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.estimate import Scope

Clock = Literal["wall", "device", "issue"]


class GpuConditions(msgspec.Struct, frozen=True, kw_only=True):
    """How the GPU was while a slot was measured; None where its driver does not say.

    Attributes
    ----------
    reasons : tuple of str or None
        Why its clocks were held down: ``power_cap``, ``thermal``, ``hardware``, ``other``; empty
        when nothing held them.
    others : int or None
        Processes on it that are not ours.
    others_bytes : int or None
        Device memory that came to be in use since our processes had opened the device, and that
        none of them holds; 0 where that is no more than a library takes without telling.
    """

    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    reasons: tuple[str, ...] | None = None
    others: int | None = None
    others_bytes: int | None = None


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """How the machine was while a slot was measured.

    Attributes
    ----------
    foreign_cores : float or None
        Cores' worth of CPU time that other processes (and steal) took.
    cores_used : float or None
        CPU time of the worker over wall time of the slot.
    gpu : GpuConditions or None
        Of a GPU entry, read right after the slot.
    """

    foreign_cores: float | None = None
    cores_used: float | None = None
    gpu: GpuConditions | None = None


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """One short measurement of one case: repeats in one process, taken in turn with the others.

    Attributes
    ----------
    turn : int
        Which turn of the round; slots of one turn are compared with each other.
    order : int
        Position of the slot among all slots of its size in this round.
    voided : str or None
        Why it does not count: ``busy``, ``gpu_busy``, ``two_states``, ``thermal``; None when it
        counts.
    """

    turn: int
    order: int
    median_s: float
    min_s: float
    repeats: int
    voided: str | None = None
    conditions: Conditions = Conditions()


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """Slots of one case in one round, by scope and clock.

    Attributes
    ----------
    round : int
        0 is the scouting round, which no verdict uses.
    steady : bool
        Whether repeats became steady before the first slot.
    clock_steady : bool or None
        Whether the SM clock did; None on a CPU, or where it cannot be read.
    """

    round: int
    scope: Scope
    clock: Clock
    slots: tuple[Slot, ...]
    steady: bool = True
    clock_steady: bool | None = None
