"""A stored run as a file that pyperf reads."""

from __future__ import annotations

import json

from breakeven.errors import InputError
from breakeven.model.run import Case, Entry, Round, RunRecord

_VERSION = "1.0"


def to_pyperf(record: RunRecord) -> str:
    """Return the run in pyperf's JSON format: a benchmark a case and scope, a run a round.

    The values of a run are the medians of its slots that count, in seconds; the slots that do not,
    scouting, and clocks other than the wall's are left out. pyperf pools the values of all rounds,
    which the verdicts of a run never do.

    Raises
    ------
    InputError
        If no round has a slot that counts: pyperf has no empty file.
    """
    entries = {entry.id: entry for entry in record.entries}
    made = [
        found
        for case in record.cases
        for scope in dict.fromkeys(r.scope for r in case.rounds)
        if (found := _benchmark(case, scope, entries.get(case.entry)))
    ]
    if not made:
        raise InputError(
            f"run {record.id} has no round that pyperf could read", "run without --quick"
        )
    about: dict[str, object] = {
        "unit": "second",
        "breakeven_run": record.id,
        "date": record.started.removesuffix("Z"),
        "platform": record.machine.platform,
        "python_version": record.machine.python,
        "cpu_count": record.machine.cpu.cores_online,
    }
    if record.machine.cpu.model:
        about["cpu_model_name"] = record.machine.cpu.model
    document = {"version": _VERSION, "metadata": about, "benchmarks": made}
    return json.dumps(document, indent=1) + "\n"


def _benchmark(case: Case, scope: str, entry: Entry | None) -> dict[str, object] | None:
    runs = [
        found
        for r in sorted(case.rounds, key=lambda r: r.round)
        if r.scope == scope and r.clock == "wall" and r.round > 0 and (found := _run(r))
    ]
    if not runs:
        return None
    name = f"{case.workload}-{case.size}-{case.entry}-{scope}"
    about = {"name": name, "breakeven_status": case.status}
    if entry is not None:
        about |= {"breakeven_device": entry.device, "breakeven_precision": entry.precision}
    return {"metadata": about, "runs": runs}


def _run(group: Round) -> dict[str, object] | None:
    values = [s.median_s for s in group.slots if s.voided is None and s.median_s > 0]
    return {"metadata": {"breakeven_round": group.round}, "values": values} if values else None
