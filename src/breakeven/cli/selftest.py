"""``breakeven selftest``: is this machine, with this tool, fit to be believed?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from breakeven.cli import options, streams
from breakeven.cli.progress import Line

CODES = {"fit": 0, "not_fit": 1, "unknown": 3}
INTERRUPTED = 130


def _listed(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> list[str] | None:
    return None if value is None else [v.strip() for v in value.split(",") if v.strip()]


@click.command("selftest")
@click.option("--quick", is_flag=True, help="Under 30 s: only larger differences can be told.")
@click.option("--budget", metavar="TIME", help="Time that the rounds may take: 60s, 3m.")
@click.option(
    "--backends",
    callback=_listed,
    metavar="LIST",
    help="Of numpy,torch-cpu,cupy,torch-cuda,scripted:FILE.  "
    "[default: numpy with the GPU libraries that work, or with torch-cpu]",
)
@click.option("--verbose", "-v", is_flag=True, help="Print every step with its time.")
@options.store
@options.as_json
def command(
    *,
    quick: bool,
    budget: str | None,
    backends: list[str] | None,
    verbose: bool,
    store: Path | None,
    as_json: bool,
) -> int:
    """Try this machine on work whose answer is known: may its figures be believed?

    The same code is measured twice, work is repeated 11 and 12 times in place of 10, clocks are
    held against others. Exit code 0: fit; 1: something failed; 3: it could not be told.
    """
    from breakeven import lab

    line = Line(verbose=verbose)
    asked = lab.SelfTestOptions(quick=quick, budget=budget, backends=backends)
    words = ("selftest", *sys.argv[2:]) if len(sys.argv) > 1 else ("selftest",)
    try:
        tried = lab.start_selftest(
            asked, command=words, store=store, say=line.say, progress=line.progress
        )
    finally:
        line.end()
    if as_json:
        click.echo(lab.selftest_json(tried.selftest), nl=False)
    click.echo(lab.selftest_text(tried.selftest), nl=False, err=as_json)
    if tried.problem:
        streams.say(f"breakeven: it could not be stored: {tried.problem}")
    if tried.path is not None:
        streams.say(f"Stored as {tried.path}")
    return INTERRUPTED if tried.selftest.interrupted else CODES[tried.selftest.fit]
