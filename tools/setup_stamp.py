"""The mark that a finished environment carries."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

NAME = "breakeven-setup.json"
_DRIVER = Path("/proc/driver/nvidia/version")
_SOURCES = ("pyproject.toml", "constraints.txt")


def key_of(root: Path, torch: str) -> str:
    """Return a text that changes when the environment would be made otherwise.

    It covers the project's requirements, these scripts, the Python, the GPU driver and the wish
    for a PyTorch of one's own.
    """
    mixed = hashlib.sha256()
    for path in (*(root / name for name in _SOURCES), *sorted(root.glob("tools/setup*.py"))):
        mixed.update(path.read_bytes() if path.is_file() else b"-")
    driver = _DRIVER.read_bytes() if _DRIVER.is_file() else b"-"
    for part in (driver, sys.version.encode(), os.fsencode(sys.executable), torch.encode()):
        mixed.update(part + b"\0")
    return mixed.hexdigest()


def is_ready(venv: Path, key: str, *, dev: bool) -> bool:
    """Tell whether `venv` was finished for this key; with `dev`, with the gate's tools too."""
    # A Python that was upgraded away leaves a link to nothing, for which exists() is False.
    if not all((venv / "bin" / name).exists() for name in ("python", "breakeven")):
        return False
    try:
        mark = json.loads((venv / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(mark, dict) and mark.get("key") == key and (bool(mark.get("dev")) or not dev)


def write(venv: Path, key: str, *, dev: bool) -> None:
    """Mark `venv` as finished."""
    text = json.dumps({"key": key, "dev": dev, "python": sys.executable})
    (venv / NAME).write_text(text + "\n", encoding="utf-8")


def maker_of(venv: Path, prefix: Path) -> str | None:
    """Return the Python that made `venv`, when the one that runs now is the environment's own.

    Somebody who has activated the environment calls its Python; what must be compared with the
    mark is the Python below.
    """
    if not venv.is_dir() or prefix.resolve() != venv.resolve():
        return None
    try:
        maker = json.loads((venv / NAME).read_text(encoding="utf-8")).get("python")
    except (OSError, ValueError, AttributeError):
        return None
    return maker if isinstance(maker, str) and Path(maker).exists() else None


def remove(venv: Path) -> None:
    """Take the mark away before anything is changed, so that a half-made one has none."""
    (venv / NAME).unlink(missing_ok=True)
