"""Time that a hypervisor gave to other machines while this one had work to do."""

from __future__ import annotations

from pathlib import Path

STAT = Path("/proc/stat")
TICK_S = 0.01
STEAL_FIELD = 8


def steal_seconds(stat: Path = STAT) -> float | None:
    """Return the CPU seconds stolen since the start of the system, of all CPUs together.

    None where the system does not tell: no ``/proc/stat``, or a line too short to hold them.
    """
    try:
        line = stat.read_text().splitlines()[0].split()
    except (OSError, IndexError):
        return None
    if line[:1] != ["cpu"] or len(line) <= STEAL_FIELD or not line[STEAL_FIELD].isdigit():
        return None
    return int(line[STEAL_FIELD]) * TICK_S
