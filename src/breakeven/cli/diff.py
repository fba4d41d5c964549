"""``breakeven diff``: what changed between two stored runs."""

from __future__ import annotations

from pathlib import Path

import click

from breakeven.cli import options

SLOWER, NOTHING = 1, 3


@click.command("diff")
@click.argument("a")
@click.argument("b")
@options.store
@options.as_json
def command(*, a: str, b: str, store: Path | None, as_json: bool) -> int:
    """Say what changed from stored run A to stored run B, case by case.

    A and B are ids, starts of ids, `last`, or paths to documents. The ratio is the time of A over
    that of B: over 1, B is faster.

    Exit codes: 0 nothing is proven slower, 1 a case is, 2 a run cannot be read, 3 no case could be
    judged (two machines, other settings, too few rounds).
    """
    from breakeven import lab

    found = lab.diff(a, b, store)
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=1).decode())
    else:
        click.echo(lab.diff_text(found), nl=False)
    words = {change.word for change in found.changes}
    if "slower" in words:
        return SLOWER
    return NOTHING if words == {"withheld"} else 0
