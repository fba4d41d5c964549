"""That the user's function did not run on a library, and what the case is called then."""

from __future__ import annotations

from breakeven.model.case import Status
from breakeven.model.ported import Compiled, Ported, PortFailure

_STATUS: dict[str, Status] = {
    "out-of-memory": "out_of_memory",
    "ran-on-host": "ran_on_host",
    "error-of-the-function": "crashed",
    "wrong-value": "disagrees",
}


class FunctionFailedError(Exception):
    """The user's function did not run on a library.

    Attributes
    ----------
    status : str
        Of the case.
    ported : Ported
        How far it got; entry, workload, and at import the size, are the coordinator's to name.
    """

    def __init__(self, failure: PortFailure, size: int, compiled: Compiled | None = None) -> None:
        super().__init__(failure.message)
        self.status: Status = _STATUS.get(failure.category, "unsupported")
        self.ported = Ported(
            workload="", entry="", size=size, reach="failed", failure=failure, compiled=compiled
        )
