"""The one exception tree: each error says what happened, where, and what to try.

::

    BreakevenError
    ├── InputError            the user's input is wrong                       exit code 2
    ├── NothingMeasuredError  no case could be measured                       exit code 3
    ├── StoreError            a run cannot be written, found or read          exit code 2
    │   ├── RunNotFoundError  no stored run answers to that name
    │   ├── CorruptRunError   the file is not a run document
    │   └── NewerSchemaError  the document was made by a newer version
    ├── UnavailableError      a library, device or sensor is not there
    └── WorkerError           a worker process did not answer as agreed
        ├── WorkerDiedError   it ended: killed, crashed or out of memory
        └── DeadlineError     it did not answer in time
"""

from __future__ import annotations


class BreakevenError(Exception):
    """Base of all errors that Breakeven raises on purpose.

    Parameters
    ----------
    what : str
        What happened, and where.
    fix : str
        What the user can try; empty when nothing is known to help.
    """

    exit_code = 4

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix

    def __str__(self) -> str:
        """Return one line: what happened, then what to try."""
        return f"{self.what}; {self.fix}" if self.fix else self.what


class InputError(BreakevenError):
    """The user's input is wrong."""

    exit_code = 2


class NothingMeasuredError(BreakevenError):
    """No case could be measured."""

    exit_code = 3


class StoreError(BreakevenError):
    """A run cannot be written, found or read."""

    exit_code = 2


class RunNotFoundError(StoreError):
    """No stored run answers to that name."""


class CorruptRunError(StoreError):
    """The file is not a run document."""


class NewerSchemaError(StoreError):
    """The document was made by a newer version of Breakeven."""


class UnavailableError(BreakevenError):
    """A library, device or sensor is not there; the message says why."""


class WorkerError(BreakevenError):
    """A worker process did not answer as agreed."""


class WorkerDiedError(WorkerError):
    """A worker process ended: killed, crashed or out of memory."""


class DeadlineError(WorkerError):
    """A worker process did not answer before its deadline."""
