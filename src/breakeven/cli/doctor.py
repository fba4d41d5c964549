"""``breakeven doctor``: what this machine has, what works, and how to mend what does not."""

from __future__ import annotations

import click

from breakeven.cli import options
from breakeven.cli.progress import Line

SIGNS = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}


@click.command("doctor")
@options.as_json
def command(*, as_json: bool) -> int:
    """Say what this machine has, which backends work, and how to mend those that do not."""
    from breakeven import lab

    line = Line()
    try:
        machine, lines = lab.doctor(line.progress)
    finally:
        line.end()
    if as_json:
        import msgspec

        document = {"machine": machine, "lines": lines}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
        return 0
    problems = sum(x.level == "problem" for x in lines)
    click.echo("Nothing is broken here." if not problems else f"{problems} thing(s) need mending.")
    for one in lines:
        click.echo(f"{SIGNS[one.level]} {one.what}: {one.detail}")
        if one.fix:
            click.echo(f"        try: {one.fix}")
    return 0
