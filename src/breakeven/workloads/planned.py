"""What a plan needs to know of a workload: its sizes, with what each costs."""

from __future__ import annotations

from typing import Protocol

from breakeven.model.run import Work
from breakeven.model.spec import DType
from breakeven.workloads.base import Need


class Planned(Protocol):
    """A workload as the coordinator sees it: array code, or a training job.

    Attributes
    ----------
    name, axis : str
        Its name, with what its size is called.
    sizes : tuple of int
        Default sizes, ascending.
    """

    @property
    def name(self) -> str:
        """Return its name."""
        ...

    @property
    def axis(self) -> str:
        """Return what its size is called."""
        ...

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return its default sizes, ascending."""
        ...

    def work(self, size: int, dtype: DType) -> Work:
        """Return the floating-point operations and bytes of one call."""
        ...

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes that a worker holds while it runs this case."""
        ...
