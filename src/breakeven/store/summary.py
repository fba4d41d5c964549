"""A stored run in one line."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.run import RunRecord


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of runs says about one of them.

    Attributes
    ----------
    machine : str or None
        Name of the first GPU, or else of the processor.
    status : str
        ``empty`` is a run that ended without one measurement.
    why : str or None
        What is damaged, or how far an interrupted run came; None when it finished.
    cases : int or None
        Number of cases; None, like all that could not be read, when damaged.
    """

    id: str
    status: Literal["finished", "empty", "interrupted", "damaged"]
    started: str | None = None
    command: tuple[str, ...] = ()
    machine: str | None = None
    why: str | None = None
    cases: int | None = None


def summary(record: RunRecord, *, live: bool = False) -> RunSummary:
    """Return the summary of a run; `live` says that it is being measured at this moment."""
    machine = record.machine
    ended = record.finished is not None and not record.interrupted and not live
    measured = _measured(record)
    why: str | None
    if ended:
        why = None if measured else "nothing was measured"
    else:
        said = "watched" if record.command[:1] == ("watch",) else "measured"
        why = f"still being {said}" if live else _how_far(record)
    return RunSummary(
        id=record.id,
        status=("finished" if measured else "empty") if ended else "interrupted",
        started=record.started,
        command=record.command,
        machine=machine.gpus[0].name if machine.gpus else machine.cpu.model,
        why=why,
        cases=len(record.cases),
    )


def damaged(run_id: str, why: str) -> RunSummary:
    """Return the summary of a run that cannot be read."""
    return RunSummary(id=run_id, status="damaged", why=why)


def _measured(record: RunRecord) -> bool:
    slots = any(group.slots for case in record.cases for group in case.rounds)
    watched = record.sensing is not None and record.sensing.watched is not None
    return slots or watched or bool(record.studies) or bool(record.teams)


def known(record: RunRecord) -> int:
    """Return how many things a record knows; it grows with every event that measures."""
    slots = [s for case in record.cases for group in case.rounds for s in group.slots]
    return (
        len(slots)
        + sum(slot.voided is not None for slot in slots)
        + len(record.cases)
        + len(record.cold_starts)
        + len(record.naive_shots)
    )


def _how_far(record: RunRecord) -> str:
    if record.command[:1] == ("watch",):
        return "the watch was ended before what it watched; breakeven report shows what was kept"
    begun = max((group.round for case in record.cases for group in case.rounds), default=0)
    if not record.rounds_planned:
        return f"stopped in round {begun}"
    return f"stopped in round {begun} of {record.rounds_planned}"
