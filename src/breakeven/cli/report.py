"""``breakeven report``: a stored run again, as a page, text, or picture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from breakeven.cli import options, streams

if TYPE_CHECKING:
    from breakeven.model.run import RunRecord


@click.command("report")
@click.argument("name", metavar="[RUN]", default="last")
@click.option("--html", type=options.EXISTING_OR_NOT, help="Write the HTML report to this file.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["md", "csv", "json", "pyperf", "parquet"]),
    help="Print as text; pyperf is for pyperf compare_to, parquet a file's bytes.",
)
@click.option("--plot", type=options.EXISTING_OR_NOT, help="Draw a picture: .png or .svg.")
@click.option("--workload", help="Which workload to draw.  [default: the first]")
@click.option(
    "--timeline",
    type=options.EXISTING_OR_NOT,
    help="Write what sensors read: .csv, .parquet, or .json[.gz] for Perfetto.",
)
@click.option(
    "--trace",
    "traces",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    multiple=True,
    help="With --timeline FILE.json[.gz]: a trace of the same time that goes into it.",
)
@click.option(
    "--tensorboard",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write a folder that TensorBoard reads.",
)
@click.option(
    "--price", metavar="cpu=USD,gpu=USD", help="Price of an hour of each machine: which is cheaper?"
)
@click.option("--judge-again", is_flag=True, help="Judge anew instead of showing what is stored.")
@options.store
@options.as_json
def command(  # noqa: PLR0913  each is an option
    *,
    name: str,
    html: Path | None,
    form: str | None,
    plot: Path | None,
    workload: str | None,
    timeline: Path | None,
    traces: tuple[Path, ...],
    tensorboard: Path | None,
    price: str | None,
    judge_again: bool,
    store: Path | None,
    as_json: bool,
) -> int:
    """Show a stored run again: RUN is an id, the start of one, `last`, or a path to a document.

    Without an option it is printed as `breakeven run` printed it.
    """
    from breakeven import lab

    _check(form, timeline, traces, as_json=as_json)
    _check_drawn(workload, plot)
    if price is not None:
        _alone(form, html, plot, timeline, tensorboard, as_json or None, judge_again or None)
        click.echo(lab.cost_text(_loaded(name, store, measured=True)[1], price), nl=False)
        return 0
    name, record = _loaded(name, store, measured=workload is not None or judge_again)
    if judge_again:
        record = lab.judged(record)
    result = lab.Result(record=record)
    if html is not None:
        click.echo(f"Report: {result.report(html)}", err=True)
    if plot is not None:
        click.echo(f"Picture: {result.plot(plot, workload)}", err=True)
    beside = (*traces, *lab.traces_beside(record, name, store))
    if timeline is not None:
        click.echo(f"Timeline: {lab.write_timeline(record, timeline, beside)}", err=True)
    if tensorboard is not None:
        click.echo(f"TensorBoard: {lab.write_tensorboard(record, tensorboard, beside)}", err=True)
    if as_json or form is not None:
        _print(record, form or "json")
    elif html is plot is timeline is tensorboard is None:
        from rich.console import Console

        lab.show(record, Console(highlight=False))
    return 0


def _loaded(name: str, store: Path | None, *, measured: bool) -> tuple[str, RunRecord]:
    """Return a run, with the name that it was found by.

    Parameters
    ----------
    measured : bool
        Whether something is asked that a watched command has not: the last run is none then.
    """
    from breakeven import lab

    if name == "last" and measured:
        name = lab.last_measured(store) or name
    record = lab.load(name, store)
    if name == "last" and record.command[:1] == ("watch",):
        before = lab.last_measured(store)
        if before is not None:
            streams.say(f"The last run is a watched command; the last that measured: {before}")
    return name, record


def _check_drawn(workload: str | None, plot: Path | None) -> None:
    """Refuse a workload that nothing draws."""
    from breakeven.errors import InputError

    if workload is not None and plot is None:
        raise InputError("--workload says which one to draw", "add --plot FILE.png")


def _alone(*others: object) -> None:
    """Refuse another output beside costs: it would be passed over."""
    from breakeven.errors import InputError

    if any(other is not None for other in others):
        raise InputError("--price prints costs alone", "give it without another output")


def _check(
    form: str | None, timeline: Path | None, traces: tuple[Path, ...], *, as_json: bool
) -> None:
    """Refuse what cannot be, before anything is written."""
    from breakeven import lab
    from breakeven.errors import InputError

    if as_json and form not in {None, "json"}:
        raise InputError(f"--json prints no {form}", "leave out --json or --format")
    if form == "parquet" and sys.stdout.isatty():
        raise InputError(
            "a Parquet file is not for a terminal", "send it to a file: > FILE.parquet"
        )
    if timeline is not None:
        lab.check_timeline(timeline)
    if traces and (timeline is None or ".json" not in timeline.suffixes):
        raise InputError(
            "--trace takes a trace into one that is written", "add --timeline FILE.json.gz"
        )


def _print(record: RunRecord, form: str) -> None:
    from breakeven import lab

    if form == "parquet":
        click.echo(lab.parquet_of(record), nl=False)
    else:
        click.echo(lab.text_of(record, form), nl=False)
