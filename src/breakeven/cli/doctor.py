"""``breakeven doctor``: what this machine has, what works, and how to mend what does not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from breakeven.cli import options
from breakeven.cli.progress import Line

if TYPE_CHECKING:
    from breakeven.lab import Ceilings

SIGNS = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}


@click.command("doctor")
@click.option(
    "--measure",
    is_flag=True,
    help="Also measure what each device reaches at best, and keep it for later runs.",
)
@options.store
@options.as_json
def command(*, measure: bool, store: Path | None, as_json: bool) -> int:
    """Say what this machine has, which backends work, and how to mend those that do not."""
    from breakeven import lab

    line = Line()
    found: tuple[Ceilings, ...] = ()
    path: Path | None = None
    try:
        machine, lines = lab.doctor(line.progress)
        if measure:
            found, path = lab.measure_ceilings(store=store, say=line.say, progress=line.progress)
    finally:
        line.end()
    if as_json:
        import msgspec

        document = {"machine": machine, "lines": lines} | ({"ceilings": found} if measure else {})
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
        return 0
    problems = sum(x.level == "problem" for x in lines)
    click.echo("Nothing is broken here." if not problems else f"{problems} thing(s) need mending.")
    for one in lines:
        click.echo(f"{SIGNS[one.level]} {one.what}: {one.detail}")
        if one.fix:
            click.echo(f"        try: {one.fix}")
    for text in lab.ceiling_lines(found):
        click.echo(text)
    if path is not None:
        line.say(f"Kept in {path}: later runs on this machine show their share of it.")
    return 0
