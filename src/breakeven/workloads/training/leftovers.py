"""Where PyTorch's processes leave what they do not remove themselves: a folder of our own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

# A loader's processes meet at a socket in a folder of a folder in here; the system takes 107 bytes.
LONGEST_SOCKET, SOCKET = 107, len("/pymp-00000000/listener-00000000")
INDUCTOR = "TORCHINDUCTOR_CACHE_DIR"


def variables(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with which a process leaves nothing outside of `folder`.

    PyTorch keeps what it compiles, torchrun its logs, and a loader that is killed its socket where
    temporary files go. What the user keeps compiled elsewhere stays there.

    Parameters
    ----------
    folder : Path
        Is removed when the run ends, or by the next one if it was killed.
    environment : mapping
        Of this process.
    """
    found = {}
    if len(bytes(folder)) + SOCKET <= LONGEST_SOCKET:
        found["TMPDIR"] = str(folder)
    if INDUCTOR not in environment:
        found[INDUCTOR] = str(folder / "torchinductor")
    return found
