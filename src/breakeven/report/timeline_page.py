"""The part of a page about what sensors read, and the page of a watched command."""

from __future__ import annotations

from breakeven import units
from breakeven.model.quantities import device_name
from breakeven.model.run import RunRecord
from breakeven.model.sensing import SamplerCost, Sensing
from breakeven.report import environment, findings, timeline_answer, timeline_tables
from breakeven.report.view import Page, Table, TimelinePage

_NOT_OF_A_WATCH = {"effort, budget", "rounds planned", "seed", "pool threads pinned"}
_SAMPLED = (
    "Sensors are read by a process of its own: what changes quickly at every interval, the rest "
    "once a second. A mean is over time. Samples of a long recording are merged in pairs, and "
    "the least and the greatest of those merged are kept. A reading that failed is a gap."
)
_ACCOUNTED = (
    "CPU time is the system's own account of the command and of the processes that it waited "
    "for. Memory is the sum over its processes as sampled, so that shared pages count in each "
    "and a short peak may be missed."
)
_METERED = (
    "Energy is that of the whole device, whoever used it, from the first step of its meter in "
    "the time to the last. Net is gross less idle power, and needs an idle stretch before."
)


def stands_alone(record: RunRecord) -> bool:
    """Return whether a record is of a watched command and nothing else."""
    return record.command[:1] == ("watch",) or (
        not record.spec.workloads and record.sensing is not None
    )


def build(record: RunRecord) -> TimelinePage | None:
    """Return what a page says of a run's timeline; None where no sensor was read."""
    sensing = record.sensing
    if sensing is None:
        return None
    made = timeline_tables.tables(sensing)
    return TimelinePage(
        lines=(*_energy_lines(sensing), *_cost_lines(sensing)),
        absent=tuple(_missing(a.sensor, a.why, a.fix, a.since_s) for a in sensing.absent),
        tables=tuple(t for t in made if t.rows),
        series=record.timeline,
        sensing=sensing,
    )


def page(record: RunRecord) -> Page:
    """Return the page of a watched command: what it used, over time, and what was not to be read.

    The same record gives the same page everywhere, as for any other run.
    """
    details = environment.details(record)
    rows = tuple(row for row in details.rows if row[0] not in _NOT_OF_A_WATCH)
    caveats = _caveats(record)
    return Page(
        run=record.id,
        title=_title(record),
        answers=(timeline_answer.answer(record),),
        indicative=False,
        environment=environment.header(record),
        caveats=caveats,
        weighty=caveats,
        workloads=(),
        method=(_SAMPLED, _ACCOUNTED, _METERED),
        tables=(),
        details=Table(
            title=details.title,
            caption=details.caption,
            columns=details.columns,
            numeric=details.numeric,
            rows=rows,
        ),
        version=record.machine.breakeven,
        timeline=build(record),
        findings=findings.texts(record),
    )


def _title(record: RunRecord) -> str:
    sensing = record.sensing
    watched = sensing.watched if sensing is not None else None
    return (
        f"Breakeven: {'a watched command' if watched is None else timeline_answer.shown(watched)}"
    )


def _energy_lines(sensing: Sensing) -> list[str]:
    lines = []
    told = {a.why for a in sensing.absent}
    for e in sensing.energies:
        if e.gross_j is None and e.why in told:
            continue
        if e.gross_j is None:
            fix = f"; to get it: {e.fix}" if e.fix else ""
            lines.append(
                f"Energy of {device_name(e.device)}: not known ({e.why or 'no reason'}{fix})."
            )
            continue
        mean = "" if not e.window_s else f", {units.watts(e.gross_j / e.window_s)} on average"
        open_ = "" if e.uncertainty_j is None else f" within {units.joules(e.uncertainty_j)}"
        net = "" if e.net_j is None else f"; {units.joules(e.net_j)} net of idle"
        how = timeline_tables.METHODS.get(e.method or "", "an unknown method")
        lines.append(
            f"Energy of {device_name(e.device)}: {units.joules(e.gross_j)}{open_} over "
            f"{units.seconds(e.window_s)}{mean}{net}; by {how}."
        )
    return lines


def _cost_lines(sensing: Sensing) -> list[str]:
    cost = sensing.cost
    if cost is None:
        return []
    thinned = f"; samples were merged {sensing.thinned} times in pairs" if sensing.thinned else ""
    return [f"{_cost(cost)}{thinned}."]


def _cost(cost: SamplerCost) -> str:
    late = f", {cost.late} passed over" if cost.late else ""
    memory = "" if cost.rss_bytes is None else f" and {units.size_bytes(cost.rss_bytes)}"
    return (
        f"Sampling every {units.seconds(cost.fast_s)} took {units.share(cost.core_share)} of a "
        f"core{memory} ({cost.samples} samples{late})"
    )


def _missing(sensor: str, why: str, fix: str | None, since_s: float | None) -> str:
    since = "" if since_s is None else f" from {units.seconds(since_s)} on"
    return f"{sensor}{since}: {why}{f'; to get it: {fix}' if fix else ''}"


def _caveats(record: RunRecord) -> tuple[str, ...]:
    sensing = record.sensing
    said = list(record.remarks)
    if sensing is not None and sensing.ended_early is not None:
        said.insert(0, f"The recording is not whole: {sensing.ended_early}.")
    if sensing is not None and sensing.source == "replay":
        said.insert(0, "The readings were played from a recording: they are not of this machine.")
    return tuple(said)
