"""The clocks of the GPU beside each other, with its copies and its caches; empty without data."""

from __future__ import annotations

from breakeven import units
from breakeven.model.run import Case, Floors
from breakeven.report import cells, ratios
from breakeven.report.evidence import AT_THE_FLOOR, FLOOR_FACTOR, NONE, Evidence
from breakeven.report.view import Note, Table

_NO_FLOORS = Floors(empty_call_s=0.0, message_s=0.0)
_ONE_SIDE = "no cold figure on the other side, so none here"


def clocks(evidence: Evidence, workload: str) -> Table:
    """Return one call on resident data by each clock: awaited, between events, queued, as a graph.

    A figure under ten times the floor of its clock has no digits.
    """
    columns = (evidence.axis(workload), "entry", "one call, awaited", "between events",
               "each in a full queue", "each as a graph", "issue", "remark")  # fmt: skip
    body = []
    for case in evidence.cases(workload):
        times, floors = case.device, evidence.record.limits.floors.get(case.entry, _NO_FLOORS)
        if times is None:
            continue
        said = (times.other_stream, _because("queue", times.queued_why),
                _because("graph", times.graph_why))  # fmt: skip
        body.append((
            str(case.size), case.entry,
            evidence.figure(workload, case.size, case.entry, "resident").text,
            _clocked(times.latency_s, floors.event_pair_s),
            _clocked(times.queued_s, floors.empty_kernel_s),
            _clocked(times.graph_s, floors.empty_kernel_s),
            cells.seconds(times.issue_s),
            "; ".join(s for s in said if s),
        ))  # fmt: skip
    caption = (
        "One call on resident data. Awaited: what a caller waits for, the clock of all verdicts. "
        "Between events: the GPU's clock on an idle device, launch included. In a full queue and "
        f"as a graph: its own working time. {AT_THE_FLOOR}: under {FLOOR_FACTOR} times the floor. "
    )
    said_too = " ".join(ratios.small_work(evidence, workload))
    return cells.table(
        "Clocks of the GPU", (caption + said_too).strip(), columns, body, text=(1, 7)
    )


def copies(evidence: Evidence, workload: str) -> Table:
    """Return copies of page-locked memory beside those of plain code, or why there are none."""
    columns = (evidence.axis(workload), "entry", "to device", "to device, locked", "to host",
               "to host, locked", "remark")  # fmt: skip
    body = []
    for case in evidence.cases(workload):
        p = case.phases
        read = p.to_device_pinned_s is not None or p.to_host_pinned_s is not None
        if read or p.pinned_why is not None:
            values = (p.to_device_s, p.to_device_pinned_s, p.to_host_s, p.to_host_pinned_s)
            # A later round may have read what an earlier one could not.
            remark = "" if read else (p.pinned_why or "")
            times = (cells.seconds(v) for v in values)
            body.append((str(case.size), case.entry, *times, remark))
    caption = (
        "All inputs to the device and all results back, from and to pageable host memory as plain "
        "code has it, and page-locked memory made ready beforehand."
    )
    return cells.table("Copies, pageable and page-locked", caption, columns, body, text=(1, 6))


def caches(evidence: Evidence, workload: str) -> Table:
    """Return calls with hot and with cold caches; cold is shown on both sides or not at all."""
    columns = (evidence.axis(workload), "entry", "hot", "cold", "best CPU / this, hot",
               "best CPU / this, cold", "copies", "they cover", "copy rate", "remark")  # fmt: skip
    body = []
    for case in evidence.cases(workload):
        found = case.caches
        if found is None:
            continue
        if found.cold_s is None or not _both_sides(evidence, workload, case):
            remark = found.why or (_ONE_SIDE if found.cold_s is not None else "")
            body.append((str(case.size), case.entry, *([NONE] * 7), remark))
            continue
        rate = found.copy_bytes_per_s
        body.append((
            str(case.size), case.entry, cells.seconds(found.hot_s), cells.seconds(found.cold_s),
            *(ratios.plain(evidence, case, kind) for kind in ("hot_caches", "cold_caches")),
            NONE if found.copies is None else units.whole(found.copies),
            NONE if found.cold_bytes is None else units.size_bytes(found.cold_bytes),
            NONE if rate is None else units.rate(rate, "B/s"), "",
        ))  # fmt: skip
    caption = (
        "One call on resident data, awaited: inputs where the last call left them, and copies of "
        "them in turn that cover more than twice the last cache. The copy rate of memory of that "
        "extent is the proof. Ratios are medians of one process (n = 1), without an interval: "
        "indicative, no verdict."
    )
    return cells.table("Caches, hot and cold", caption, columns, body, text=(1, 9))


def notes(evidence: Evidence, workload: str) -> list[Note]:
    """Return what the screen says: work that events do not see, and work that launches rule."""
    found = [Note(label="small work", text=text) for text in ratios.small_work(evidence, workload)]
    for case in evidence.cases(workload):
        if case.device is not None and case.device.other_stream is not None:
            where = f"{evidence.label(case.entry)} at {evidence.axis(workload)} = {case.size}"
            found.append(Note(label="GPU clock", text=f"{where}: {case.device.other_stream}."))
    return found


def _clocked(seconds: float | None, floor: float | None) -> str:
    if seconds is not None and floor is not None and seconds < FLOOR_FACTOR * floor:
        return AT_THE_FLOOR
    return cells.seconds(seconds)


def _because(what: str, why: str | None) -> str | None:
    return None if why is None else f"{what}: {why}"


def _both_sides(evidence: Evidence, workload: str, case: Case) -> bool:
    """Return whether CPU and GPU have cold figures at this size, or there is one side alone."""
    if not evidence.taking_part(workload, gpu=True):
        return True
    cold = {
        evidence.on_gpu(c.entry)
        for c in evidence.cases(workload)
        if c.size == case.size and c.caches is not None and c.caches.cold_s is not None
    }
    return cold == {True, False}
