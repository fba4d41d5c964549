"""The peak of this process's resident memory."""

from __future__ import annotations

from pathlib import Path

CLEAR_REFS, STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")


def reset_host_peak() -> bool:
    """Reset the peak of this process's resident memory; False where the system does not let us."""
    try:
        CLEAR_REFS.write_text("5")
    except OSError:
        return False
    return True


def host_peak_bytes() -> int | None:
    """Return the peak of this process's resident memory since it was reset."""
    try:
        lines = STATUS.read_text().splitlines()
    except OSError:
        return None
    return next((int(x.split()[1]) * 1024 for x in lines if x.startswith("VmHWM")), None)
