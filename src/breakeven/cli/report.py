"""``breakeven report``: a stored run again, as a page, text, or picture."""

from __future__ import annotations

from pathlib import Path

import click

from breakeven.cli import options


@click.command("report")
@click.argument("name", metavar="[RUN]", default="last")
@click.option("--html", type=options.EXISTING_OR_NOT, help="Write the HTML report to this file.")
@click.option("--format", "form", type=click.Choice(["md", "csv", "json"]), help="Print as text.")
@click.option("--plot", type=options.EXISTING_OR_NOT, help="Draw a picture: .png or .svg.")
@click.option("--workload", help="Which workload to draw.  [default: the first]")
@click.option("--judge-again", is_flag=True, help="Judge anew instead of showing what is stored.")
@options.store
@options.as_json
def command(
    *,
    name: str,
    html: Path | None,
    form: str | None,
    plot: Path | None,
    workload: str | None,
    judge_again: bool,
    store: Path | None,
    as_json: bool,
) -> int:
    """Show a stored run again: RUN is an id, the start of one, `last`, or a path to a document.

    Without an option it is printed as `breakeven run` printed it.
    """
    from breakeven import lab
    from breakeven.errors import InputError

    if as_json and form not in {None, "json"}:
        raise InputError(f"--json prints no {form}", "leave out --json or --format")
    record = lab.load(name, store)
    if judge_again:
        record = lab.judged(record)
    result = lab.Result(record=record)
    if html is not None:
        click.echo(f"Report: {result.report(html)}", err=True)
    if plot is not None:
        click.echo(f"Picture: {result.plot(plot, workload)}", err=True)
    if as_json or form is not None:
        click.echo(lab.text_of(record, form or "json"), nl=False)
    elif html is None and plot is None:
        from rich.console import Console

        lab.show(record, Console(highlight=False))
    return 0
