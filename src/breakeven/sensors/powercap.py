"""Energy of the CPU's packages and its memory, from the counters under ``/sys/class/powercap``."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Tier
from breakeven.sensors.kernel_files import KernelFile

ROOT = Path("/")
FOLDER = "sys/class/powercap"
CPU, MEMORY = "cpu.energy_j", "memory.energy_j"
FROZEN_S = 5.0
"""A counter of a running CPU moves every millisecond; one that stands so long counts nothing."""
ALIKE_UJ = 1_000_000
"""Two counters within a joule of each other are one meter shown twice: their ranges are 65 kJ and
more, so that two meters would stand so by chance once in tens of thousands of machines."""
_NO_TREE = "this system has no energy counters (there is no /{folder})"
_NO_TREE_FIX = (
    "a virtual machine has none and a container hides them: measure on the machine itself, or have "
    "its administrator mount /sys/class/powercap read-only into the container"
)
_NO_ZONE = "none of the energy counters under /{folder} is of a CPU package"
_REFUSED = "this user may not read {path}"
_REFUSED_FIX = (
    "have the administrator allow it, for one group and not for all: chgrp GROUP {path} && chmod "
    "g+r {path}; the counters are kept from users because they leak what other programs compute "
    "(CVE-2020-8694)"
)
_FROZEN = "the counter {path} does not move: a virtual machine often shows one that counts nothing"
_BROKEN = "the counter {path} cannot be read any more"


class _Zone:
    """One counter, unwrapped.

    Parameters
    ----------
    folder : Path
        Where its files are.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "energy_uj"
        self.file = KernelFile(self.path)
        self.range_uj = _integer(_text(folder / "max_energy_range_uj"))
        self.last_uj: int | None = None
        self.moved_s: float | None = None
        self.sum_uj = 0
        """What it has counted since the first reading."""

    def read(self) -> bool:
        """Take one reading; return whether there was one.

        A counter that stands lower than before has wrapped, once: the least range, 65 kJ, takes
        minutes, and readings are a tenth of a second apart.
        """
        now = _integer(self.file.read())
        if now is None:
            return False
        step = 0 if self.last_uj is None else now - self.last_uj
        if step < 0:
            if self.range_uj is None:
                return False
            step += self.range_uj
        self.sum_uj += step
        self.last_uj = now
        return True


class Powercap:
    """Package and memory counters, each kind added up over the sockets.

    Zones within a package (``core``, ``uncore``) are in it already, ``psys`` holds the package, and
    the memory-mapped twin of a zone counts the same: none of them is added.

    Parameters
    ----------
    root : Path
        Where ``/sys`` hangs; another folder in tests.
    clock : callable
        Seconds.
    """

    def __init__(self, root: Path = ROOT, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._absent: list[Absent] = []
        self._zones: dict[str, list[_Zone]] = {CPU: [], MEMORY: []}
        self._said: set[str] = set()
        self._find(root / FOLDER)
        self._began_s = clock()

    @property
    def names(self) -> tuple[str, ...]:
        """What is read here."""
        return tuple(name for name, zones in self._zones.items() if zones)

    def read(self, tier: Tier) -> Sequence[Sample]:
        """Return joules since the first reading, ten times a second."""
        if tier != "fast":
            return ()
        return [
            Sample(name, joules)
            for name, zones in self._zones.items()
            if zones and (joules := self._total(name, zones)) is not None
        ]

    def absent(self) -> tuple[Absent, ...]:
        """Return what there is no counter for, or none that may be read, or that counts."""
        return tuple(self._absent)

    def slower(self) -> dict[str, float]:
        """Return nothing: these readings are cheap."""
        return {}

    def close(self) -> None:
        """Close the files."""
        for zones in self._zones.values():
            for zone in zones:
                zone.file.close()

    def _find(self, folder: Path) -> None:
        if not folder.is_dir():
            why = _NO_TREE.format(folder=FOLDER)
            self._absent.append(Absent(sensor=CPU, why=why, fix=_NO_TREE_FIX))
            return
        refused: dict[str, Path] = {}
        for path in sorted(folder.iterdir()):
            # The twin that is read through memory is intel-rapl-mmio:0.
            if "mmio" in path.name or not (path / "energy_uj").exists():
                continue
            name = _sensor_of(_text(path / "name") or "")
            if name is None:
                continue
            zone = _Zone(path)
            if zone.read():
                self._zones[name].append(zone)
            else:
                zone.file.close()
                refused.setdefault(name, zone.path)
        for name, file in refused.items():
            # A sum without one of its parts would be a wrong sum.
            for zone in self._zones[name]:
                zone.file.close()
            self._zones[name] = []
            self._absent.append(_refusal(name, file))
        if not self._zones[CPU] and CPU not in refused:
            why = _NO_ZONE.format(folder=FOLDER)
            self._absent.append(Absent(sensor=CPU, why=why, fix=_NO_TREE_FIX))

    def _total(self, name: str, zones: list[_Zone]) -> float | None:
        """Return the joules of one kind of zone; None while, or once, they say nothing.

        Nothing is said before every counter has moved once: one that counts nothing would make
        the sum too small, not absent.
        """
        now = self._clock()
        for zone in zones:
            before = zone.sum_uj
            if not zone.read():
                self._drop(name, _BROKEN.format(path=zone.path))
                return None
            if zone.sum_uj > before:
                zone.moved_s = now
            elif now - (self._began_s if zone.moved_s is None else zone.moved_s) > FROZEN_S:
                self._drop(name, _FROZEN.format(path=zone.path), _NO_TREE_FIX)
                return None
        if any(zone.moved_s is None for zone in zones):
            return None
        if name not in self._said:
            self._said.add(name)
            self._zones[name] = zones = _without_mirrors(zones)
        return sum(zone.sum_uj for zone in zones) / 1e6

    def _drop(self, name: str, why: str, fix: str | None = None) -> None:
        moved = [z.moved_s for z in self._zones[name] if z.moved_s is not None]
        for zone in self._zones[name]:
            zone.file.close()
        self._zones[name] = []
        since = max(moved) if name in self._said else None
        self._absent.append(Absent(sensor=name, why=why, fix=fix, since_s=since))


def _without_mirrors(zones: list[_Zone]) -> list[_Zone]:
    """Return each meter once: processors of several dies may show one meter under several names."""
    kept: list[_Zone] = []
    for zone in zones:
        assert zone.last_uj is not None
        if any(abs(zone.last_uj - (other.last_uj or 0)) <= ALIKE_UJ for other in kept):
            zone.file.close()
        else:
            kept.append(zone)
    return kept


def _sensor_of(zone: str) -> str | None:
    if zone.startswith("package"):
        return CPU
    return MEMORY if zone == "dram" else None


def _refusal(name: str, path: Path) -> Absent:
    try:
        path.read_bytes()
    except OSError as error:
        if error.errno in {errno.EACCES, errno.EPERM}:
            return Absent(
                sensor=name,
                why=_REFUSED.format(path=path),
                fix=_REFUSED_FIX.format(path=path),
            )
        return Absent(sensor=name, why=f"{path} cannot be read ({error.strerror})")
    return Absent(sensor=name, why=f"{path} holds no number")


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _integer(text: str | None) -> int | None:
    word = "" if text is None else text.strip()
    return int(word) if word.isdigit() else None
