"""Torchrun's own launcher, in a process that ends with the one that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
STARTED_BY = "BREAKEVEN_STARTED_BY"


def die_with_parent(signal_number: int = signal.SIGKILL) -> None:
    """Have the system send this process a signal when its parent ends; Linux alone can."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal_number)


def main() -> None:
    """Run torchrun with this process's arguments."""
    # A signal that it can handle: it then ends the processes that it has started.
    die_with_parent(signal.SIGTERM)
    started_by = os.environ.get(STARTED_BY)
    if started_by is not None and os.getppid() != int(started_by):
        # It ended before the line above took hold.
        return
    from torch.distributed.run import main as torchrun

    torchrun(sys.argv[1:])


if __name__ == "__main__":
    main()
