"""Whether a library is installed, told without importing it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

DRIVER_FILES = (Path("/dev/nvidiactl"), Path("/proc/driver/nvidia/version"), Path("/dev/dxg"))


def installed(module: str) -> bool:
    """Tell whether `module` can be found for import."""
    return find_spec(module) is not None


def version_of(*distributions: str) -> str | None:
    """Return the version of the first of `distributions` that is installed."""
    for name in distributions:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return None


def driver_present(files: tuple[Path, ...] = DRIVER_FILES) -> bool:
    """Tell whether an NVIDIA driver has left its marks on this system (WSL's bridge too)."""
    return any(f.exists() for f in files)


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, or its type where it has none."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0].strip()}" if lines else type(error).__name__


def first_cause(error: BaseException) -> BaseException:
    """Return what went wrong first: ending a capture that failed fails as well, less tellingly."""
    while error.__context__ is not None:
        error = error.__context__
    return error
