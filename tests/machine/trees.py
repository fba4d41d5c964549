"""Small /proc and /sys trees, written from recorded text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

V1_MOUNTS = """\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
"""
V2_MOUNTS = "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev - cgroup2 cgroup2 rw,nsdelegate\n"
# A container that sees its own group as the whole tree, under a path told from the host's.
V1_CONTAINER_MOUNTS = """\
700 650 0:29 /docker/4f1c /sys/fs/cgroup/cpu,cpuacct ro,nosuid - cgroup cgroup rw,cpu,cpuacct
703 650 0:32 /docker/4f1c /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory
"""
MEMINFO = """\
MemTotal:       131924012 kB
MemFree:         9082172 kB
MemAvailable:   120004332 kB
HugePages_Total:       0
"""


def plant(root: Path, files: Mapping[str, str]) -> Path:
    """Write `files` under `root`; return it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
