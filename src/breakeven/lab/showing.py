"""A run as people see it: printed, as a page, as a picture, as text."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from breakeven.errors import InputError
from breakeven.model.run import RunRecord
from breakeven.model.selftest import SelfTest
from breakeven.report import charts, html, text, timeline_charts, timeline_page
from breakeven.report import console as printed
from breakeven.report import page as pages
from breakeven.report import selftest as tried
from breakeven.store import export, pyperf, selftests, timelines

# What is drawn of a workload, the first that there is. A training alone has the first two: its
# curve, or with one batch size the parts of its step.
DRAWN = ("batch-throughput", "step-phases", "time")


def workloads_of(record: RunRecord) -> tuple[str, ...]:
    """Return the workloads of a run, those asked for first."""
    asked = [w.name for w in record.spec.workloads]
    return tuple(dict.fromkeys([*asked, *(c.workload for c in record.cases)]))


def show(record: RunRecord, console: Console, report: str = "--html FILE") -> None:
    """Print a run.

    Parameters
    ----------
    report : str
        The option by which whoever reads it gets the report.
    """
    printed.show(pages.build(record), console, report)


def report_html(record: RunRecord) -> str:
    """Return the report of a run as one self-contained HTML page."""
    built = pages.build(record)
    return html.render(built, charts.specs(built))


def drawing(record: RunRecord, suffix: str, workload: str | None = None) -> bytes:
    """Return the picture of time against size as PNG or SVG.

    Raises
    ------
    InputError
        If the suffix is neither, or there is nothing to draw.
    """
    if suffix not in {".png", ".svg"}:
        raise InputError(
            f"a picture cannot be written as {suffix!r}", "end its name in .png or .svg"
        )
    if timeline_page.stands_alone(record) and record.timeline:
        sheet = timeline_charts.sheet(record.timeline, record.sensing)
        return charts.to_png(sheet) if suffix == ".png" else charts.to_svg(sheet).encode()
    known = workloads_of(record)
    if workload is not None and workload not in known:
        raise InputError(
            f"run {record.id} has no workload {workload[:40]!r}",
            f"choose from: {', '.join(known) or 'it has none'}",
        )
    specs = charts.specs(pages.build(record))
    names = [f"{name}-{kind}" for kind in DRAWN for name in ([workload] if workload else known)]
    wanted = [name for name in names if name in specs]
    if not wanted:
        raise InputError(f"run {record.id} has nothing to draw for {workload or 'any workload'}")
    spec = specs[wanted[0]]
    return charts.to_png(spec) if suffix == ".png" else charts.to_svg(spec).encode()


def text_of(record: RunRecord, form: str) -> str:
    """Return a run as ``md``, ``csv``, ``json`` or ``pyperf`` text.

    A watched command has no cases: as ``csv`` it is its timeline.
    """
    match form:
        case "md":
            return text.page_markdown(pages.build(record))
        case "csv" if timeline_page.stands_alone(record):
            return timelines.to_csv(record)
        case "csv":
            return export.to_csv(record)
        case "json":
            return export.to_json(record)
        case "pyperf":
            return pyperf.to_pyperf(record)
        case _:
            raise InputError(
                f"a run cannot be written as {form!r}", "choose md, csv, json or pyperf"
            )


def parquet_of(record: RunRecord) -> bytes:
    """Return a run as a Parquet file: the lines that ``csv`` has."""
    if timeline_page.stands_alone(record):
        return timelines.to_parquet(record)
    return export.to_parquet(record)


def selftest_text(found: SelfTest) -> str:
    """Return a self-test as text of 80 columns, the answer first."""
    return tried.text_of(found)


def selftest_json(found: SelfTest) -> str:
    """Return a self-test as one JSON document: what is stored."""
    return selftests.encode(found).decode()


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file.

    Raises
    ------
    InputError
        If it cannot be written there.
    """
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({error.strerror})", "choose another place"
        ) from error
