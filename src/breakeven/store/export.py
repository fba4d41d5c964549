"""A stored run in the formats of other tools."""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Callable

from breakeven.model.run import Case, Entry, Round, RunRecord
from breakeven.store import parquet
from breakeven.store.upgrade import encode

COLUMNS = (
    "run",
    "workload",
    "size",
    "entry",
    "backend",
    "device",
    "threads",
    "dtype",
    "matmul_precision",
    "variant",
    "status",
    "why",
    "scope",
    "clock",
    "round",
    "median_s",
    "slots",
    "slots_voided",
    "repeats",
    "steady",
)


def to_json(record: RunRecord) -> str:
    """Return the run document of `record`."""
    return encode(record).decode()


def to_csv(record: RunRecord) -> str:
    """Return one line a case, scope, clock and round, under a line of column names.

    ``median_s`` is the median over the slots that count, empty when none does; ``slots`` counts
    those, ``slots_voided`` the others. Round 0 is scouting. A case without rounds has one line,
    for its status.
    """
    entries = {entry.id: entry for entry in record.entries}
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for case in record.cases:
        about = {"run": record.id} | _case_cells(case, entries.get(case.entry))
        writer.writerows(about | _round_cells(group) for group in case.rounds)
        if not case.rounds:
            writer.writerow(about)
    return out.getvalue()


def to_parquet(record: RunRecord) -> bytes:
    """Return the lines of `to_csv` as a Parquet file; what is empty there is null.

    Raises
    ------
    InputError
        If pyarrow is not installed.
    """
    lines = list(csv.DictReader(io.StringIO(to_csv(record))))
    whole = ("size", "threads", "round", "slots", "slots_voided", "repeats")
    kinds: dict[str, Callable[[str], object]] = {
        **dict.fromkeys(whole, int), "median_s": float, "steady": "true".__eq__
    }  # fmt: skip
    columns = {
        name: [kinds.get(name, str)(x[name]) if x[name] else None for x in lines]
        for name in COLUMNS
    }
    about = {"breakeven.run": record.id}
    return parquet.encoded(columns, about, numbers=("median_s",), whole=whole, flags=("steady",))


def _case_cells(case: Case, entry: Entry | None) -> dict[str, object]:
    cells: dict[str, object] = {
        "workload": case.workload,
        "size": case.size,
        "entry": case.entry,
        "status": case.status,
        "why": case.why,
    }
    if entry is not None:
        for name in ("backend", "device", "threads", "dtype", "matmul_precision", "variant"):
            cells[name] = getattr(entry, name)
    return cells


def _round_cells(group: Round) -> dict[str, object]:
    counting = [slot for slot in group.slots if slot.voided is None]
    return {
        "scope": group.scope,
        "clock": group.clock,
        "round": group.round,
        "median_s": statistics.median(slot.median_s for slot in counting) if counting else None,
        "slots": len(counting),
        "slots_voided": len(group.slots) - len(counting),
        "repeats": sum(slot.repeats for slot in counting),
        "steady": str(group.steady).lower(),
    }
