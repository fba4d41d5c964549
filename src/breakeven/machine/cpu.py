"""The processor, and how much of it this process may use."""

from __future__ import annotations

import math
import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

import psutil

from breakeven.machine.cgroup import ROOT, quota_cores, read_text
from breakeven.model.machine import Cpu

_CPUS = "sys/devices/system/cpu"
# What numerical libraries choose their kernels by.
_FEATURES = frozenset(
    "sse4_2 avx fma f16c avx2 avx_vnni avx512f avx512dq avx512bw avx512vl avx512_vnni avx512_bf16 "
    "avx512_fp16 amx_tile amx_int8 amx_bf16 amx_fp16 "
    "asimd asimdhp asimddp fphp sve sve2 i8mm bf16 svebf16 sme".split()
)
# Arm cores tell numbers, not names: (implementer, part).
_ARM = {
    ("0x41", "0xd03"): "Arm Cortex-A53",
    ("0x41", "0xd08"): "Arm Cortex-A72",
    ("0x41", "0xd0b"): "Arm Cortex-A76",
    ("0x41", "0xd0c"): "Arm Neoverse-N1",
    ("0x41", "0xd40"): "Arm Neoverse-V1",
    ("0x41", "0xd42"): "Arm Cortex-A78AE",
    ("0x41", "0xd49"): "Arm Neoverse-N2",
    ("0x41", "0xd4f"): "Arm Neoverse-V2",
    ("0x41", "0xd84"): "Arm Neoverse-V3",
    ("0xc0", "0xac3"): "Ampere-1",
}
_MAKERS = {
    "qemu": "qemu",
    "kvm": "kvm",
    "amazon ec2": "amazon ec2",
    "google": "google compute engine",
    "microsoft corporation": "hyper-v",
    "vmware": "vmware",
    "innotek": "virtualbox",
    "xen": "xen",
    "parallels": "parallels",
}


def read_cpu(root: Path = ROOT, affinity: Iterable[int] | None = None) -> Cpu:
    """Return the processor of this machine and this process's share of it.

    Parameters
    ----------
    root : Path
        Where ``/proc`` and ``/sys`` hang; another folder in tests.
    affinity : iterable of int, optional
        Logical CPUs that the process may run on; asked of the system when not given.

    Returns
    -------
    Cpu
        What the system does not tell is None or empty, never guessed.
    """
    allowed = tuple(sorted(_affinity() if affinity is None else affinity))
    quota = quota_cores(root)
    if not sys.platform.startswith("linux") and root == ROOT:
        return _portable(allowed)
    info = read_text(root / "proc/cpuinfo") or ""
    online = (
        parse_cpu_list(read_text(root / _CPUS / "online") or "") or _processors(info) or allowed
    )
    flags = _flags(info)
    return Cpu(
        model=_model(info, root),
        cores_online=len(online),
        cores_physical=_physical(online, info, root),
        affinity=allowed,
        quota_cores=quota,
        cores_usable=cores_usable(len(allowed), quota),
        features=tuple(sorted(flags & _FEATURES)),
        caches_bytes=_caches(root / _CPUS / f"cpu{allowed[0] if allowed else 0}" / "cache"),
        last_caches_bytes=_last_caches(root / _CPUS, allowed),
        governor=read_text(root / _CPUS / "cpu0/cpufreq/scaling_governor"),
        virtual=_virtual(flags, root),
    )


def cores_usable(affinity: int, quota: float | None) -> int:
    """Return how many threads can run at once without being stopped by the quota.

    A quota is rounded down: with 2.5 cores' worth of time, three busy threads spend it before
    the period ends, and all of them then stand still until the next one. Times taken across
    such a stop fall into two states, which no repeat averages away.
    """
    # A quota written as 3.999 means 4.
    whole = affinity if quota is None else math.floor(quota + 0.01)
    return max(1, min(affinity, whole))


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """Return the numbers of a kernel list such as ``"0-3,8"``; empty when it is malformed."""
    numbers: list[int] = []
    for part in text.replace("\n", ",").split(","):
        first, _, last = part.strip().partition("-")
        if not first:
            continue
        if not first.isdigit() or (last and not last.isdigit()):
            return ()
        numbers.extend(range(int(first), int(last or first) + 1))
    return tuple(numbers)


def _affinity() -> Iterable[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return range(os.cpu_count() or 1)


def _portable(allowed: tuple[int, ...]) -> Cpu:
    """Return what psutil knows, for systems without ``/proc``."""
    return Cpu(
        model=platform.processor() or None,
        cores_online=psutil.cpu_count(logical=True) or len(allowed),
        cores_physical=psutil.cpu_count(logical=False),
        affinity=allowed,
        quota_cores=None,
        cores_usable=max(1, len(allowed)),
    )


def _values(info: str, *keys: str) -> list[str]:
    """Return the values of `keys` in the order of the lines of cpuinfo."""
    found = []
    for line in info.splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip() in keys and value.strip():
            found.append(value.strip())
    return found


def _processors(info: str) -> tuple[int, ...]:
    return tuple(int(v) for v in _values(info, "processor") if v.isdigit())


def _model(info: str, root: Path) -> str | None:
    for name in _values(info, "model name", "Model Name"):
        return " ".join(name.split())
    implementer, part = _values(info, "CPU implementer"), _values(info, "CPU part")
    if implementer and part:
        return _ARM.get((implementer[0], part[0]), f"Arm core {implementer[0]}:{part[0]}")
    # IBM machines call it "cpu"; small boards describe themselves in the device tree.
    for name in _values(info, "cpu", "Hardware"):
        return name
    board = read_text(root / "proc/device-tree/model")
    return board.strip("\0 ") or None if board else None


def _flags(info: str) -> set[str]:
    for flags in _values(info, "flags", "Features"):
        return set(flags.split())
    return set()


def _physical(online: Iterable[int], info: str, root: Path) -> int | None:
    """Count cores, not their hardware threads."""
    siblings = {
        text
        for cpu in online
        if (text := read_text(root / _CPUS / f"cpu{cpu}" / "topology/thread_siblings_list"))
    }
    if siblings:
        return len(siblings)
    packages, cores = _values(info, "physical id"), _values(info, "core id")
    pairs = set(zip(packages, cores, strict=False))
    return len(pairs) or None


def _caches(folder: Path) -> dict[str, int]:
    """Return the caches that one CPU sees, bytes, by level and kind: ``L1d``, ``L2``."""
    sizes: dict[str, int] = {}
    for index in sorted(folder.glob("index*")):
        level, kind = read_text(index / "level"), read_text(index / "type")
        size = _kernel_size(read_text(index / "size") or "")
        if level and size:
            suffix = {"Data": "d", "Instruction": "i"}.get(kind or "", "")
            sizes[f"L{level}{suffix}"] = size
    return sizes


def _last_caches(folder: Path, allowed: tuple[int, ...]) -> int | None:
    """Return the bytes of all last-level caches of some CPUs, each counted once.

    CPUs that share one name the same list of CPUs.
    """
    groups: dict[str, int] = {}
    for cpu in allowed:
        last, found = 0, None
        for index in sorted((folder / f"cpu{cpu}" / "cache").glob("index*")):
            level, size = read_text(index / "level") or "", read_text(index / "size") or ""
            here, kind = _kernel_size(size), read_text(index / "type")
            if level.isdigit() and int(level) >= last and here and kind != "Instruction":
                last, found = int(level), (read_text(index / "shared_cpu_list") or "", here)
        if found is not None:
            groups[found[0]] = found[1]
    return sum(groups.values()) or None


def _kernel_size(text: str) -> int | None:
    scale = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:], 1)
    digits = text.rstrip("KMG")
    return int(digits) * scale if digits.isdigit() else None


def _virtual(flags: set[str], root: Path) -> str | None:
    """Return what this machine runs inside; None when nothing says so."""
    inside = []
    maker = " ".join(
        text
        for name in ("sys_vendor", "product_name")
        if (text := read_text(root / "sys/class/dmi/id" / name))
    ).lower()
    hypervisor = read_text(root / "sys/hypervisor/type")
    if "hypervisor" in flags or hypervisor:
        named = next((name for key, name in _MAKERS.items() if key in maker), None)
        inside.append(named or hypervisor or "virtual machine")
    if (root / ".dockerenv").exists() or (root / "run/.containerenv").exists():
        inside.append("container")
    return ", ".join(inside) or None
