"""One measuring run at a time on a machine."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "breakeven.lock"


@contextmanager
def machine_lock(waiting: Callable[[], object], folder: Path | None = None) -> Iterator[bool]:
    """Hold the machine for the length of the block; wait, and say so, while another run has it.

    The system lets go of the lock when its holder ends, however it ends.

    Parameters
    ----------
    waiting : callable
        Called once before waiting.

    Yields
    ------
    bool
        False where the system offers no lock (no permission in the temporary folder).
    """
    path = (folder or Path(tempfile.gettempdir())) / NAME
    descriptor = _open(path)
    if descriptor is None:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield True
    finally:
        os.close(descriptor)


def _open(path: Path) -> int | None:
    # A lock needs no right to write. An existing file is opened as it is: systems refuse to
    # "create" a file of somebody else's in a shared temporary folder.
    for flags in (os.O_RDONLY, os.O_RDONLY | os.O_CREAT):
        try:
            # Not to wait for a writer, should somebody have put a pipe there.
            return os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
        except OSError:
            continue
    return None
