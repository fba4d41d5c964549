"""CPUs, memory, load and temperature, from trees of files like the kernel's."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.sensors.host import Host

STAT = """\
cpu  {0} 0 0 {1} 0 0 0 0 0 0
cpu0 {2} 0 0 {3} 0 0 0 0 0 0
cpu1 0 0 0 500 {4} 0 0 0 0 0
intr 12345 0 0
"""
MEMINFO = "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a tree of a machine with two CPUs."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text(STAT.format(100, 900, 100, 400, 100))
    (tmp_path / "proc/loadavg").write_text("1.25 0.9 0.8 2/94 8254\n")
    (tmp_path / "proc/meminfo").write_text(MEMINFO)
    return tmp_path


def _values(host: Host, tier: str) -> dict[str, float | None]:
    assert tier in {"fast", "slow"}
    return {s.sensor: s.value for s in host.read(tier)}  # type: ignore[arg-type]


def test_shares_are_of_the_time_since_the_last_reading(root: Path) -> None:
    """One CPU worked for 30 of 40 ticks, the other waited for a disk: idle as well."""
    host = Host([0, 1], root)
    assert _values(host, "fast") == {}
    _values(host, "slow")
    (root / "proc/stat").write_text(STAT.format(130, 950, 130, 410, 140))
    assert _values(host, "fast") == {"cpu.busy_share": pytest.approx(0.375)}
    slow = _values(host, "slow")
    assert slow["cpu0.busy_share"] == pytest.approx(0.75)
    assert slow["cpu1.busy_share"] == 0.0
    host.close()


def test_only_cpus_that_may_be_used_count(root: Path) -> None:
    """A process held to one CPU sees that one's share as the whole."""
    host = Host([0], root)
    _values(host, "fast")
    (root / "proc/stat").write_text(STAT.format(130, 950, 130, 410, 140))
    assert _values(host, "fast") == {"cpu.busy_share": pytest.approx(0.75)}
    assert "cpu1.busy_share" not in host.names


def test_two_readings_within_a_tick_are_one(root: Path) -> None:
    """Where the counters have not moved there is no share, not one of 0."""
    host = Host([0, 1], root)
    _values(host, "fast")
    assert _values(host, "fast") == {}


def test_memory_is_what_cannot_be_had(root: Path) -> None:
    """Caches that the system would give up are not in use."""
    slow = _values(Host([0, 1], root), "slow")
    assert slow["host.memory_bytes"] == 600 * 1024
    assert slow["host.load_1m"] == 1.25


def test_the_hottest_sensor_of_the_cpu_is_told(root: Path) -> None:
    """Other chips under hwmon, such as a disk's, do not count."""
    for number, (name, heat) in enumerate([("nvme", 90000), ("coretemp", 61500)]):
        chip = root / f"sys/class/hwmon/hwmon{number}"
        chip.mkdir(parents=True)
        (chip / "name").write_text(f"{name}\n")
        (chip / "temp1_input").write_text(f"{heat}\n")
        (chip / "temp2_input").write_text("40000\n")
    host = Host([0, 1], root)
    assert _values(host, "slow")["cpu.temperature_c"] == 61.5
    assert host.absent() == ()


def test_a_thermal_zone_stands_in_for_hwmon(root: Path) -> None:
    """Boards without hwmon name the zone of the package."""
    zone = root / "sys/class/thermal/thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "type").write_text("x86_pkg_temp\n")
    (zone / "temp").write_text("55000\n")
    assert _values(Host([0, 1], root), "slow")["cpu.temperature_c"] == 55.0


def test_a_machine_without_a_thermometer_has_a_reason(root: Path) -> None:
    """The temperature is absent with the way to get it, and never 0."""
    host = Host([0, 1], root)
    assert "cpu.temperature_c" not in _values(host, "slow")
    (said,) = host.absent()
    assert (said.sensor, said.since_s) == ("cpu.temperature_c", None)
    assert said.fix is not None


def test_a_system_without_proc_says_so(tmp_path: Path) -> None:
    """Each reading is absent with its file, and nothing is read."""
    host = Host([0], tmp_path)
    assert host.names == ()
    assert [*host.read("fast"), *host.read("slow"), *host.read("ends")] == []
    assert [a.sensor for a in host.absent()] == [
        "cpu.busy_share", "host.load_1m", "host.memory_bytes", "cpu.temperature_c",
    ]  # fmt: skip
