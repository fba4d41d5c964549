"""Standard streams as they are found: closed, full, or with a reader that has gone."""

from __future__ import annotations

import contextlib
import errno
import os
import sys

import click

STREAMS = {0: ("stdin", "r"), 1: ("stdout", "w"), 2: ("stderr", "w")}
# What the system may refuse to any program, wherever it happens.
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
SHORT = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}


def open_closed() -> None:
    """Let a stream that is closed lead nowhere.

    Else the next file that is opened, a journal say, would take its number and what is printed.
    """
    for number, (name, mode) in STREAMS.items():
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115  it stays open


def say(text: str, *, nl: bool = True) -> None:
    """Print a line for people on stderr; where it cannot be, the work goes on without."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True, nl=nl)


def refusal(error: OSError) -> tuple[str, int] | None:
    """Return what to say, with the exit code, where the system refused what all programs need."""
    if error.errno in FULL:
        return f"the output cannot be written: {error.strerror}; write it elsewhere", 2
    if error.errno in SHORT:
        return f"the system refuses: {error.strerror}; raise the limit (ulimit -a), or wait", 3
    return None


def flush() -> OSError | None:
    """Write what waits for stdout; return why that failed, with nothing left for the exit."""
    try:
        sys.stdout.flush()
    except OSError as error:
        leads_nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(leads_nowhere, 1)
        os.close(leads_nowhere)
        return error
    return None
