"""What is measured now, and how long still: one line on stderr that is written over."""

from __future__ import annotations

import sys
import time

from breakeven import units
from breakeven.cli import streams

WIDTH = 79


class Line:
    """One line of progress; plain lines, and few of them, where stderr is no terminal.

    Parameters
    ----------
    verbose : bool
        Print every step on a line of its own, with the seconds since the start.
    """

    def __init__(self, *, verbose: bool = False) -> None:
        self._live = sys.stderr.isatty() and not verbose
        self._verbose = verbose
        self._began = time.monotonic()
        self._shown = ""
        self._last_stage = ""

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self.end()
        streams.say(text)

    def progress(self, text: str, left_s: float) -> None:
        """Show what is measured now, with the time that the run may still take."""
        left = f"at most {units.about(left_s)} left" if left_s >= 1 else "nearly done"
        if self._verbose:
            streams.say(f"{time.monotonic() - self._began:7.1f} s  {text}")
            return
        if self._live:
            line = f"{text} ({left})"[:WIDTH]
            streams.say("\r" + line.ljust(len(self._shown)), nl=False)
            self._shown = line
            return
        stage = text.partition(":")[0]
        if stage != self._last_stage:
            self._last_stage = stage
            streams.say(f"{stage} ({left})")

    def end(self) -> None:
        """Take the line away."""
        if self._live and self._shown:
            streams.say("\r" + " " * len(self._shown) + "\r", nl=False)
            self._shown = ""
