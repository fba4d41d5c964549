"""Limits are found at every level of both versions of control groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.machine.cgroup import levels, memory_limits, quota_cores
from machine.trees import V1_CONTAINER_MOUNTS, V1_MOUNTS, V2_MOUNTS, plant

V1 = "sys/fs/cgroup/cpu,cpuacct"
V2 = "sys/fs/cgroup"


def v2(root: Path, path: str, files: dict[str, str]) -> Path:
    """Return a tree of version 2 whose process is in the group at `path`."""
    known = {"proc/self/cgroup": f"0::{path}\n", "proc/self/mountinfo": V2_MOUNTS}
    return plant(root, known | {f"{V2}/{name}": text for name, text in files.items()})


def test_a_machine_without_control_groups_has_no_quota(tmp_path: Path) -> None:
    """Missing files mean no limit, not an error."""
    assert quota_cores(tmp_path) is None
    assert memory_limits(tmp_path) == ()
    assert levels("cpu", tmp_path) == ()


def test_version_2_quota_of_the_own_group(tmp_path: Path) -> None:
    """A quota of 250 ms in 100 ms is 2.5 cores."""
    root = v2(tmp_path, "/job", {"job/cpu.max": "250000 100000\n", "cpu.stat": ""})
    assert quota_cores(root) == 2.5


def test_version_2_max_is_no_quota(tmp_path: Path) -> None:
    """The word max means that there is no limit."""
    assert quota_cores(v2(tmp_path, "/job", {"job/cpu.max": "max 100000\n"})) is None


def test_the_tightest_of_nested_quotas_counts(tmp_path: Path) -> None:
    """A quota two levels up holds a group that has none of its own."""
    files = {"slice/cpu.max": "400000 100000\n", "slice/pod/cpu.max": "800000 100000\n",
             "slice/pod/box/cpu.max": "max 100000\n"}  # fmt: skip
    root = v2(tmp_path, "/slice/pod/box", files)
    assert quota_cores(root) == 4.0
    assert [level.folder.name for level in levels("cpu", root)] == ["box", "pod", "slice", "cgroup"]


def test_a_container_with_its_own_namespace_reads_its_root(tmp_path: Path) -> None:
    """Inside a namespace the own group is the mount itself, told as a single slash."""
    assert quota_cores(v2(tmp_path, "/", {"cpu.max": "150000 100000\n"})) == 1.5


def test_a_path_outside_the_namespace_falls_back_to_the_mount(tmp_path: Path) -> None:
    """A path with two dots leads out of what is mounted, so the mount is read."""
    assert quota_cores(v2(tmp_path, "/../../other", {"cpu.max": "300000 100000\n"})) == 3.0


def test_version_1_quota(tmp_path: Path) -> None:
    """Version 1 keeps quota and period in two files, found by the controller's mount."""
    root = plant(tmp_path, {
        "proc/self/cgroup": "4:memory:/\n1:cpu,cpuacct:/batch\n0::/\n", "proc/self/mountinfo": V1_MOUNTS,
        f"{V1}/batch/cpu.cfs_quota_us": "400000\n", f"{V1}/batch/cpu.cfs_period_us": "100000\n",
        f"{V1}/cpu.cfs_quota_us": "-1\n", f"{V1}/cpu.cfs_period_us": "100000\n",
    })  # fmt: skip
    assert quota_cores(root) == 4.0


def test_version_1_minus_one_is_no_quota(tmp_path: Path) -> None:
    """Version 1 writes -1 where there is no limit."""
    root = plant(tmp_path, {
        "proc/self/cgroup": "1:cpu,cpuacct:/\n", "proc/self/mountinfo": V1_MOUNTS,
        f"{V1}/cpu.cfs_quota_us": "-1\n", f"{V1}/cpu.cfs_period_us": "100000\n",
    })  # fmt: skip
    assert quota_cores(root) is None


def test_version_1_container_mounts_its_group_as_the_tree(tmp_path: Path) -> None:
    """The path is told from the host's tree, the mount shows from the group down."""
    root = plant(tmp_path, {
        "proc/self/cgroup": "1:cpu,cpuacct:/docker/4f1c\n4:memory:/docker/4f1c\n",
        "proc/self/mountinfo": V1_CONTAINER_MOUNTS,
        f"{V1}/cpu.cfs_quota_us": "200000\n", f"{V1}/cpu.cfs_period_us": "100000\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "4294967296\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "1073741824\n",
        "sys/fs/cgroup/memory/memory.stat": "cache 5\ntotal_inactive_file 536870912\n",
    })  # fmt: skip
    assert quota_cores(root) == 2.0
    assert memory_limits(root) == ((4 << 30, (3 << 30) + (1 << 29)),)


def test_version_1_writes_a_huge_number_for_no_memory_limit(tmp_path: Path) -> None:
    """Nearly 2**63 bytes is not a limit."""
    root = plant(tmp_path, {
        "proc/self/cgroup": "4:memory:/\n", "proc/self/mountinfo": V1_MOUNTS,
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    })  # fmt: skip
    assert memory_limits(root) == ()


def test_version_2_memory_counts_idle_file_pages_as_free(tmp_path: Path) -> None:
    """Pages of files that nobody touched are given up first, so they count as left."""
    root = v2(tmp_path, "/job", {"job/memory.max": "1000\n", "job/memory.current": "900\n",
                                 "job/memory.high": "max\n", "job/memory.stat": "anon 1\ninactive_file 300\n"})  # fmt: skip
    assert memory_limits(root) == ((1000, 400),)


def test_a_throttling_limit_counts_as_a_limit(tmp_path: Path) -> None:
    """Above memory.high the kernel slows a group down: what lies above cannot be used."""
    root = v2(tmp_path, "/job", {"job/memory.max": "1000\n", "job/memory.high": "800\n",
                                 "job/memory.current": "900\n"})  # fmt: skip
    assert memory_limits(root) == ((800, 0),)


@pytest.mark.parametrize("text", ["", "\n", "abc 100000", "100000 0", "-5 100000"])
def test_unreadable_quotas_are_no_quota(tmp_path: Path, text: str) -> None:
    """A malformed quota is left out instead of ending the run."""
    assert quota_cores(v2(tmp_path, "/job", {"job/cpu.max": text})) is None
