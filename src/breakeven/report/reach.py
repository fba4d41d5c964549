"""What the machine reaches at best, each case's share of it, and sizes that were not measured."""

from __future__ import annotations

from breakeven import units
from breakeven.model.machine import Ceilings
from breakeven.model.verdict import Achieved, Bounded
from breakeven.report import cells
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.rows import base_kind, column
from breakeven.report.view import Note, PredictedPoint, ReachedPoint, Roof, Table

BY = {
    "compute": "bound by compute", "memory": "bound by memory", "link": "bound by the link",
    "launch": "bound by launches", "residual": "none of these",
}  # fmt: skip


def ceilings(evidence: Evidence) -> Table:
    """Return the ceilings of each device."""
    columns = ("device", "measured with", "ceiling", "reached", "remark")
    body = [
        (c.device, c.backend, what, reached, remark)
        for c in evidence.record.limits.ceilings
        for what, reached, remark in _figures(c)
    ]
    caption = (
        "The best of all repeats, of any backend of the device: what no call here has beaten. "
        "Measured before the run where a day stands; - could not be measured."
    )
    return cells.table("Ceilings", caption, columns, body, text=(0, 1, 2, 4))


def _figures(c: Ceilings) -> list[tuple[str, str, str]]:
    day = f"measured {c.measured}" if c.measured else ""

    def remark(part: str) -> str:
        return "; ".join(x for x in (day, c.disturbed(part)) if x)

    rows = [
        (f"matrix product, {p}", units.rate(r, "FLOP/s"), remark(p))
        for p, r in c.flops_per_s.items()
    ]
    if c.memory_bytes_per_s is not None:
        figure = units.rate(c.memory_bytes_per_s, "B/s")
        rows.append(("memory, read and written", figure, remark("memory")))
    for link in c.link:
        for way, rate in (
            ("to the device", link.to_device),
            ("back", link.to_host),
            ("to the device, page-locked", link.to_device_pinned),
            ("back, page-locked", link.to_host_pinned),
        ):
            if rate is not None:
                said = f"copies of {units.size_bytes(link.bytes)} {way}"
                rows.append((said, units.rate(rate, "B/s"), remark("link")))
    for said, seconds in (("launch", c.launch_s), ("wait for an idle device", c.synchronise_s)):
        if seconds is not None:
            rows.append((said, units.seconds(seconds), remark("launch")))
    rows += [(part, NONE, why) for part, why in c.unmeasured().items()]
    return rows


def shares(evidence: Evidence, workload: str) -> Table:
    """Return each case beside the least time that its ceilings allow."""
    columns = (
        evidence.axis(workload), "entry", "data", "time", "least time", "share", "bound by",
        "launch", "transfer", "work", "residual", "remark",
    )  # fmt: skip
    body = [
        (
            str(a.size), a.entry, _data(evidence, a.entry, b), units.seconds(b.seconds),
            cells.seconds(b.bound_s), _percent(b.share), BY[b.by].removeprefix("bound by ") if b.by
            else NONE, *(_percent(x) for x in (b.launch, b.transfer, b.work, b.residual)),
            b.fault or b.why or "",
        )
        for a in _achieved(evidence, workload) for b in a.bounds
    ]  # fmt: skip
    caption = (
        "Least time that the ceilings allow: a launch, the journey of the data, then the longer of "
        "operations over peak and bytes over bandwidth; the share is that over the measured time. "
        "Launch, transfer, work and residual (what no ceiling explains) sum to 100 % of it."
    )
    return cells.table("Share of the bound", caption, columns, body, text=(1, 2, 6, 11))


def predictions(evidence: Evidence, workload: str) -> Table:
    """Return what was foretold of sizes that were not measured, with its held-out errors."""
    columns = (evidence.axis(workload), "entry", "data", "foretold", "median error", "worst error",
               "sizes held out", "remark")  # fmt: skip
    body = [
        (
            str(point.size), p.entry,
            {"transfer": "travels"}.get(p.scope, "on device" if evidence.on_gpu(p.entry) else NONE),
            f"~{units.seconds(point.seconds)}", _percent(p.median_error), _percent(p.worst_error),
            str(len(p.held_out)), p.why or "",
        )
        for p in evidence.record.predictions if p.workload == workload
        for point in p.points
    ]  # fmt: skip
    caption = (
        "Not measured: a law of launch, journey and rates, fitted to the sizes measured. Its "
        "errors are those on each size left out of the fit in its turn; nothing is foretold beyond "
        "twice the largest."
    )
    return cells.table("Sizes that were not measured", caption, columns, body, text=(1, 2, 7))


def sentences(evidence: Evidence, workload: str) -> tuple[str, ...]:
    """Return what the largest size of each entry reached: GPU entries, then the best CPU one."""
    largest: dict[str, Achieved] = {}
    for a in _achieved(evidence, workload):
        if any(b.share is not None for b in a.bounds):
            largest[a.entry] = max(largest.get(a.entry, a), a, key=lambda x: x.size)
    on_gpu = [a for a in largest.values() if evidence.on_gpu(a.entry)]
    on_cpu = [a for a in largest.values() if not evidence.on_gpu(a.entry)]
    best = sorted(on_cpu, key=lambda a: (a.size, a.flops_per_s or 0.0))[-1:]
    return tuple(
        _sentence(evidence, a, b)
        for a in (*on_gpu, *best)
        for b in a.bounds
        if b.scope == "resident" and b.share is not None
    )


def note(evidence: Evidence, workload: str, leads: dict[str, str]) -> list[Note]:
    """Return the line of the screen: the entry that leads, or else the first there is."""
    said = sentences(evidence, workload)
    led = [s for s in said if any(f" {lead} " in s for lead in leads.values())]
    return [Note(label="share of the bound", text=(led or list(said))[0])] if said else []


def _sentence(evidence: Evidence, a: Achieved, b: Bounded) -> str:
    device = "this card" if evidence.on_gpu(a.entry) else "this CPU"
    opening = f"at {evidence.axis(a.workload)} = {a.size} {evidence.label(a.entry)} "
    work = 0.0 if b.work is None else b.work
    if b.by == "compute" and a.flops_per_s is not None:
        said = f"reaches {units.rate(a.flops_per_s, 'FLOP/s')}, {_percent(work)} of what {device} "
        said += "reached (bound by compute)"
    elif b.by == "memory" and a.bytes_per_s is not None:
        said = f"moves {units.rate(a.bytes_per_s, 'B/s')}, {_percent(work)} of what {device} "
        said += "reached (bound by memory)"
    elif b.by == "residual":
        said = f"takes {units.seconds(b.seconds)}, of which the ceilings of {device} explain "
        said += f"{_percent(b.share)}"
    else:
        said = f"takes {units.seconds(b.seconds)}, {_percent(b.share)} of it the least that "
        said += f"{device} allows ({BY[b.by or 'residual']})"
    return f"{opening}{said}{f': {b.fault}' if b.fault else ''}."


def roofs(evidence: Evidence, workload: str) -> tuple[Roof, ...]:
    """Return the roof of each device and precision that has points below it."""
    found: dict[str, Roof] = {}
    known = {c.device: c for c in evidence.record.limits.ceilings}
    for point in _achieved(evidence, workload):
        entry = evidence.entries[point.entry]
        c = known.get(entry.device)
        peak = None if c is None else c.flops_per_s.get(entry.precision)
        if c is None or peak is None or c.memory_bytes_per_s is None:
            continue
        label = f"{entry.device} {entry.precision}"
        found.setdefault(label, Roof(label=label, peak=peak, bandwidth=c.memory_bytes_per_s))
    return tuple(found.values())


def reached(evidence: Evidence, workload: str) -> tuple[ReachedPoint, ...]:
    """Return the points below the roofs: operations a byte, and a second."""
    kind = base_kind(evidence, workload)
    best: dict[tuple[str, int], ReachedPoint] = {}
    for a in _achieved(evidence, workload):
        if not a.bounds or not a.flops_per_s or not a.bytes_per_s:
            continue
        label = column(evidence, a.entry, kind)
        point = ReachedPoint(
            label=label, size=a.size, flops_per_byte=a.flops_per_s / a.bytes_per_s,
            flops_per_s=a.flops_per_s,
        )  # fmt: skip
        # Several thread counts of one library share its column: the quickest stands.
        if (label, a.size) not in best or best[label, a.size].flops_per_s < a.flops_per_s:
            best[label, a.size] = point
    return tuple(best.values())


def predicted(evidence: Evidence, workload: str) -> tuple[PredictedPoint, ...]:
    """Return the points foretold, for the picture of time against size."""
    kind = base_kind(evidence, workload)
    return tuple(
        PredictedPoint(
            label=column(evidence, p.entry, kind), scope=p.scope, size=x.size, seconds=x.seconds,
            error=None if p.worst_error is None else _percent(p.worst_error),
        )
        for p in evidence.record.predictions if p.workload == workload
        for x in p.points
    )  # fmt: skip


def _achieved(evidence: Evidence, workload: str) -> list[Achieved]:
    return [a for a in evidence.record.achieved if a.workload == workload and a.bounds]


def _data(evidence: Evidence, entry: str, b: Bounded) -> str:
    if not evidence.on_gpu(entry):
        return NONE
    return "travels" if b.scope == "transfer" else "on device"


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{share * 100:.{1 if abs(share) < 0.0995 else 0}f} %"
