"""The processor is read from what the kernel says, whatever is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.machine.cpu import cores_usable, parse_cpu_list, read_cpu
from machine.trees import V2_MOUNTS, plant

XEON = """\
processor\t: {0}
model name\t: Intel(R) Xeon(R)   Processor
physical id\t: 0
core id\t\t: {1}
flags\t\t: fpu sse4_2 avx avx2 fma f16c avx512f amx_tile hypervisor
"""
GRAVITON = """\
processor\t: 0
BogoMIPS\t: 2100.00
Features\t: fp asimd asimdhp sve i8mm bf16
CPU implementer\t: 0x41
CPU architecture: 8
CPU part\t: 0xd40
"""
CPUS = "sys/devices/system/cpu"


def big_host(root: Path, quota: str) -> Path:
    """Return a host of 64 hardware threads on 32 cores, with a quota on the container."""
    files = {
        "proc/cpuinfo": "\n".join(XEON.format(i, i % 32) for i in range(64)),
        f"{CPUS}/online": "0-63\n",
        "proc/self/cgroup": "0::/box\n", "proc/self/mountinfo": V2_MOUNTS,
        "sys/fs/cgroup/box/cpu.max": quota,
        "sys/class/dmi/id/sys_vendor": "Amazon EC2\n", ".dockerenv": "",
        f"{CPUS}/cpu0/cpufreq/scaling_governor": "performance\n",
    }  # fmt: skip
    for i in range(64):
        files[f"{CPUS}/cpu{i}/topology/thread_siblings_list"] = f"{i % 32},{i % 32 + 32}\n"
    for index, (level, kind, size) in enumerate(
        [
            ("1", "Data", "48K"),
            ("1", "Instruction", "32K"),
            ("2", "Unified", "2048K"),
            ("3", "Unified", "105M"),
        ]
    ):
        place = f"{CPUS}/cpu0/cache/index{index}"
        files |= {f"{place}/level": level, f"{place}/type": kind, f"{place}/size": size}
    return plant(root, files)


def test_a_container_with_4_cores_on_a_host_of_64(tmp_path: Path) -> None:
    """The host's 64 threads are told, and 4 of them are usable."""
    cpu = read_cpu(big_host(tmp_path, "400000 100000\n"), affinity=range(64))
    assert (cpu.cores_online, cpu.cores_physical, len(cpu.affinity)) == (64, 32, 64)
    assert (cpu.quota_cores, cpu.cores_usable) == (4.0, 4)
    assert cpu.model == "Intel(R) Xeon(R) Processor"
    assert cpu.features == ("amx_tile", "avx", "avx2", "avx512f", "f16c", "fma", "sse4_2")
    assert cpu.caches_bytes == {"L1d": 49152, "L1i": 32768, "L2": 2 << 20, "L3": 105 << 20}
    assert (cpu.governor, cpu.virtual) == ("performance", "amazon ec2, container")


def test_affinity_limits_where_no_quota_does(tmp_path: Path) -> None:
    """A process held to two CPUs by taskset can use two."""
    cpu = read_cpu(big_host(tmp_path, "max 100000\n"), affinity=(7, 3))
    assert (cpu.affinity, cpu.quota_cores, cpu.cores_usable) == ((3, 7), None, 2)


def test_every_group_of_cores_has_a_last_cache_of_its_own(tmp_path: Path) -> None:
    """Four CPUs on two L3 caches count both; two CPUs on one count one; L2 and L1 count neither."""
    files = {}
    for cpu in range(4):
        for index, (level, kind, size, shared) in enumerate(
            [
                ("1", "Instruction", "64K", f"{cpu}"),
                ("2", "Unified", "1024K", f"{cpu}"),
                ("3", "Unified", "32M", "0-1" if cpu < 2 else "2-3"),
            ]
        ):
            place = f"{CPUS}/cpu{cpu}/cache/index{index}"
            files |= {f"{place}/level": level, f"{place}/type": kind, f"{place}/size": size,
                      f"{place}/shared_cpu_list": f"{shared}\n"}  # fmt: skip
    root = plant(tmp_path, files)
    assert read_cpu(root, affinity=range(4)).last_caches_bytes == 64 << 20
    assert read_cpu(root, affinity=(0, 1)).last_caches_bytes == 32 << 20
    assert read_cpu(root, affinity=(1, 2)).last_caches_bytes == 64 << 20


def test_without_a_third_level_the_second_is_the_last(tmp_path: Path) -> None:
    """Each core's own L2 counts then; a CPU of which nothing is told adds nothing."""
    files = {}
    for cpu in range(2):
        place = f"{CPUS}/cpu{cpu}/cache/index2"
        files |= {f"{place}/level": "2", f"{place}/type": "Unified", f"{place}/size": "512K",
                  f"{place}/shared_cpu_list": f"{cpu}\n"}  # fmt: skip
    assert read_cpu(plant(tmp_path, files), affinity=range(3)).last_caches_bytes == 1 << 20


def test_an_arm_core_is_named_by_its_numbers(tmp_path: Path) -> None:
    """Arm's cpuinfo has no model name, and a known part is translated."""
    cpu = read_cpu(plant(tmp_path, {"proc/cpuinfo": GRAVITON}), affinity=(0,))
    assert cpu.model == "Arm Neoverse-V1"
    assert cpu.features == ("asimd", "asimdhp", "bf16", "i8mm", "sve")


def test_a_tree_with_nothing_in_it_is_told_as_unknown(tmp_path: Path) -> None:
    """Where the kernel says nothing, fields are None, and the affinity still counts."""
    cpu = read_cpu(tmp_path, affinity=(0, 1))
    assert (cpu.model, cpu.cores_physical, cpu.governor, cpu.virtual) == (None, None, None, None)
    assert (cpu.cores_online, cpu.cores_usable, cpu.caches_bytes) == (2, 2, {})
    assert cpu.last_caches_bytes is None


def test_physical_cores_without_topology_come_from_cpuinfo(tmp_path: Path) -> None:
    """Package and core numbers of cpuinfo count cores, not their threads."""
    info = "\n".join(XEON.format(i, i % 2) for i in range(4))
    assert read_cpu(plant(tmp_path, {"proc/cpuinfo": info}), affinity=range(4)).cores_physical == 2


@pytest.mark.parametrize(
    ("affinity", "quota", "usable"),
    [
        (64, None, 64),
        (64, 4.0, 4),
        (64, 2.5, 2),
        (64, 3.999, 4),
        (2, 8.0, 2),
        (8, 0.5, 1),
        (1, None, 1),
    ],
)
def test_a_quota_is_rounded_down(affinity: int, quota: float | None, usable: int) -> None:
    """More threads than whole cores of quota would be stopped in every period."""
    assert cores_usable(affinity, quota) == usable


@given(st.integers(1, 4096), st.none() | st.floats(0.01, 5000))
def test_usable_cores_are_never_none_nor_more_than_allowed(
    affinity: int, quota: float | None
) -> None:
    """At least one core is usable, and never more than the affinity."""
    assert 1 <= cores_usable(affinity, quota) <= affinity


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0-3,8", (0, 1, 2, 3, 8)),
        ("5", (5,)),
        ("", ()),
        ("0-1\n", (0, 1)),
        ("a-b", ()),
        ("3-", (3,)),
    ],
)
def test_kernel_lists(text: str, numbers: tuple[int, ...]) -> None:
    """Ranges are read to their end, and a malformed list is empty."""
    assert parse_cpu_list(text) == numbers


def test_this_machine_has_a_usable_core() -> None:
    """The real reading agrees with the scheduler about where this process may run."""
    cpu = read_cpu()
    assert cpu.affinity == tuple(sorted(os.sched_getaffinity(0)))
    assert 1 <= cpu.cores_usable <= len(cpu.affinity)
