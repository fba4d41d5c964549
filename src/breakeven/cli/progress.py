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
        """Show what is measured now, with the time that the run may still take.

        Parameters
        ----------
        left_s : float
            Seconds; 0 where nothing is known of them, fewer where more passed than announced.
        """
        left = _left(left_s)
        if self._verbose:
            streams.say(f"{time.monotonic() - self._began:7.1f} s  {text}")
            return
        if self._live:
            line = f"{text}{left}"[:WIDTH]
            streams.say("\r" + line.ljust(len(self._shown)), nl=False)
            self._shown = line
            return
        stage = text.partition(":")[0]
        if stage != self._last_stage:
            self._last_stage = stage
            streams.say(f"{stage}{left}")

    def end(self) -> None:
        """Take the line away."""
        if self._live and self._shown:
            streams.say("\r" + " " * len(self._shown) + "\r", nl=False)
            self._shown = ""


def _left(seconds: float) -> str:
    """Return what is left, in parentheses; nothing where that is not known."""
    if seconds >= 1:
        return f" (at most {units.about(seconds)} left)"
    if seconds > 0:
        return " (nearly done)"
    return f" ({units.about(-seconds)} longer than announced)" if seconds <= -1 else ""
