"""``breakeven compare``: the user's own function on every library that works here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from breakeven.cli import options
from breakeven.cli.progress import Line
from breakeven.cli.run import DEFAULT_REPORT, check_outputs, deliver, listed


@click.command("compare")
@click.argument("target", metavar="FILE.py:FUNC")
@click.option(
    "--inputs",
    metavar="EXPR",
    help="Arguments for a size n, in n, rng, np and names of the file: a tuple in order, a dict "
    "by name.  [default: make_inputs(n, rng) of the file, or the defaults]",
)
@click.option("--sizes", metavar="LIST", help="128,256,512, or 128:8192 (each twice the last).")
@click.option(
    "--backends",
    callback=listed,
    metavar="LIST",
    help="Of numpy,torch-cpu,cupy,torch-cuda,scripted:FILE.  [default: all that work]",
)
@click.option(
    "--policy",
    default="strict",
    show_default=True,
    help="strict: what a library lacks is a failure; bridge: NumPy does it, and it is counted.",
)
@click.option("--xp", is_flag=True, help="The function takes xp, or arrays of any library.")
@click.option("--against", metavar="FILE.py:OTHER", help="Judge a port that was written by hand.")
@click.option("--compile", is_flag=True, help="Also compile the function with PyTorch.")
@click.option("--rtol", type=float, help="Largest error that passes, of the largest value.")
@click.option("--quick", is_flag=True, help="Under 30 s: one round, indicative, no verdict.")
@click.option("--budget", metavar="TIME", help="Time that the run may take: 60s, 10m, 1h.")
@click.option("--rounds", type=int, help="Measure this many rounds at every size.")
@click.option("--seed", type=int, default=42, show_default=True, help="Of data and of the order.")
@click.option("--no-pin", is_flag=True, help="Leave pool threads where the system puts them.")
@click.option(
    "--report",
    type=options.EXISTING_OR_NOT,
    help=f"Where the HTML report goes.  [default: {DEFAULT_REPORT}]",
)
@click.option("--no-report", is_flag=True, help="Write no report.")
@click.option("--plot", type=options.EXISTING_OR_NOT, help="Also draw a picture: .png or .svg.")
@click.option("--verbose", "-v", is_flag=True, help="Print every step with its time.")
@options.store
@options.as_json
def command(
    *,
    report: Path | None,
    no_report: bool,
    plot: Path | None,
    verbose: bool,
    store: Path | None,
    as_json: bool,
    no_pin: bool,
    **asked: Any,  # noqa: ANN401  options of lab.CompareOptions
) -> int:
    """Set your own NumPy function beside itself on other libraries.

    FILE.py:FUNC, or package.module:FUNC, is executed again with an array library in NumPy's place;
    nothing in it changes. Says of each library whether the function ran fully there, whether the
    answer agrees with NumPy's, what it takes, and from which size on it pays.
    """
    from breakeven import lab

    check_outputs(report, plot)
    line = Line(verbose=verbose)
    words = ("compare", *sys.argv[2:]) if len(sys.argv) > 1 else ("compare",)
    try:
        result, interrupted = lab.start_compare(
            lab.CompareOptions(**asked, pin=not no_pin),
            command=words,
            store=store,
            say=line.say,
            progress=line.progress,
        )
    finally:
        line.end()
    wanted = None if no_report else report or DEFAULT_REPORT
    return deliver(result, wanted, plot, interrupted=interrupted, as_json=as_json)
