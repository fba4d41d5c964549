"""Sinks: where the engine's events are kept while a run is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from breakeven.model.event import Event, Remark
from breakeven.store.fold import Fold
from breakeven.store.plain import encoded, typed
from breakeven.store.privacy import Privacy, here

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Self

    from breakeven.model.run import RunRecord
    from breakeven.store.journal import Journal


class MemorySink:
    """A sink that keeps the record in memory alone.

    Parameters
    ----------
    events : iterable of Event
        What is already known, for a run that goes on.
    privacy : Privacy or None
        What to take out of texts; None takes out what names this machine and its user.
    """

    failure: str | None = None

    def __init__(self, events: Iterable[Event] = (), *, privacy: Privacy | None = None) -> None:
        self._privacy = privacy or here()
        self._fold = Fold()
        for event in events:
            self._fold.add(event)

    def append(self, event: Event) -> None:
        """Keep one event.

        Raises
        ------
        CorruptRunError
            The first event is not `Began`, or a later one is.
        """
        self._fold.add(self._as_stored(event))

    def record(self) -> RunRecord:
        """Return everything kept so far; interrupted as long as it has not ended."""
        return self._fold.record()

    @property
    def begun(self) -> bool:
        """Whether the event that begins a run was kept."""
        return self._fold.begun

    def close(self) -> None:
        """Release what the sink holds."""

    def _as_stored(self, event: Event) -> Event:
        # The record in memory must equal the one that is read back, or a report of a fresh run
        # would differ from a report of the same run once stored (NaN is one such trap).
        stored: Event = typed(encoded(self._privacy.event(event)), Event)
        return stored

    def __enter__(self) -> Self:
        """Return the sink itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


class JournalSink(MemorySink):
    """A sink that journals every event, then folds it.

    A journal that cannot be written does not end the run: events are kept in memory, the first
    reason is told in `failure` as well as in a remark, and what waits is written with the next
    event that can be (once there is space on the disk again, say).

    Parameters
    ----------
    journal : Journal
        Open for writing; the sink closes it.
    events : iterable of Event
        What the journal already holds.
    privacy : Privacy or None
        As for `MemorySink`.
    """

    def __init__(
        self,
        journal: Journal,
        events: Iterable[Event] = (),
        *,
        privacy: Privacy | None = None,
    ) -> None:
        super().__init__(events, privacy=privacy)
        self._journal = journal
        self.failure = None

    def append(self, event: Event) -> None:
        """Keep one event: in memory, then in the journal.

        Raises
        ------
        CorruptRunError
            The first event is not `Began`, or a later one is; nothing is written then.
        """
        stored = self._as_stored(event)
        # Folding first keeps an event that no run can have out of the journal.
        self._fold.add(stored)
        reason = self._write(stored)
        if reason is not None and self.failure is None:
            self.failure = (
                f"the journal could not be written ({reason}): from then on the run was in memory "
                "alone until it was saved"
            )
            remark = Remark(text=self.failure)
            self._fold.add(remark)
            self._write(remark)

    def _write(self, event: Event) -> str | None:
        """Write one event; return why that failed."""
        try:
            self._journal.append(event)
        except OSError as error:
            return error.strerror or type(error).__name__
        return None

    def close(self) -> None:
        """Close the journal, which lets others write it; one that holds no run is removed."""
        if not self.begun:
            self._journal.path.unlink(missing_ok=True)
        self._journal.close()
