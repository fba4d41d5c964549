"""What each sensor reads: of which device, what it is called, in which unit people read it."""

from __future__ import annotations

import re
from typing import NamedTuple


class Quantity(NamedTuple):
    """One sensor in words.

    Attributes
    ----------
    device : str
        ``"gpu0"``, ``"cpu"``, ``"cpu3"`` (a core), ``"tree"`` or ``"host"``.
    name : str
        What is read, such as ``"power"``.
    unit : str
        Unit of a shown value; empty for a plain number.
    scale : float
        A shown value is the stored one times this.
    """

    device: str
    name: str
    unit: str
    scale: float


_MIB = 2.0**-20
_KNOWN = {
    "utilisation_share": ("busy", "%", 100.0),
    "busy_share": ("busy", "%", 100.0),
    "memory_bytes": ("memory", "MiB", _MIB),
    "rss_bytes": ("memory", "MiB", _MIB),
    "power_w": ("power", "W", 1.0),
    "energy_j": ("energy", "J", 1.0),
    "temperature_c": ("temperature", "°C", 1.0),
    "sm_clock_mhz": ("SM clock", "MHz", 1.0),
    "memory_clock_mhz": ("memory clock", "MHz", 1.0),
    "held_by": ("clocks held by", "code", 1.0),
    "to_device_bytes": ("PCIe to device", "MiB", _MIB),
    "to_host_bytes": ("PCIe to host", "MiB", _MIB),
    "to_device_bytes_per_s": ("PCIe to device", "MB/s", 1e-6),
    "to_host_bytes_per_s": ("PCIe to host", "MB/s", 1e-6),
    "cpu_cores": ("CPU", "cores", 1.0),
    "load_1m": ("load", "", 1.0),
}
_UNITS = {
    "share": ("%", 100.0), "bytes": ("MiB", _MIB), "w": ("W", 1.0), "j": ("J", 1.0),
    "c": ("°C", 1.0), "mhz": ("MHz", 1.0), "s": ("s", 1.0),
}  # fmt: skip
_DEVICES = {"cpu": "CPU", "tree": "the command", "host": "the machine"}
_NUMBERED = re.compile(r"(gpu|cpu)(\d+)")


def quantity(sensor: str) -> Quantity:
    """Return a sensor in words; one that nobody knows is read from the unit in its name."""
    device, _, what = sensor.rpartition(".")
    if what in _KNOWN:
        return Quantity(device, *_KNOWN[what])
    stem, _, end = what.rpartition("_")
    if stem and end in _UNITS:
        return Quantity(device, stem.replace("_", " "), *_UNITS[end])
    return Quantity(device, what.replace("_", " "), "", 1.0)


def device_name(device: str) -> str:
    """Return what a device is called, such as ``"GPU 0"``, ``"CPU core 3"``, ``"the command"``."""
    found = _NUMBERED.fullmatch(device)
    if found is not None:
        return f"{'GPU' if found[1] == 'gpu' else 'CPU core'} {found[2]}"
    return _DEVICES.get(device, device)


def is_core(device: str) -> bool:
    """Return whether a device is one core of the CPU."""
    return re.fullmatch(r"cpu\d+", device) is not None


def gpu_index(device: str) -> int | None:
    """Return the number of a GPU; None of anything else."""
    found = re.fullmatch(r"gpu(\d+)", device)
    return None if found is None else int(found[1])
