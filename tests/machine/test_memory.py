"""Memory is what the machine has, or what a control group leaves of it."""

from __future__ import annotations

from pathlib import Path

from breakeven.machine.memory import MemoryFacts, read_memory
from machine.trees import MEMINFO, V2_MOUNTS, plant


def test_a_free_machine_tells_all_its_memory(tmp_path: Path) -> None:
    """Without limits, total and available are the kernel's own."""
    root = plant(tmp_path, {"proc/meminfo": MEMINFO})
    assert read_memory(root) == MemoryFacts(131924012 * 1024, 120004332 * 1024)


def test_a_limit_hides_the_rest_of_the_machine(tmp_path: Path) -> None:
    """A container of 8 GiB on a machine of 126 GiB has 8 GiB."""
    root = plant(tmp_path, {
        "proc/meminfo": MEMINFO, "proc/self/cgroup": "0::/box\n", "proc/self/mountinfo": V2_MOUNTS,
        "sys/fs/cgroup/box/memory.max": f"{8 << 30}\n", "sys/fs/cgroup/box/memory.current": f"{2 << 30}\n",
    })  # fmt: skip
    assert read_memory(root) == MemoryFacts(8 << 30, 6 << 30)


def test_a_limit_above_what_is_free_does_not_make_memory(tmp_path: Path) -> None:
    """What is available is the least of all levels, the machine's own among them."""
    root = plant(tmp_path, {
        "proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 10 kB\n", "proc/self/cgroup": "0::/\n",
        "proc/self/mountinfo": V2_MOUNTS, "sys/fs/cgroup/memory.max": f"{8 << 30}\n",
        "sys/fs/cgroup/memory.current": "0\n",
    })  # fmt: skip
    assert read_memory(root) == MemoryFacts(1000 * 1024, 10 * 1024)


def test_an_old_kernel_does_not_tell_what_is_available(tmp_path: Path) -> None:
    """Unknown is None, never 0."""
    root = plant(tmp_path, {"proc/meminfo": "MemTotal: 1000 kB\nMemFree: 10 kB\n"})
    assert read_memory(root) == MemoryFacts(1000 * 1024, None)
