"""Commands that mend an installation, as they must be typed on this machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from breakeven.model.setup import MachineFacts

_INDEX = "https://download.pytorch.org/whl"
_DRIVERS = {
    "ubuntu": "sudo apt-get update && sudo ubuntu-drivers install && sudo reboot",
    "debian": "sudo apt-get update && sudo apt-get install -y nvidia-driver && sudo reboot",
    "fedora": "sudo dnf install -y akmod-nvidia xorg-x11-drv-nvidia-cuda && sudo reboot",
    "arch": "sudo pacman -Syu nvidia nvidia-utils && sudo reboot",
    "opensuse-tumbleweed": "sudo zypper install -y nvidia-open-driver-G06-signed && sudo reboot",
}


class Wheel(NamedTuple):
    """One line of PyTorch's builds: its tag, CUDA, first and last capability with kernels."""

    tag: str
    cuda: tuple[int, int]
    first: tuple[int, int]
    last: tuple[int, int]


# What PyTorch's release notes name for its Linux builds.
WHEELS = (
    Wheel("cu118", (11, 8), (5, 0), (9, 0)),
    Wheel("cu126", (12, 6), (5, 0), (9, 0)),
    Wheel("cu128", (12, 8), (7, 5), (12, 0)),
    Wheel("cu130", (13, 0), (7, 5), (12, 1)),
)


def version(text: str | None) -> tuple[int, int] | None:
    """Return major and minor of ``"12.4"``; None where it is none."""
    match = re.match(r"(\d+)(?:\.(\d+))?", text or "")
    return None if match is None else (int(match.group(1)), int(match.group(2) or 0))


def capabilities(facts: MachineFacts) -> tuple[tuple[int, int], ...]:
    """Return the compute capability of each GPU that told it."""
    told = (version(gpu.compute_capability) for gpu in facts.machine.gpus)
    return tuple(capability for capability in told if capability is not None)


def wheel_for(
    driver: tuple[int, int] | None, cards: Sequence[tuple[int, int]] = ()
) -> Wheel | None:
    """Return the build of PyTorch that this driver can run and these cards have kernels in.

    A driver runs every CUDA of its own major version and of those before. The newest build that
    is no newer than the driver comes first, as kernels that are compiled at run time need that.
    """
    fits = [w for w in WHEELS if all(w.first <= card <= w.last for card in cards)]
    if driver is None:
        return fits[-1] if fits else None
    newest = max((w.cuda[0] for w in fits if w.cuda[0] <= driver[0]), default=None)
    runs = [w for w in fits if w.cuda[0] == newest]
    within = [w for w in runs if w.cuda <= driver]
    return within[-1] if within else runs[0] if runs else None


def pip(facts: MachineFacts, distribution: str) -> tuple[str, str]:
    """Return what removes and what installs packages where `distribution` came from."""
    if facts.installers.get(distribution) == "uv":
        return "uv pip uninstall", "uv pip install"
    return "pip uninstall -y", "pip install"


def torch_command(facts: MachineFacts) -> str | None:
    """Return what puts a fitting build of PyTorch in place; None where no build fits."""
    wheel = wheel_for(version(facts.machine.cuda_driver), capabilities(facts))
    if wheel is None:
        return None
    if facts.installers.get("torch") == "conda":
        only = " cpuonly" if "cpuonly" in (facts.distributions or {}) else ""
        cuda = ".".join(map(str, wheel.cuda))
        return (
            f"conda remove -y pytorch{only} && "
            f"conda install -y -c conda-forge pytorch-gpu 'cuda-version={cuda}'"
        )
    remove, install = pip(facts, "torch")
    return f"{remove} torch && {install} torch --index-url {_INDEX}/{wheel.tag}"


def cupys(facts: MachineFacts) -> tuple[str, ...]:
    """Return the installed distributions of CuPy itself, none of its plug-ins."""
    pattern = re.compile(r"cupy(-cuda\d+x?|-rocm-[\d-]+)?")
    return tuple(name for name in (facts.distributions or {}) if pattern.fullmatch(name))


def cupy_command(facts: MachineFacts, majors: Sequence[int] = (13, 12, 11)) -> str | None:
    """Return what puts the CuPy of the driver's CUDA in place of all that is installed."""
    driver, old = version(facts.machine.cuda_driver), cupys(facts)
    fits = [major for major in majors if driver is None or major <= driver[0]]
    if not fits:
        return None
    remove, install = pip(facts, old[0] if old else "cupy")
    away = f"{remove} {' '.join(old)} && " if old else ""
    # Only CuPy 13 has wheels for CUDA 11, and those know no [ctk].
    new = f"'cupy-cuda{fits[0]}x[ctk]'" if fits[0] > 11 else "cupy-cuda11x"
    return f"{away}{install} {new}"


def driver_command(facts: MachineFacts) -> str:
    """Return what installs or renews the driver on this system."""
    fallback = "open https://www.nvidia.com/drivers, install the driver named there, then reboot"
    if facts.wsl:
        return "wsl.exe --update && wsl.exe --shutdown"
    return _DRIVERS.get(facts.system or "", fallback)
