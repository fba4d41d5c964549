"""The set-up of this computer for GPUs: device files, driver libraries, installed builds."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

from breakeven.machine.cgroup import ROOT, read_text
from breakeven.model.machine import Machine
from breakeven.model.setup import MachineFacts

_VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "CUDA_VERSION",
    "HIP_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
)
_DISTRIBUTIONS = re.compile(r"(cupy(-.+)?|torch|cpuonly|pynvml|nvidia-.+|mkl)")
_SHARED = re.compile(r"(libcuda|libcudart|libnvrtc)\.so\.\d+")
_NVIDIA = "0x10de"
_DISPLAY = "0x03"
_FOLDERS = (
    "usr/lib/x86_64-linux-gnu",
    "usr/lib/aarch64-linux-gnu",
    "usr/lib64",
    "usr/lib/wsl/lib",
    "usr/local/nvidia/lib64",
)


def read_setup(
    machine: Machine,
    root: Path = ROOT,
    environ: Mapping[str, str] | None = None,
    installed: Iterable[metadata.Distribution] | None = None,
) -> MachineFacts:
    """Return the set-up around facts that were read before; no library is loaded.

    Parameters
    ----------
    machine : Machine
        Facts of this computer.
    root : Path
        Where ``/proc``, ``/sys`` and ``/dev`` hang; another folder in tests.
    environ : mapping, optional
        Variables; those of this process when not given.
    installed : iterable of Distribution, optional
        What is installed; asked of this Python when not given.

    Returns
    -------
    MachineFacts
        Without what only the driver or a library can tell.
    """
    given = os.environ if environ is None else environ
    nodes = _nodes(root)
    distributions, installers = _distributions(
        metadata.distributions() if installed is None else installed
    )
    return MachineFacts(
        machine=machine,
        system=_system(read_text(root / "etc/os-release") or ""),
        container=_container(root),
        wsl="microsoft" in (read_text(root / "proc/sys/kernel/osrelease") or "").lower(),
        pci_gpus=_pci(root),
        device_nodes=tuple(f"/dev/{node.name}" for node in nodes),
        closed_nodes=tuple(
            f"/dev/{node.name}" for node in nodes if not os.access(node, os.R_OK | os.W_OK)
        ),
        shared_libraries=_shared(root, given),
        distributions=distributions,
        installers=installers,
        environment={name: given.get(name) for name in _VARIABLES},
    )


def _nodes(root: Path) -> list[Path]:
    """Return the driver's character devices; /dev/nvidia-caps is a folder and no device."""
    found = [*(root / "dev").glob("nvidia*"), root / "dev/dxg"]
    return sorted(node for node in found if node.exists() and not node.is_dir())


def _container(root: Path) -> bool:
    if (root / ".dockerenv").exists() or (root / "run/.containerenv").exists():
        return True
    groups = read_text(root / "proc/1/cgroup") or ""
    return any(word in groups for word in ("docker", "kubepods", "containerd", "libpod"))


def _pci(root: Path) -> tuple[str, ...] | None:
    folder = root / "sys/bus/pci/devices"
    if not folder.is_dir():
        return None
    return tuple(
        sorted(
            device.name
            for device in folder.iterdir()
            if read_text(device / "vendor") == _NVIDIA
            and (read_text(device / "class") or "").startswith(_DISPLAY)
        )
    )


def _shared(root: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of CUDA's libraries in the folders where the loader commonly finds them."""
    folders = [root / folder for folder in _FOLDERS]
    folders += sorted((root / "usr/local").glob("cuda*/lib64"))
    folders += sorted((root / "usr/local").glob("cuda*/targets/*/lib"))
    if root == ROOT:
        words = environ.get("LD_LIBRARY_PATH", "").split(":")
        folders += [Path(word) for word in words if word]
        folders.append(Path(sys.prefix) / "lib")
    names = {
        match.group(0)
        for folder in folders
        if folder.is_dir()
        for file in folder.glob("lib*.so.*")
        if (match := _SHARED.match(file.name))
    }
    return tuple(sorted(names))


def _distributions(
    installed: Iterable[metadata.Distribution],
) -> tuple[dict[str, str], dict[str, str]]:
    versions: dict[str, str] = {}
    installers: dict[str, str] = {}
    for found in installed:
        # A half-removed distribution leaves a folder without a name.
        if "Name" not in found.metadata:
            continue
        name = found.metadata["Name"].lower().replace("_", "-")
        if not _DISTRIBUTIONS.fullmatch(name) or name in versions:
            continue
        versions[name] = found.version
        installer = (found.read_text("INSTALLER") or "").strip()
        if installer:
            installers[name] = installer
    return dict(sorted(versions.items())), dict(sorted(installers.items()))


def _system(text: str) -> str | None:
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "ID":
            return value.strip().strip('"') or None
    return None
