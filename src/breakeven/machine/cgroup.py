"""Control groups: the levels above this process that may limit its CPU time or its memory."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path("/")
# A v1 group without a limit says so with a number near 2**63; nothing real is as large.
_UNLIMITED = 1 << 60


class Level(NamedTuple):
    """One directory of a control group hierarchy.

    Attributes
    ----------
    folder : Path
        Where its files are.
    version : int
        1 or 2.
    """

    folder: Path
    version: int


class MemoryLimit(NamedTuple):
    """A limit on memory, with what is left under it; bytes."""

    limit_bytes: int
    left_bytes: int | None


def read_text(path: Path) -> str | None:
    """Return the text of a small kernel file, stripped; None when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def levels(controller: str, root: Path = ROOT) -> tuple[Level, ...]:
    """Return the group of this process for `controller`, then each group above it.

    Parameters
    ----------
    controller : str
        ``"cpu"`` or ``"memory"``.
    root : Path
        Where ``/proc`` and ``/sys`` hang; another folder in tests.

    Returns
    -------
    tuple of Level
        From the process's own group up to the mount; empty without control groups. A machine
        that mounts both versions has levels of both.
    """
    memberships = _memberships(read_text(root / "proc/self/cgroup") or "")
    mounts = (read_text(root / "proc/self/mountinfo") or "").splitlines()
    found: list[Level] = []
    for line in mounts:
        mount = _mount(line)
        if mount is None:
            continue
        version, controllers, mount_root, point = mount
        key = "" if version == 2 else controller
        if (version == 1 and controller not in controllers) or key not in memberships:
            continue
        inside = _inside(memberships[key], mount_root)
        top = root / point.lstrip("/")
        own = top / inside
        chain = (own, *own.parents)[: len(inside.parts) + 1]
        found.extend(Level(folder, version) for folder in chain if folder.is_dir())
    return tuple(dict.fromkeys(found))


def quota_cores(root: Path = ROOT) -> float | None:
    """Return the tightest CPU quota above this process, in cores; None without one."""
    quotas = [q for q in (_quota(level) for level in levels("cpu", root)) if q is not None]
    return min(quotas, default=None)


def memory_limits(root: Path = ROOT) -> tuple[MemoryLimit, ...]:
    """Return every memory limit above this process, its own group first."""
    limits = (_memory_limit(level) for level in levels("memory", root))
    return tuple(limit for limit in limits if limit is not None)


def _memberships(text: str) -> dict[str, str]:
    """Return the path of this process by controller; ``""`` is the key of version 2."""
    paths: dict[str, str] = {}
    for line in text.splitlines():
        _, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        for name in names.split(","):
            paths[name] = path
    return paths


def _mount(line: str) -> tuple[int, tuple[str, ...], str, str] | None:
    """Return version, controllers, root and mount point of a cgroup line of mountinfo."""
    left, _, right = line.partition(" - ")
    fields, kind = left.split(), right.split()
    if len(fields) < 5 or not kind or kind[0] not in {"cgroup", "cgroup2"}:
        return None
    controllers = tuple(kind[-1].split(","))
    return (2 if kind[0] == "cgroup2" else 1), controllers, fields[3], fields[4]


def _inside(path: str, mount_root: str) -> PurePosixPath:
    """Return where `path` lies under a mount that shows the hierarchy from `mount_root` down.

    A container often mounts its own group as the whole tree, while its path is told from the
    host's tree: the mount itself is then the group.
    """
    clean = PurePosixPath("/" + path.lstrip("/"))
    if ".." in clean.parts:
        return PurePosixPath()
    try:
        return clean.relative_to(PurePosixPath("/" + mount_root.lstrip("/")))
    except ValueError:
        return PurePosixPath()


def _quota(level: Level) -> float | None:
    if level.version == 2:
        words = (read_text(level.folder / "cpu.max") or "").split()
        if not words or words[0] == "max":
            return None
        return _cores(words[0], words[1] if len(words) > 1 else "100000")
    quota = read_text(level.folder / "cpu.cfs_quota_us")
    period = read_text(level.folder / "cpu.cfs_period_us")
    return None if quota is None or period is None else _cores(quota, period)


def _cores(quota: str, period: str) -> float | None:
    try:
        share, length = int(quota), int(period)
    except ValueError:
        return None
    # Version 1 writes -1 for no quota.
    return share / length if share > 0 and length > 0 else None


def _memory_limit(level: Level) -> MemoryLimit | None:
    names: tuple[str, ...]
    if level.version == 2:
        # Above memory.high the kernel slows a group down instead of killing it: no less a limit.
        names, used_name, cache_key = (
            ("memory.max", "memory.high"),
            "memory.current",
            "inactive_file",
        )
    else:
        names, used_name = ("memory.limit_in_bytes",), "memory.usage_in_bytes"
        cache_key = "total_inactive_file"
    limits = [n for n in (_number(level.folder / name) for name in names) if n is not None]
    limits = [n for n in limits if n < _UNLIMITED]
    if not limits:
        return None
    limit, used = min(limits), _number(level.folder / used_name)
    if used is None:
        return MemoryLimit(limit, None)
    # File pages that nobody touched of late are given up first, as in the kernel's MemAvailable.
    cached = _stat(read_text(level.folder / "memory.stat") or "", cache_key)
    return MemoryLimit(limit, max(0, min(limit, limit - used + cached)))


def _number(path: Path) -> int | None:
    text = read_text(path)
    return int(text) if text is not None and text.isdigit() else None


def _stat(text: str, key: str) -> int:
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        if name == key and value.strip().isdigit():
            return int(value)
    return 0
