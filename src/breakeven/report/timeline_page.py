"""The part of a page about what sensors read, and the page of a watched command."""

from __future__ import annotations

import shlex

from breakeven import units
from breakeven.model.quantities import Quantity, device_name, gpu_index, is_core, quantity
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Energy, Reading, SamplerCost, Sensing, Watched
from breakeven.report import environment, names
from breakeven.report.view import Page, Table, TimelinePage

_TITLE_WORDS = 60
_NOT_OF_A_WATCH = {"effort, budget", "rounds planned", "seed", "pool threads pinned"}
_METHODS = {
    "counter": "the driver's energy counter",
    "integrated": "power over time",
    "powercap": "the processor's energy counter",
}
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
    made = (_readings(sensing), _energies(sensing), _absent(sensing))
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
        answers=(answer(record),),
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
    )


def answer(record: RunRecord) -> str:
    """Return the first thing that is said: how long, how it ended, and what it used."""
    sensing = record.sensing
    watched = sensing.watched if sensing is not None else None
    if sensing is None or watched is None:
        return "Nothing was kept of this watch: it ended before its first reading."
    said = [f"{_shown(watched)} {_ended(watched, sensing)}.", _used(watched, sensing, record)]
    return " ".join([*said, _gpus(sensing, record), _energy(sensing)]).strip()


def _title(record: RunRecord) -> str:
    sensing = record.sensing
    watched = sensing.watched if sensing is not None else None
    return f"Breakeven: {'a watched command' if watched is None else _shown(watched)}"


def _shown(watched: Watched) -> str:
    # A block of Python has a label, and no words to be quoted.
    words = watched.command
    said = words[0] if len(words) == 1 else shlex.join(words)
    return said if len(said) <= _TITLE_WORDS else f"{said[: _TITLE_WORDS - 3]}..."


def _ended(watched: Watched, sensing: Sensing) -> str:
    took = units.seconds(watched.wall_s)
    if watched.signal is not None:
        return f"ran {took} and was ended by {watched.signal}"
    if watched.exit_code is not None:
        return f"ran {took} and ended with exit code {watched.exit_code}"
    return f"was watched for {took}" if sensing.ended_early else f"ran {took}"


def _used(watched: Watched, sensing: Sensing, record: RunRecord) -> str:
    """Return cores and memory that were used; the system's account goes before samples."""
    found = {r.sensor: r for r in sensing.readings}
    cores = found.get("tree.cpu_cores")
    mean = None if cores is None else cores.mean
    if watched.cpu_s is not None and watched.wall_s > 0:
        mean = watched.cpu_s / watched.wall_s
    of = record.machine.cpu.cores_usable
    said = [] if mean is None else [f"{units.significant(mean)} of {of} CPU cores"]
    memory = [r.high for r in (found.get("tree.rss_bytes"),) if r is not None]
    memory += [] if watched.peak_rss_bytes is None else [watched.peak_rss_bytes]
    said += [f"at most {units.size_bytes(max(memory))} of memory"] if memory else []
    return f"It used {names.joined(said)}." if said else ""


def _gpus(sensing: Sensing, record: RunRecord) -> str:
    busy = {
        index: r
        for r in sensing.readings
        if (index := gpu_index(quantity(r.sensor).device)) is not None
        and r.sensor.endswith(".utilisation_share")
    }
    if busy:
        said = [f"{device_name(f'gpu{i}')} {units.share(busy[i].mean)}" for i in sorted(busy)]
        return f"Busy share: {names.joined(said)}."
    why = next((a.why for a in sensing.absent if a.sensor.startswith("gpu")), None)
    if why is None and record.machine.gpus:
        return "The GPU was not read: too little time, or no reading."
    why = why or record.machine.no_gpu_reason or "no reason was recorded"
    # The reason alone: what to try stands below.
    return f"No GPU was read: {why.partition('; ')[0]}."


def _energy(sensing: Sensing) -> str:
    known = [e for e in sensing.energies if e.gross_j is not None]
    if known:
        parts = [f"{_device(e)} {units.joules(e.gross_j or 0.0)}" for e in known]
        missing = [_device(e) for e in sensing.energies if e.gross_j is None]
        rest = f" ({names.joined(missing)} not known)" if missing else ""
        return f"Energy: {names.joined(parts)}{rest}."
    why = next((e.why for e in sensing.energies if e.why), None)
    return f"Energy is not known: {why}." if why else "Energy is not known: no meter was found."


def _device(energy: Energy) -> str:
    return device_name(energy.device)


def _energy_lines(sensing: Sensing) -> list[str]:
    lines = []
    for e in sensing.energies:
        if e.gross_j is None:
            fix = f"; to get it: {e.fix}" if e.fix else ""
            lines.append(f"Energy of {_device(e)}: not known ({e.why or 'no reason'}{fix}).")
            continue
        mean = "" if not e.window_s else f", {units.watts(e.gross_j / e.window_s)} on average"
        open_ = "" if e.uncertainty_j is None else f" within {units.joules(e.uncertainty_j)}"
        net = "" if e.net_j is None else f"; {units.joules(e.net_j)} net of idle"
        how = _METHODS.get(e.method or "", "an unknown method")
        lines.append(
            f"Energy of {_device(e)}: {units.joules(e.gross_j)}{open_} over "
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


def _readings(sensing: Sensing) -> Table:
    """Return mean, least and greatest of every sensor; cores are told together elsewhere."""
    kept = [(quantity(r.sensor), r) for r in sensing.readings]
    kept = [(q, r) for q, r in kept if not is_core(q.device)]
    kept.sort(key=lambda pair: _order(pair[0]))
    return Table(
        title="What the sensors read",
        caption="Over the whole time: mean, least and greatest sample.",
        columns=("what", "mean", "least", "most"),
        numeric=(False, True, True, True),
        rows=tuple((_what(q), *_figures(q, r)) for q, r in kept),
    )


def _order(about: Quantity) -> tuple[int, int]:
    index = gpu_index(about.device)
    ranks = {"tree": 0, "cpu": 1, "host": 2}
    return (3, index) if index is not None else (ranks.get(about.device, 4), 0)


def _what(about: Quantity) -> str:
    device = "watched" if about.device == "tree" else device_name(about.device)
    return f"{device}: {about.name}"


def _figures(about: Quantity, r: Reading) -> tuple[str, str, str]:
    def text(value: float) -> str:
        if about.unit == "MiB":
            return units.size_bytes(value)
        if about.unit == "%":
            return units.share(value)
        return f"{units.significant(value * about.scale)} {about.unit}".rstrip()

    return (text(r.mean), text(r.low), text(r.high))


def _energies(sensing: Sensing) -> Table:
    def shown(value: float | None, text: object = units.joules) -> str:
        return "-" if value is None else text(value)  # type: ignore[operator]

    rows = tuple(
        (
            _device(e), shown(e.gross_j), shown(e.uncertainty_j), shown(e.net_j),
            shown(e.idle_w, units.watts), shown(e.integrated_j), units.seconds(e.window_s),
            shown(e.update_period_s, units.seconds), e.why or _METHODS.get(e.method or "", "-"),
        )
        for e in sensing.energies
    )  # fmt: skip
    return Table(
        title="Energy",
        caption="Gross is what the meter saw; 'open' is what its steps leave open at both ends.",
        columns=("device", "gross", "open", "net", "idle", "by power", "window", "meter's step",
                 "method, or why not"),
        numeric=(False, True, True, True, True, True, True, True, False),
        rows=rows,
    )  # fmt: skip


def _absent(sensing: Sensing) -> Table:
    return Table(
        title="What was not to be read",
        caption="A sensor that is missing is no zero: why, and how to get it.",
        columns=("sensor", "from", "why", "how to get it"),
        numeric=(False, False, False, False),
        rows=tuple(
            (
                a.sensor, "the start" if a.since_s is None else units.seconds(a.since_s), a.why,
                a.fix or "-",
            )
            for a in sensing.absent
        ),
    )  # fmt: skip


def _caveats(record: RunRecord) -> tuple[str, ...]:
    sensing = record.sensing
    said = list(record.remarks)
    if sensing is not None and sensing.ended_early is not None:
        said.insert(0, f"The recording is not whole: {sensing.ended_early}.")
    if sensing is not None and sensing.source == "replay":
        said.insert(0, "The readings were played from a recording: they are not of this machine.")
    return tuple(said)
