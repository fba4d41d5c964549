"""How the GPU was right after the slots of each case, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from breakeven import units
from breakeven.model.run import Case, GpuConditions
from breakeven.report import cells
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.view import Table

_CAPTION = (
    "Read by the worker right after each wall slot, scouting left out: medians, the range of the "
    "SM clock, the highest temperature, and after how many slots the driver still said why clocks "
    "were held down. Those counts are lower bounds: a GPU at its power limit may be idle again by "
    "then. - was not told by the driver."
)


def table(evidence: Evidence, workload: str) -> Table:
    """Return one row for each case whose slots have a look at the GPU."""
    columns = (evidence.axis(workload), "entry", "slots", "SM clock", "range", "memory clock",
               "power", "temperature", "clocks held down by")  # fmt: skip
    body = [
        (str(c.size), c.entry, *_row(seen))
        for c in evidence.cases(workload)
        if (seen := _looks(c, least=0 if evidence.quick else 1))
    ]
    return cells.table("The GPU right after each slot", _CAPTION, columns, body, text=(1, 8))


def _looks(case: Case, *, least: int) -> list[GpuConditions]:
    return [
        slot.conditions.gpu
        for r in case.rounds
        if r.clock == "wall" and r.round >= least
        for slot in r.slots
        if slot.conditions.gpu is not None
    ]


def _row(seen: Sequence[GpuConditions]) -> tuple[str, ...]:
    clocks = _known([g.sm_clock_mhz for g in seen])
    power, heat = _known([g.power_w for g in seen]), _known([g.temperature_c for g in seen])
    reasons = Counter(reason for g in seen for reason in g.reasons or ())
    held = ", ".join(f"{name.replace('_', ' ')} ({n})" for name, n in reasons.most_common())
    return (
        str(len(seen)),
        _unit(clocks, "MHz"),
        f"{units.whole(min(clocks))} to {units.whole(max(clocks))}" if clocks else NONE,
        _unit(_known([g.memory_clock_mhz for g in seen]), "MHz"),
        _unit(power, "W"),
        f"{units.whole(max(heat))} °C" if heat else NONE,
        held or ("nothing" if all(g.reasons is not None for g in seen) else NONE),
    )


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _unit(values: Sequence[float], unit: str) -> str:
    return f"{units.whole(median(values))} {unit}" if values else NONE
