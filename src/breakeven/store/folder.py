"""The store: a folder of run documents, with the journals of runs that did not finish."""

from __future__ import annotations

from pathlib import Path

import msgspec

from breakeven.errors import BreakevenError, CorruptRunError, StoreError
from breakeven.model.run import RunRecord
from breakeven.store import files, names
from breakeven.store.fold import fold
from breakeven.store.journal import Journal, being_written, read
from breakeven.store.names import default_folder, new_id
from breakeven.store.privacy import Privacy
from breakeven.store.sink import JournalSink
from breakeven.store.summary import RunSummary, damaged, known, summary
from breakeven.store.unfold import unfold
from breakeven.store.upgrade import decode, encode
from breakeven.store.writable import Writable

__all__ = ["RunSummary", "Store", "default_folder", "new_id"]


class Store(Writable):
    """A folder of runs; nothing is made or changed before something is written.

    Parameters
    ----------
    path : Path or None
        The folder; None takes `default_folder`.
    privacy : Privacy or None
        What to take out of texts; None takes out what names this machine and its user.
    """

    def __init__(self, path: Path | None = None, *, privacy: Privacy | None = None) -> None:
        super().__init__(path if path is not None else default_folder(), privacy)

    def save(self, record: RunRecord) -> Path:
        """Write a run's document whole or not at all; return its path.

        The journal of a run that finished is removed then: its document says everything. That of
        an interrupted run stays, to be resumed from.

        Raises
        ------
        StoreError
            It cannot be written; an older document of this run is as it was.
        """
        names.checked(record.id)
        files.make_folder(self.path)
        path = self.document(record.id)
        files.replace(path, encode(self._privacy.clean(record)))
        if record.finished is not None and not record.interrupted:
            files.remove(self.journal(record.id))
        return path

    def load(self, name: str) -> RunRecord:
        """Return a stored run; what its document does not hold yet is read from its journal.

        Parameters
        ----------
        name : str
            An id, the start of one, ``last``, or the path of a run document or a journal.

        Raises
        ------
        RunNotFoundError
            Nothing answers to `name`.
        InputError
            Several runs start with `name`.
        CorruptRunError, NewerSchemaError
            It is damaged, or made by a newer version.
        StoreError
            It cannot be read.
        """
        path, run_id = self._meant(name)
        return self._load(run_id) if path is None else _from_file(path)

    def last_measured(self) -> str | None:
        """Return the id of the newest run that is no watched command; None where there is none.

        One that is damaged is left to whoever asks for it by its id.
        """
        for run_id in names.ids(self.path):
            try:
                record = self._load(run_id)
            except BreakevenError:
                continue
            if record.command[:1] != ("watch",):
                return run_id
        return None

    def list(self) -> tuple[RunSummary, ...]:
        """Return all runs, newest first; one that cannot be read is listed as damaged.

        Raises
        ------
        StoreError
            The folder itself cannot be read.
        """
        found = [self._summary(run_id) for run_id in names.ids(self.path)]
        # A document under a name of the user's own still says when its run began.
        return tuple(sorted(found, key=_began, reverse=True))

    def sink(self, record_id: str) -> JournalSink:
        """Return a sink for a new run, with a journal of its own; the caller closes it.

        Raises
        ------
        StoreError
            The id is taken, or the journal cannot be made.
        """
        names.checked(record_id)
        files.make_folder(self.path)
        if self.document(record_id).exists():
            raise StoreError(f"the run {record_id} exists in {self.path}", "start again")
        return JournalSink(Journal(self.journal(record_id)), privacy=self._privacy)

    def resume(self, name: str) -> JournalSink:
        """Return a sink that goes on where a run stopped; what was judged is left behind.

        The caller appends `Resumed` first, and closes the sink. The run's document stays until it
        is saved again.

        Raises
        ------
        RunNotFoundError, InputError, CorruptRunError, NewerSchemaError
            As for `load`.
        StoreError
            Another process is measuring this run, or it cannot be written.
        """
        if name == names.LAST:
            # A watch cannot go on where it stopped.
            name = self.last_measured() or name
        path, run_id = self._meant(name)
        given = None if path is None else _from_file(path)
        run_id = names.checked(run_id if given is None else given.id)
        best = self._load(run_id) if given is None or self._holds(run_id) else given
        if given is not None and known(given) > known(best):
            best = given
        files.make_folder(self.path)
        place = self.journal(run_id)
        journal = Journal(place, new=not place.exists())
        try:
            return self._going_on(journal, best)
        except BaseException:
            journal.close()
            raise

    def document(self, run_id: str) -> Path:
        """Return where the document of a run is, or would be."""
        return self.path / f"{run_id}{names.DOCUMENT}"

    def journal(self, run_id: str) -> Path:
        """Return where the journal of a run is, or would be."""
        return self.path / f"{run_id}{names.JOURNAL}"

    def traces(self, run_id: str) -> Path:
        """Return the folder of a run's traces, which its document names by their file names."""
        return self.path / f"{names.checked(run_id)}{names.TRACES}"

    def _going_on(self, journal: Journal, best: RunRecord) -> JournalSink:
        """Return a sink on an open journal, made anew from `best` where that knows more.

        A journal stops before its run when the disk is full, and is gone once the run finished.
        """
        events = read(journal.path)
        if events and known(fold(events)) >= known(best):
            return JournalSink(journal, events, privacy=self._privacy)
        journal.clear()
        sink = JournalSink(journal, privacy=self._privacy)
        for event in unfold(best):
            sink.append(event)
        return sink

    def _meant(self, name: str) -> tuple[Path | None, str]:
        """Return the file that `name` means, or the id of a run in the store."""
        present = names.ids(self.path)
        path = names.file_meant(name, present)
        return path, "" if path else names.run_meant(name, present, self.path)

    def _holds(self, run_id: str) -> bool:
        return self.document(run_id).exists() or self.journal(run_id).exists()

    def _load(self, run_id: str) -> RunRecord:
        document, journal = self.document(run_id), self.journal(run_id)
        if not journal.exists():
            return _from_file(document)
        if not document.exists():
            return _from_file(journal)
        try:
            record = _from_file(document)
        except CorruptRunError as error:
            # Not taken silently: the journal has no verdicts, and may be older than the document.
            fix = f"its journal can be read: breakeven report {journal}"
            raise CorruptRunError(error.what, fix) from error
        try:
            events = read(journal)
        except CorruptRunError as error:
            remark = f"more may have been measured than is shown: {error.what}"
            return msgspec.structs.replace(record, remarks=(*record.remarks, remark))
        if not events:
            return record
        later = fold(events)
        return later if known(later) > known(record) else record

    def _summary(self, run_id: str) -> RunSummary:
        try:
            record = self._load(run_id)
        except BreakevenError as error:
            return damaged(run_id, error.what)
        return summary(record, live=being_written(self.journal(run_id)))


def _began(found: RunSummary) -> str:
    """Return when a run began: the start of its id; of a damaged one, of its file's name."""
    return found.id[:19]


def _from_file(path: Path) -> RunRecord:
    if path.suffix != names.JOURNAL:
        return decode(files.content(path), str(path))
    try:
        return fold(read(path))
    except CorruptRunError as error:
        if str(path) in error.what:
            raise
        fix = error.fix or "remove it, or restore it from a copy"
        raise CorruptRunError(f"{path} is damaged: {error.what}", fix) from error
