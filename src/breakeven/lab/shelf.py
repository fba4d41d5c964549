"""Stored runs: judged where they were not yet, listed, taken down."""

from __future__ import annotations

from pathlib import Path

import msgspec

from breakeven.analysis.reference import beside
from breakeven.errors import CorruptRunError
from breakeven.lab import recovering
from breakeven.lab.judging import concluded
from breakeven.lab.result import Result
from breakeven.lab.soundness import contradiction
from breakeven.model.finding import Finding
from breakeven.model.run import RunRecord
from breakeven.store.bundled import bundled_runs
from breakeven.store.folder import Store
from breakeven.store.summary import RunSummary


def judged(record: RunRecord, smells: tuple[Finding, ...] | None = None) -> RunRecord:
    """Return a record with everything that follows from what was measured, judged now.

    Parameters
    ----------
    smells : tuple of Finding, optional
        What the source of the user's files shows; None keeps what is stored of that.
    """
    made = concluded(record, smells)
    if made.machine.gpus:
        return made
    references = tuple(r for run_ in bundled_runs() for r in beside(made, run_))
    return msgspec.structs.replace(made, references=references)


def load(name: str, store: Path | None = None) -> RunRecord:
    """Return a stored run by id, start of an id, ``last``, or path.

    Raises
    ------
    StoreError, InputError
        As for `Store.load`, and where what is stored contradicts itself.
    """
    folder = Store(store)
    record = folder.load(name)
    if wrong := contradiction(record):
        raise CorruptRunError(f"the run {record.id} is damaged: {wrong}", "restore it from a copy")
    if record.command[:1] == ("watch",):
        beside = Path(name).parent if Path(name).is_file() else folder.path
        return recovering.recovered(record, beside)
    # A journal holds no verdicts, be it of a run that was killed between its end and its document.
    said = record.verdicts or record.crossovers or record.achieved or record.caveats
    return record if said or record.findings else judged(record)


def load_result(name: str, store: Path | str | None = None) -> Result:
    """Return a stored run, by id, start of an id, ``"last"``, or path, with ways to look at it."""
    return Result(record=load(name, None if store is None else Path(store)))


def last_measured(store: Path | None = None) -> str | None:
    """Return the id of the newest run that is no watched command; None where there is none."""
    return Store(store).last_measured()


def stored_runs(store: Path | None = None) -> tuple[RunSummary, ...]:
    """Return what is stored, newest first."""
    return Store(store).list()
