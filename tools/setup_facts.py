"""What a computer has: its Python, the libraries in it, an NVIDIA driver."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

CUPY = ("cupy", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x")
_CUDA_LINE = re.compile(r"CUDA Version:\s*(\d+)\.(\d+)")
_TORCH_CUDA = re.compile(r"^cuda\b[^=]*=\s*(?:'([\d.]+)'|None)", re.MULTILINE)


@dataclass(frozen=True)
class Library:
    """An installed distribution.

    `folder` is the site-packages that holds it; `cuda` is the CUDA major version that a PyTorch
    was built for, None for a build without.
    """

    name: str
    version: str
    folder: Path
    cuda: int | None = None


@dataclass(frozen=True)
class Facts:
    """What decides how the environment is made.

    `cuda` is the newest CUDA that the driver serves, such as (13, 0), None without a driver.
    `libraries` are those of the Python that runs this, by distribution name; `present` are the
    names of what an unfinished environment already holds.
    """

    python: tuple[int, int] = sys.version_info[:2]
    platform: str = sys.platform
    cuda: tuple[int, int] | None = None
    libraries: dict[str, Library] = field(default_factory=dict)
    present: frozenset[str] = frozenset()
    has_ensurepip: bool = True
    has_pip: bool = True


def gather(venv: Path) -> Facts:
    """Look at this computer, and at what `venv` holds of an earlier call."""
    return Facts(
        present=installed_names(venv),
        cuda=driver_cuda(),
        libraries=find_libraries(["torch", *CUPY]),
        has_ensurepip=importlib.util.find_spec("ensurepip") is not None,
        has_pip=importlib.util.find_spec("pip") is not None,
    )


def driver_cuda() -> tuple[int, int] | None:
    """Return the newest CUDA that the NVIDIA driver serves; None without a driver or a GPU."""
    asked = _ask_nvml()
    if asked is not None:
        return asked
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    try:
        done = subprocess.run([program], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_nvidia_smi(done.stdout) if done.returncode == 0 else None


def parse_nvidia_smi(text: str) -> tuple[int, int] | None:
    """Return the CUDA version that nvidia-smi's table names."""
    match = _CUDA_LINE.search(text)
    return None if match is None else (int(match.group(1)), int(match.group(2)))


def split_cuda(number: int) -> tuple[int, int]:
    """Return (major, minor) of a version as the driver counts: 13020 is 13.2."""
    return number // 1000, number % 1000 // 10


def find_libraries(names: Iterable[str], path: Sequence[str] | None = None) -> dict[str, Library]:
    """Return those of `names` that are installed on `path`, without importing them."""
    places = [str(p) for p in (sys.path if path is None else path) if p]
    found = {}
    for name in names:
        for dist in metadata.distributions(name=name, path=places):
            folder = Path(str(dist.locate_file("")))
            cuda = torch_cuda(dist.version, folder) if name == "torch" else None
            found[name] = Library(name, dist.version, folder, cuda)
            break
    return found


def installed_names(venv: Path) -> frozenset[str]:
    """Return the names of the distributions in an environment's own folder."""
    path = [str(site) for site in venv.glob("lib/python*/site-packages")]
    names = (dist.metadata["Name"] for dist in metadata.distributions(path=path))
    return frozenset(re.sub(r"[-_.]+", "-", name).lower() for name in names if name)


def torch_cuda(version: str, folder: Path) -> int | None:
    """Return the CUDA major version that the PyTorch in `folder` was built for."""
    try:
        text = (folder / "torch/version.py").read_text(encoding="utf-8")
    except OSError:
        local = re.search(r"\+cu(\d\d)", version)
        return int(local.group(1)) if local else None
    match = _TORCH_CUDA.search(text)
    return int(match.group(1).split(".")[0]) if match and match.group(1) else None


def _ask_nvml() -> tuple[int, int] | None:
    """Ask the driver's management library, if it is there and knows a device."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    if nvml.nvmlInit_v2() != 0:
        return None
    try:
        number, count = ctypes.c_int(0), ctypes.c_uint(0)
        told = nvml.nvmlSystemGetCudaDriverVersion_v2(ctypes.byref(number)) == 0
        counted = nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == 0
    finally:
        nvml.nvmlShutdown()
    return split_cuda(number.value) if told and counted and count.value > 0 else None
