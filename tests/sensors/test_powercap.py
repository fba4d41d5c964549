"""Energy counters of the CPU, from trees of files like the kernel's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from breakeven.sensors.powercap import FROZEN_S, Powercap

RANGE = 262_143_328_850


class Tree:
    """Counters in a folder like ``/sys/class/powercap``, and a clock."""

    def __init__(self, root: Path) -> None:
        self.root, self.now = root, 100.0
        (root / "sys/class/powercap").mkdir(parents=True)

    def has(self, folder: str, name: str, uj: int, range_uj: int | None = RANGE) -> Path:
        """Give a zone this count; return its file."""
        zone = self.root / "sys/class/powercap" / folder
        zone.mkdir(exist_ok=True)
        (zone / "name").write_text(f"{name}\n")
        (zone / "energy_uj").write_text(f"{uj}\n")
        if range_uj is not None:
            (zone / "max_energy_range_uj").write_text(f"{range_uj}\n")
        return zone / "energy_uj"

    def open(self) -> Powercap:
        """Return the sensor, on this clock."""
        return Powercap(self.root, lambda: self.now)

    def read(self, sensor: Powercap, later_s: float = 0.1) -> dict[str, float | None]:
        """Return one sample, so much later."""
        self.now += later_s
        return {s.sensor: s.value for s in sensor.read("fast")}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Return a tree without zones."""
    return Tree(tmp_path)


def test_packages_and_memory_are_added_apart(tree: Tree) -> None:
    """Two sockets make one CPU; cores within a package, the platform and twins are left out."""
    tree.has("intel-rapl:0", "package-0", 1_000_000_000)
    tree.has("intel-rapl:1", "package-1", 5_000_000_000)
    tree.has("intel-rapl:0:0", "core", 7)
    tree.has("intel-rapl:0:1", "dram", 9_000_000_000)
    tree.has("intel-rapl:2", "psys", 8)
    tree.has("intel-rapl-mmio:0", "package-0", 1_000_000_000)
    sensor = tree.open()
    assert sensor.names == ("cpu.energy_j", "memory.energy_j")
    tree.has("intel-rapl:0", "package-0", 1_002_000_000)
    tree.has("intel-rapl:1", "package-1", 5_003_000_000)
    tree.has("intel-rapl:0:1", "dram", 9_000_500_000)
    assert tree.read(sensor) == {"cpu.energy_j": 5.0, "memory.energy_j": 0.5}
    assert sensor.absent() == ()
    assert [*sensor.read("slow"), *sensor.read("ends")] == []
    sensor.close()


def test_a_counter_that_wraps_goes_on(tree: Tree) -> None:
    """It is taken as one wrap of the range that the system tells."""
    tree.has("intel-rapl:0", "package-0", RANGE - 1_000_000)
    sensor = tree.open()
    tree.has("intel-rapl:0", "package-0", 2_000_000)
    assert tree.read(sensor) == {"cpu.energy_j": 3.0}
    tree.has("intel-rapl:0", "package-0", 2_500_000)
    assert tree.read(sensor) == {"cpu.energy_j": 3.5}


def test_a_counter_that_falls_without_a_known_range_is_given_up(tree: Tree) -> None:
    """By how much it wrapped cannot be known, and is not guessed."""
    tree.has("intel-rapl:0", "package-0", 5_000_000, None)
    sensor = tree.open()
    tree.has("intel-rapl:0", "package-0", 6_000_000, None)
    assert tree.read(sensor) == {"cpu.energy_j": 1.0}
    tree.has("intel-rapl:0", "package-0", 1_000, None)
    assert tree.read(sensor) == {}
    (said,) = sensor.absent()
    assert said.since_s == pytest.approx(100.1)
    assert tree.read(sensor) == {}


def test_a_mirrored_counter_counts_once(tree: Tree) -> None:
    """Two names that stand within a joule of each other are one meter."""
    tree.has("intel-rapl:0", "package-0-die-0", 40_000_000_000)
    tree.has("intel-rapl:1", "package-0-die-1", 40_000_000_200)
    sensor = tree.open()
    tree.has("intel-rapl:0", "package-0-die-0", 40_004_000_000)
    tree.has("intel-rapl:1", "package-0-die-1", 40_004_000_150)
    assert tree.read(sensor) == {"cpu.energy_j": 4.0}


def test_a_counter_that_never_moves_is_absent(tree: Tree) -> None:
    """A virtual machine's register that stands at 0 is no CPU that draws nothing."""
    tree.has("intel-rapl:0", "package-0", 0)
    sensor = tree.open()
    assert tree.read(sensor) == {}
    assert tree.read(sensor, FROZEN_S) == {}
    (said,) = sensor.absent()
    assert "does not move" in said.why
    assert said.since_s is None
    assert sensor.names == ()


def test_one_package_that_does_not_count_makes_no_sum(tree: Tree) -> None:
    """The other's energy alone would pass for that of both."""
    tree.has("intel-rapl:0", "package-0", 1_000_000)
    tree.has("intel-rapl:1", "package-1", 0)
    sensor = tree.open()
    for step in range(1, 60):
        tree.has("intel-rapl:0", "package-0", 1_000_000 + step * 1_000_000)
        assert tree.read(sensor) == {}
    (said,) = sensor.absent()
    assert "intel-rapl:1" in said.why


def test_a_refused_counter_names_its_file_and_a_remedy(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The permission is the administrator's to give, to a group, knowing what it opens."""
    path = tree.has("intel-rapl:0", "package-0", 1)
    real = os.open

    def refusing(name: str, flags: int, mode: int = 0o777, **more: int) -> int:
        if os.fspath(name) == str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return real(name, flags, mode, **more)

    # A test that runs as root is refused nothing.
    monkeypatch.setattr(os, "open", refusing)
    monkeypatch.setattr(Path, "read_bytes", lambda self: os.close(os.open(self, os.O_RDONLY)))
    sensor = tree.open()
    (said,) = sensor.absent()
    assert str(path) in said.why
    assert said.fix is not None
    assert f"chgrp GROUP {path}" in said.fix
    assert "CVE-2020-8694" in said.fix
    assert tree.read(sensor) == {}


def test_a_machine_without_counters_says_how_to_get_them(tmp_path: Path) -> None:
    """A virtual machine or a container has no tree at all."""
    (said,) = Powercap(tmp_path).absent()
    assert said.sensor == "cpu.energy_j"
    assert said.fix is not None
    assert "container" in said.fix


def test_a_tree_without_packages_has_no_cpu(tree: Tree) -> None:
    """What the platform counts is not the CPU's alone."""
    tree.has("intel-rapl:0", "psys", 1)
    (said,) = tree.open().absent()
    assert "is of a CPU package" in said.why
