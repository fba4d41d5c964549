"""Main memory that this process may use."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import psutil

from breakeven.machine.cgroup import ROOT, memory_limits, read_text


class MemoryFacts(NamedTuple):
    """Main memory in bytes; None where the system did not say.

    Attributes
    ----------
    total_bytes : int or None
        What is installed, or the tightest limit of a control group if that is less.
    available_bytes : int or None
        What can be had now without swapping, under the same limits.
    """

    total_bytes: int | None
    available_bytes: int | None


def read_memory(root: Path = ROOT) -> MemoryFacts:
    """Return total and available memory of this process.

    Parameters
    ----------
    root : Path
        Where ``/proc`` and ``/sys`` hang; another folder in tests.

    Returns
    -------
    MemoryFacts
        On Linux from ``/proc/meminfo`` and the control groups, elsewhere from psutil.
    """
    text = read_text(root / "proc/meminfo")
    if text is None and not sys.platform.startswith("linux"):
        memory = psutil.virtual_memory()
        return MemoryFacts(int(memory.total), int(memory.available))
    told = _meminfo(text or "")
    limits = memory_limits(root)
    totals = [n for n in (told.get("MemTotal"), *(m.limit_bytes for m in limits)) if n is not None]
    left = [n for n in (told.get("MemAvailable"), *(m.left_bytes for m in limits)) if n is not None]
    return MemoryFacts(min(totals, default=None), min(left, default=None))


def _meminfo(text: str) -> dict[str, int]:
    """Return the lines of meminfo in bytes by name."""
    values: dict[str, int] = {}
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        words = rest.split()
        if len(words) == 2 and words[0].isdigit() and words[1] == "kB":
            values[name] = int(words[0]) * 1024
    return values
