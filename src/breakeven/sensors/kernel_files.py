"""A small file of the kernel that is read again and again."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

MOST_BYTES = 1 << 18


class KernelFile:
    """Stays open: opening it each time would cost more than reading it.

    Parameters
    ----------
    path : Path
        Under ``/proc`` or ``/sys``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        with contextlib.suppress(OSError):  # `there` says so
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    @property
    def there(self) -> bool:
        """Whether it could be opened."""
        return self._descriptor is not None

    def read(self) -> str | None:
        """Return its text now; None where it cannot be read, as when its process has ended."""
        if self._descriptor is None:
            return None
        try:
            return os.pread(self._descriptor, MOST_BYTES, 0).decode(errors="replace")
        except OSError:
            return None

    def close(self) -> None:
        """Close it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def number_in(text: str | None) -> float | None:
    """Return the number that a text is; None where it is none."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return None
