"""The machine's CPUs and memory over time, from ``/proc`` and ``/sys``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Tier
from breakeven.sensors.kernel_files import KernelFile, number_in

ROOT = Path("/")
# Idle, and waiting for a disk: the CPU has nothing to do in both.
IDLE_FIELDS = (3, 4)
# The last two fields of a line, guest time, are in the first two already.
FIELDS = 8
CHIPS = ("coretemp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal")
ZONES = ("x86_pkg_temp", "cpu-thermal", "cpu_thermal", "soc-thermal", "TCPU")
_NO_PROC = "this system does not tell it (there is no {path})"
_NO_HEAT = "neither hwmon nor thermal under /sys/class names a sensor of the CPU"
_HEAT_FIX = (
    "a virtual machine has none: measure on the machine itself, with coretemp or k10temp loaded"
)


class Host:
    """CPUs, load, memory and temperature of this machine.

    Parameters
    ----------
    cpus : iterable of int, optional
        CPUs that count; those that this process may use when not given.
    root : Path
        Where ``/proc`` and ``/sys`` hang; another folder in tests.
    """

    def __init__(self, cpus: Iterable[int] | None = None, root: Path = ROOT) -> None:
        self._cpus = tuple(sorted(os.sched_getaffinity(0) if cpus is None else cpus))
        self._stat = KernelFile(root / "proc/stat")
        self._load = KernelFile(root / "proc/loadavg")
        self._memory = KernelFile(root / "proc/meminfo")
        self._heat = [KernelFile(path) for path in _thermometers(root)]
        self._before: dict[str, tuple[float, float]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """What is read here."""
        names: list[str] = []
        if self._stat.there:
            names += ["cpu.busy_share", *(f"cpu{n}.busy_share" for n in self._cpus)]
        names += ["host.load_1m"] if self._load.there else []
        names += ["host.memory_bytes"] if self._memory.there else []
        names += ["cpu.temperature_c"] if self._heat else []
        return tuple(names)

    def read(self, tier: Tier) -> Sequence[Sample]:
        """Return the share of all CPUs often, the rest once a second."""
        if tier == "fast":
            return self._shares(whole=True)
        if tier == "slow":
            return [*self._shares(whole=False), *self._slow()]
        return ()

    def absent(self) -> tuple[Absent, ...]:
        """Return what this machine does not tell."""
        missing = [
            Absent(sensor=sensor, why=_NO_PROC.format(path=f"/proc/{file.path.name}"))
            for sensor, file in (
                ("cpu.busy_share", self._stat),
                ("host.load_1m", self._load),
                ("host.memory_bytes", self._memory),
            )
            if not file.there
        ]
        if not self._heat:
            missing.append(Absent(sensor="cpu.temperature_c", why=_NO_HEAT, fix=_HEAT_FIX))
        return tuple(missing)

    def slower(self) -> dict[str, float]:
        """Return nothing: these readings are cheap."""
        return {}

    def close(self) -> None:
        """Close the files."""
        for file in (self._stat, self._load, self._memory, *self._heat):
            file.close()

    def _shares(self, *, whole: bool) -> list[Sample]:
        """Return busy shares since the last reading of the same kind.

        A first reading has nothing to be compared with; nor have two within one tick (10 ms).
        """
        text = self._stat.read()
        if text is None:
            return []
        now = _times(text, self._cpus)
        if whole:
            idle, spent = (sum(column) for column in zip(*now.values(), strict=True))
            now = {"cpu": (idle, spent)}
        found = []
        for cpu, (idle, spent) in now.items():
            before = self._before.get(cpu)
            if before is not None and spent <= before[1]:
                continue
            self._before[cpu] = (idle, spent)
            if before is not None:
                share = 1.0 - (idle - before[0]) / (spent - before[1])
                # The kernel's idle time may step back by a tick.
                found.append(Sample(f"{cpu}.busy_share", min(1.0, max(0.0, share))))
        return found

    def _slow(self) -> list[Sample]:
        found = []
        if (load := self._load.read()) is not None:
            found.append(Sample("host.load_1m", number_in(load.split(maxsplit=1)[0])))
        if (memory := self._memory.read()) is not None:
            found.append(Sample("host.memory_bytes", _used(memory)))
        heat = [n for file in self._heat if (n := number_in(file.read())) is not None]
        if self._heat:
            found.append(Sample("cpu.temperature_c", max(heat) / 1000 if heat else None))
        return found


def _times(text: str, cpus: Sequence[int]) -> dict[str, tuple[float, float]]:
    """Return idle and total ticks of each CPU from the text of ``/proc/stat``."""
    wanted = {f"cpu{n}" for n in cpus}
    found: dict[str, tuple[float, float]] = {}
    for line in text.splitlines():
        if not line.startswith("cpu"):
            break
        name, _, rest = line.partition(" ")
        if name in wanted:
            ticks = [int(word) for word in rest.split()[:FIELDS]]
            found[name] = (float(sum(ticks[i] for i in IDLE_FIELDS)), float(sum(ticks)))
    return found


def _used(text: str) -> float | None:
    """Return the bytes that cannot be had without swapping, from the text of ``/proc/meminfo``."""
    told: dict[str, int] = {}
    for line in text.splitlines()[:8]:
        name, _, rest = line.partition(":")
        words = rest.split()
        if words and words[0].isdigit():
            told[name] = int(words[0]) * 1024
    if "MemTotal" not in told or "MemAvailable" not in told:
        return None
    return float(told["MemTotal"] - told["MemAvailable"])


def _thermometers(root: Path) -> list[Path]:
    """Return the files that hold a temperature of the CPU, in thousandths of a degree."""
    found = [
        path
        for chip in sorted((root / "sys/class/hwmon").glob("hwmon*"))
        if _name(chip / "name") in CHIPS
        for path in sorted(chip.glob("temp*_input"))
    ]
    if found:
        return found
    zones = sorted((root / "sys/class/thermal").glob("thermal_zone*"))
    return [zone / "temp" for zone in zones if _name(zone / "type") in ZONES]


def _name(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
