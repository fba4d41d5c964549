"""Fresh processes: their first calls, and what careless timing reads of them."""

from __future__ import annotations

import msgspec


class ColdStart(msgspec.Struct, frozen=True, kw_only=True):
    """First calls of one workload in one fresh process, nothing else running.

    Attributes
    ----------
    calls_s : tuple of float
        First, second and third call, each synchronised.
    caches : str
        ``"as found"``, or ``"emptied"``: kernel caches pointed to an empty folder.
    """

    backend: str
    workload: str
    size: int
    order: int
    import_s: float
    context_s: float
    calls_s: tuple[float, ...]
    caches: str = "as found"

    @property
    def as_found(self) -> bool:
        """Whether kernel caches were left alone, as for whoever runs this machine's code again."""
        return self.caches == "as found"


class NaiveShot(msgspec.Struct, frozen=True, kw_only=True):
    """One-shot readings of one fresh process that walks up the sizes, as careless code does."""

    entry: str
    workload: str
    size: int
    one_shot_s: float
    unsynchronised_s: float | None = None
