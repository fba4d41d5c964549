"""How busy the machine is with work that is not ours."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from breakeven.engine import conditions
from breakeven.engine.conditions import CpuMeter, Reading, idle_seconds, is_busy, meter_of
from records import machine

# From a rented machine of four cores: user, nice, system, idle, iowait, irq, softirq, steal.
STAT = """\
cpu  20000 30 4000 900000 1200 0 150 800 0 0
cpu0 5000 10 1000 225000 300 0 90 200 0 0
cpu1 5000 10 1000 224000 400 0 20 200 0 0
cpu2 5000 5 1000 226000 200 0 20 200 0 0
cpu3 5000 5 1000 225000 300 0 20 200 0 0
intr 12345678 0 9 0
ctxt 987654321
btime 1764500000
procs_running 2
"""


def test_idle_time_of_all_cpus_is_read_from_their_own_line() -> None:
    """The line of all CPUs is rounded once: idle and waiting for disks, hundredths of a second."""
    assert idle_seconds(STAT, (0, 1, 2, 3), 4) == pytest.approx(9012.0)


def test_idle_time_of_some_cpus_is_their_sum() -> None:
    """CPUs that this process may not use are left out, whoever works on them."""
    assert idle_seconds(STAT, (1, 3), 4) == pytest.approx(2244.0 + 2253.0)


@pytest.mark.parametrize("text", ["", "intr 1 2 3\n", STAT.replace("cpu3", "cpx3")])
def test_a_text_without_our_cpus_tells_nothing(text: str) -> None:
    """A CPU that is not listed makes the reading unknown, not idle."""
    assert idle_seconds(text, (1, 3), 4) is None


def test_numbers_are_not_taken_for_the_line_of_another_cpu() -> None:
    """cpu1 is not cpu10."""
    text = "cpu1 0 0 0 100 0 0\ncpu10 0 0 0 900 0 0\n"
    assert idle_seconds(text, (1,), 16) == pytest.approx(1.0)
    assert idle_seconds(text, (10,), 16) == pytest.approx(9.0)


def _meter(cpus: int = 4, *, spare: float = 0.0, stat: Path = Path("/proc/stat")) -> CpuMeter:
    return CpuMeter(range(cpus), spare=spare, own_s=lambda: 5.0, stat=stat)


@pytest.mark.parametrize(("quota", "spare"), [(None, 0.0), (4.0, 12.0), (32.0, 0.0)])
def test_cpus_beyond_our_quota_may_be_used_by_others(quota: float | None, spare: float) -> None:
    """Of 16 CPUs with a quota of 4 others may have 12 before the machine counts as busy."""
    cpu = msgspec.structs.replace(machine(cores=16).cpu, quota_cores=quota)
    meter = meter_of(cpu, lambda: 0.0)
    begin = Reading(wall_s=0.0, idle_s=0.0, own_s=0.0)
    end = Reading(wall_s=1.0, idle_s=0.0, own_s=0.0)
    assert meter.foreign_cores(begin, end) == 16 - spare


def _span(*, wall: float, idle: float, own: float) -> tuple[Reading, Reading]:
    """Return two readings that lie this far apart."""
    return (
        Reading(wall_s=100.0, idle_s=1000.0, own_s=10.0),
        Reading(wall_s=100.0 + wall, idle_s=1000.0 + idle, own_s=10.0 + own),
    )


def test_others_took_what_was_neither_idle_nor_ours() -> None:
    """Four CPUs for 2 s, 5 s idle and 2 s ours: 1 s of others is half a core."""
    assert _meter().foreign_cores(*_span(wall=2.0, idle=5.0, own=2.0)) == pytest.approx(0.5)


def test_steal_counts_as_others() -> None:
    """Time that the host took from this machine is neither idle nor ours."""
    assert _meter(1).foreign_cores(*_span(wall=1.0, idle=0.0, own=0.7)) == pytest.approx(0.3)


def test_cores_beyond_our_quota_are_for_others() -> None:
    """Under a quota of two of four cores, others may keep two busy without disturbing us."""
    span = _span(wall=1.0, idle=0.0, own=2.0)
    assert _meter(spare=2.0).foreign_cores(*span) == pytest.approx(0.0)
    assert _meter(spare=0.0).foreign_cores(*span) == pytest.approx(2.0)


def test_foreign_time_is_never_negative() -> None:
    """Rounding of ticks does not make others give time back; no time makes no cores."""
    assert _meter().foreign_cores(*_span(wall=1.0, idle=3.5, own=0.8)) == 0.0
    assert _meter().foreign_cores(*_span(wall=0.0, idle=0.0, own=1.0)) == 0.0


def test_a_tenth_of_a_core_is_busy_beyond_the_reading_error() -> None:
    """A long look tells a ninth of a core; a short one, wrong by two ticks, must see more."""
    assert is_busy(0.11, 10.0)
    assert not is_busy(0.10, 10.0)
    assert not is_busy(0.11, 0.5)
    assert not is_busy(0.13, 0.5)
    assert is_busy(0.15, 0.5)
    assert not is_busy(1.0, 0.0)


def test_a_reading_is_wall_idle_and_own_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The meter puts the three clocks side by side."""
    monkeypatch.setattr(conditions, "now", lambda: 42.0)
    monkeypatch.setattr(conditions.os, "cpu_count", lambda: 4)
    stat = tmp_path / "stat"
    stat.write_text(STAT)
    assert _meter(stat=stat).read() == Reading(wall_s=42.0, idle_s=9012.0, own_s=5.0)


def test_a_system_without_the_file_tells_nothing(tmp_path: Path) -> None:
    """Where /proc/stat is missing, other work cannot be seen."""
    assert _meter(stat=tmp_path / "none").read() is None
