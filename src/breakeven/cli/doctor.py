"""``breakeven doctor``: what this machine has, what works, and how to mend what does not."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from breakeven.cli import options
from breakeven.cli.progress import Line

if TYPE_CHECKING:
    from breakeven.lab import Ceilings, Examined

SIGNS = {
    "ok": "ok     ",
    "note": "note   ",
    "info": "note   ",
    "warning": "PROBLEM",
    "error": "PROBLEM",
}
WIDTH = 80
INDENT = " " * 8


@click.command("doctor")
@click.option(
    "--measure",
    is_flag=True,
    help="Also measure what each device reaches at best, and keep it for later runs.",
)
@options.store
@options.as_json
def command(*, measure: bool, store: Path | None, as_json: bool) -> int:
    """Say what is wrong with this machine's set-up, with the command that mends it."""
    from breakeven import lab

    line = Line()
    found: tuple[Ceilings, ...] = ()
    path: Path | None = None
    try:
        seen = lab.doctor(line.progress)
        if measure:
            found, path = lab.measure_ceilings(store=store, say=line.say, progress=line.progress)
    finally:
        line.end()
    if as_json:
        import msgspec

        document = {
            "answer": seen.answer,
            "findings": seen.findings,
            "machine": seen.setup.machine,
            "lines": seen.lines,
            "setup": seen.setup,
        } | ({"ceilings": found} if measure else {})
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
        return 0
    for text in _told(seen):
        click.echo(text)
    for text in lab.ceiling_lines(found):
        click.echo(text)
    if path is not None:
        line.say(f"Kept in {path}: later runs on this machine show their share of it.")
    return 0


def _told(seen: Examined) -> list[str]:
    """Return the answer, what is wrong with what mends it, then what is here."""
    told = textwrap.wrap(seen.answer, WIDTH)
    for finding in seen.findings:
        head = f"{SIGNS[finding.severity]} {finding.code} {finding.message or finding.title}"
        told += _wrapped(head)
        if finding.severity != "info" and finding.fix:
            told += _wrapped(f"{INDENT}{finding.fix}")
        # A command stands on a line of its own, unbroken, to be copied.
        told += [f"{INDENT}try: {finding.snippet}"] if finding.snippet else []
    for one in seen.lines:
        told += _wrapped(f"{SIGNS[one.level]} {one.what}: {one.detail}")
        told += _wrapped(f"{INDENT}try: {one.fix}") if one.fix else []
    return told


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False,
        drop_whitespace=True,
    )  # fmt: skip
