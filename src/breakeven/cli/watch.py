"""``breakeven watch``: any command under the sensors."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from breakeven.cli import options, streams

if TYPE_CHECKING:
    from breakeven.lab import Result

DEFAULT_REPORT = Path("breakeven-watch.html")


@click.command("watch", context_settings={"allow_interspersed_args": False})
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND...", type=click.UNPROCESSED)
@click.option(
    "--interval",
    type=float,
    default=0.1,
    show_default=True,
    metavar="SECONDS",
    help="Between readings of what changes quickly; the rest is read every tenth time.",
)
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="From SIGTERM, or a second Ctrl-C, to SIGKILL; 0 never kills.",
)
@click.option(
    "--all", "to_the_last", is_flag=True, help="Watch until everything that it started has ended."
)
@click.option(
    "--report",
    type=options.EXISTING_OR_NOT,
    help=f"Where the HTML report goes.  [default: {DEFAULT_REPORT}]",
)
@click.option("--no-report", is_flag=True, help="Write no report.")
@options.store
@options.as_json
def command(
    *,
    words: tuple[str, ...],
    interval: float,
    grace: float,
    to_the_last: bool,
    report: Path | None,
    no_report: bool,
    store: Path | None,
    as_json: bool,
) -> int:
    """Run a command under the sensors: CPU, memory, GPU, power, energy, over time.

    The command keeps the terminal; its exit code is passed through (128 and the signal's number
    where a signal ended it; 127: no such command; 126: it cannot be started). What was read is
    printed to stderr when it has ended, stored, and written as one HTML report.
    """
    from breakeven import lab
    from breakeven.engine.processes import deaf_to_interrupts
    from breakeven.errors import InputError

    if report is not None and no_report:
        raise InputError("--report and --no-report cannot be kept both", "leave one out")
    if report is not None and not report.absolute().parent.is_dir():
        raise InputError(f"the folder of {report} does not exist", "make it, or choose another")
    # One JSON document alone goes to stdout: the command's own words then go to stderr.
    asked = lab.WatchOptions(
        interval_s=interval,
        grace_s=grace,
        to_the_last=to_the_last,
        output={1: 2} if as_json else {},
    )
    found = lab.watch_command(words, asked, command=("watch", *sys.argv[2:]), store=store, say=_say)
    # The command has ended: a Ctrl-C that was meant for it shall not hide what it used.
    with deaf_to_interrupts():
        # Nobody may read what is printed: the exit code is the command's all the same.
        with contextlib.suppress(OSError, SystemExit):
            _show(found.result, as_json=as_json)
        _write(found.result, None if no_report else report or DEFAULT_REPORT)
    return found.exit_code


def _show(result: Result, *, as_json: bool) -> None:
    from rich.console import Console

    from breakeven import lab

    if as_json:
        click.echo(lab.text_of(result.record, "json"), nl=False)
    lab.show(result.record, Console(stderr=True, highlight=False), "--report FILE")


def _write(result: Result, report: Path | None) -> None:
    from breakeven.errors import BreakevenError

    if result.problem:
        _say(f"not everything could be stored: {result.problem}")
    if report is not None:
        try:
            result.report(report)
            streams.say(f"Report: {report}")
        except BreakevenError as error:
            _say(str(error))
    if result.path is not None:
        streams.say(f"Stored as {result.record.id}")


def _say(text: str) -> None:
    streams.say(f"breakeven: {text}")
