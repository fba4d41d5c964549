"""``breakeven runs``: what is stored, newest first."""

from __future__ import annotations

import shlex
import textwrap
from pathlib import Path

import click

from breakeven.cli import options

WIDTH = 80


@click.command("runs")
@options.store
@options.as_json
def command(*, store: Path | None, as_json: bool) -> int:
    """List the stored runs, newest first."""
    from breakeven import lab

    found = lab.stored_runs(store)
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=1).decode())
        return 0
    if not found:
        click.echo("No runs are stored yet; breakeven run makes one.")
        return 0
    click.echo(f"{'RUN':<26}{'STATUS':<13}{'CASES':>5}  COMMAND, MACHINE")
    for one in found:
        # A watched command has no cases, whatever it did.
        watched = one.command[:1] == ("watch",)
        cases = "watch" if watched else "-" if one.cases is None else one.cases
        words = shlex.join(one.command) or "-"
        where = ", ".join(x for x in (words, one.machine, one.why) if x)
        head = f"{one.id:<26}{one.status:<13}{cases:>5}  "
        click.echo(
            textwrap.fill(
                where, WIDTH, initial_indent=head, subsequent_indent=" " * len(head),
                break_on_hyphens=False,
            )
        )  # fmt: skip
    return 0
