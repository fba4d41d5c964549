"""``breakeven run``: measure, judge, show, store, and write the report."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from breakeven.cli import options, streams, training_options
from breakeven.cli.progress import Line

if TYPE_CHECKING:
    from breakeven.lab import Result

INTERRUPTED = 130
# Options that make the plan of a run, which a resumed run has already.
PLAN = (
    "workloads", "quick", "budget", "sizes", "backends", "dtype", "precisions", "rounds", "seed",
    "naive", "no_pin", "ceilings", *training_options.NAMES,
)  # fmt: skip
DEFAULT_REPORT = Path("breakeven-report.html")


def listed(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> list[str] | None:
    """Return the words of a list, as an option's callback."""
    return None if value is None else [v.strip() for v in value.split(",") if v.strip()]


@click.command("run")
@click.argument("workloads", nargs=-1, metavar="[WORKLOAD]...")
@click.option("--quick", is_flag=True, help="Under 30 s: one round, indicative, no verdict.")
@click.option("--budget", metavar="TIME", help="Time that the run may take: 60s, 10m, 1h.")
@click.option("--sizes", metavar="LIST", help="128,256,512, or 128:8192 (each twice the last).")
@click.option(
    "--backends",
    callback=listed,
    metavar="LIST",
    help="Of numpy,torch-cpu,cupy,torch-cuda,scripted:FILE.  [default: all that work]",
)
@click.option("--dtype", default="float32", show_default=True, help="float32 or float64.")
@click.option(
    "--precisions",
    callback=listed,
    metavar="LIST",
    help="Also measure GPUs in these: tf32,float16,bfloat16,float64.",
)
@training_options.add
@click.option("--rounds", type=int, help="Measure this many rounds at every size.")
@click.option("--seed", type=int, default=42, show_default=True, help="Of data and of the order.")
@click.option(
    "--naive",
    is_flag=True,
    help="Also show what one-shot timing reads, and what each of its mistakes costs.",
)
@click.option("--no-pin", is_flag=True, help="Leave pool threads where the system puts them.")
@click.option(
    "--ceilings",
    is_flag=True,
    help="First measure what each device reaches at best (from --budget 5m on anyway).",
)
@click.option(
    "--resume", metavar="RUN", help="Complete an interrupted run: id, start of one, last."
)
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
    resume: str | None,
    report: Path | None,
    no_report: bool,
    plot: Path | None,
    verbose: bool,
    store: Path | None,
    as_json: bool,
    **plan: Any,  # noqa: ANN401  options of lab.Options and of training_options
) -> int:
    """Measure built-in workloads on every backend that works here.

    WORKLOAD is matmul (product of two square matrices), mlp (training of a small network),
    elementwise, reduce, stencil, pairwise (distances), fft, sort, solve or svd; none means the
    tour: matmul and mlp. Or it is train or infer: PyTorch on CPU and GPU, over batch sizes.
    Prints the answer first, stores the run, writes one HTML report.
    """
    check_outputs(report, plot)
    line = Line(verbose=verbose)
    try:
        result, interrupted = _measured(plan, resume, store, line)
    finally:
        line.end()
    wanted = None if no_report else report or DEFAULT_REPORT
    return deliver(result, wanted, plot, interrupted=interrupted, as_json=as_json)


def _measured(
    plan: dict[str, Any], resume: str | None, store: Path | None, line: Line
) -> tuple[Result, bool]:
    """Go on with a run, or measure a new one; return it, with whether it was interrupted."""
    from breakeven import lab

    if resume is not None:
        _refuse_a_plan()
        return lab.resume_run(resume, store=store, say=line.say, progress=line.progress)
    pin = not plan.pop("no_pin")
    own = {name: plan.pop(name) for name in lab.Options.__struct_fields__ if name in plan}
    asked = lab.Options(**own, pin=pin, training=lab.TrainingOptions(**plan))
    words = ("run", *sys.argv[2:]) if len(sys.argv) > 1 else ("run",)
    return lab.start_run(asked, command=words, store=store, say=line.say, progress=line.progress)


def _refuse_a_plan() -> None:
    """Refuse options that would be passed over, as the run to be resumed has its plan."""
    from breakeven.errors import InputError

    context = click.get_current_context()
    for name in PLAN:
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            said = "WORKLOAD" if name == "workloads" else f"--{name.replace('_', '-')}"
            said = "--lr" if name == "learning_rate" else said
            raise InputError(
                f"--resume completes a run as it was planned, {said} would change it",
                f"leave out {said}, or start a new run",
            )


def check_outputs(report: Path | None, plot: Path | None) -> None:
    """Refuse an output that cannot be written before anything is measured."""
    from breakeven.errors import InputError

    if plot is not None and plot.suffix not in {".png", ".svg"}:
        raise InputError(f"--plot {plot} is no picture", "end its name in .png or .svg")
    if plot is not None and plot == report:
        raise InputError(f"{plot} cannot be both report and picture", "give them two names")
    for path in (report, plot):
        if path is not None and not path.absolute().parent.is_dir():
            raise InputError(f"the folder of {path} does not exist", "make it, or choose another")


def deliver(
    result: Result, report: Path | None, plot: Path | None, *, interrupted: bool, as_json: bool
) -> int:
    """Show a run, write what was asked for, and return the exit code."""
    from breakeven.engine.processes import deaf_to_interrupts

    # Ctrl-C has been heard: pressed once more, it shall not hide what was finished.
    with deaf_to_interrupts() if interrupted else contextlib.nullcontext():
        try:
            _show_result(result, as_json=as_json)
        finally:
            # Nobody may read what is printed, as after `| head`: the files are wanted all the same.
            _write_result(result, report, plot, interrupted=interrupted)
    return INTERRUPTED if interrupted else 0


def _show_result(result: Result, *, as_json: bool) -> None:
    """Print a run, and its document where that was asked for."""
    from rich.console import Console

    from breakeven import lab

    if as_json:
        click.echo(lab.text_of(result.record, "json"), nl=False)
    lab.show(result.record, Console(stderr=as_json, highlight=False), "--report FILE")


def _write_result(
    result: Result, report: Path | None, plot: Path | None, *, interrupted: bool
) -> None:
    """Write picture and report, and say where the run is stored."""
    from breakeven.errors import BreakevenError

    if result.problem:
        _say(f"breakeven: not everything could be stored: {result.problem}")
    if interrupted:
        _say("Interrupted: what was finished is stored and shown.")
        if result.record.spec.function is None:
            # A function of the user's may have changed since.
            _say(f"Complete it with: breakeven run --resume {result.record.id}")
    for name, path, write in (
        ("Picture", plot, result.plot),
        ("Report", report, result.report),
    ):
        if path is None:
            continue
        try:
            write(path)
            _say(f"{name}: {path}")
        except BreakevenError as error:
            # The run stands, stored and shown: a page that cannot be written is no reason to fail.
            _say(f"breakeven: {error}")
    if result.path is not None:
        _say(f"Stored as {result.record.id}")


def _say(text: str) -> None:
    streams.say(text)
