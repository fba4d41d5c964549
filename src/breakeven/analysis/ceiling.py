"""Rates that each case reached: its counted work over its median time."""

from __future__ import annotations

from breakeven.analysis.times import Times
from breakeven.model.verdict import Achieved


def achieved(times: Times) -> tuple[Achieved, ...]:
    """Return floating-point operations and bytes a second of each sound case, data resident.

    Cases without a sound time, or whose work is not counted, are left out.
    """
    rows = []
    for case in times.record.cases:
        variant = times.entries[case.entry].variant
        if case.status != "ok" or case.work is None or variant in {"twin", "naive", "planted"}:
            continue
        seconds = times.median(case.workload, case.size, case.entry, "resident")
        if seconds is None:
            continue
        rows.append(
            Achieved(
                workload=case.workload,
                size=case.size,
                entry=case.entry,
                flops_per_s=case.work.flops / seconds,
                bytes_per_s=case.work.bytes / seconds,
            )
        )
    return tuple(rows)
