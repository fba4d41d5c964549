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
    ├── RefusedError          a library cannot do a call of the user's function on its device
    │   ├── MissingError      it has no function of that name
    │   ├── HostArrayError    an array of the host meets one of the device
    │   └── DTypeError        it has no such element type
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


class RefusedError(BreakevenError):
    """A call of a user's function that a library cannot do on its device.

    Parameters
    ----------
    name : str
        NumPy's name of the call.
    argument : str or None
        The argument that it broke on.
    category : str or None
        Sort of failure, in the words of `breakeven.model.ported`; None takes that of the class.
    """

    category = "missing-method-or-argument"

    def __init__(
        self, what: str, name: str, argument: str | None = None, category: str | None = None
    ) -> None:
        super().__init__(what)
        self.name: str | None = name
        self.argument = argument
        if category is not None:
            self.category = category


class MissingError(RefusedError, AttributeError):
    """The library has no function of that name; `hasattr` is answered with no."""

    category = "missing-function"


class HostArrayError(RefusedError, TypeError):
    """An array of the host meets one of the device, or one of the device is read as the host's."""

    category = "host-array-mixed-in"


class DTypeError(RefusedError, TypeError):
    """The library has no such element type."""

    category = "unsupported-dtype"


class WorkerError(BreakevenError):
    """A worker process did not answer as agreed."""


class WorkerDiedError(WorkerError):
    """A worker process ended: killed, crashed or out of memory."""


class DeadlineError(WorkerError):
    """A worker process did not answer before its deadline."""
