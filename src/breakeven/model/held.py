"""Why a GPU's clocks are what they are: the bits of its driver's mask, in words."""

from __future__ import annotations

IDLE = 0x1
"""Bit of a GPU that has nothing to do: right after a slot it is, and that holds no clock down."""

POWER_CAP, THERMAL, HARDWARE = 0x4, 0x20 | 0x40, 0x8 | 0x80
"""Bits of the driver's mask: software power cap; software and hardware thermal slowdown; hardware
slowdown and power brake. All others (clocks set by someone, sync boost, ...) are ``other``."""

HARDWARE_SLOWDOWN = 0x8
"""Set beside the thermal bit as well: alone, or beside the power brake, it is the hardware's."""


def reasons_of(mask: int) -> tuple[str, ...]:
    """Return why clocks are held down, from the driver's mask of clock event reasons.

    Bits as in the group nvmlClocksEventReasons of NVIDIA's NVML reference.
    """
    thermal = bool(mask & THERMAL)
    hardware = mask & HARDWARE
    if thermal:
        hardware &= ~HARDWARE_SLOWDOWN
    known = IDLE | POWER_CAP | THERMAL | HARDWARE
    found = {
        "power_cap": mask & POWER_CAP,
        "thermal": thermal,
        "hardware": hardware,
        "other": mask & ~known,
    }
    return tuple(name for name, bits in found.items() if bits)
