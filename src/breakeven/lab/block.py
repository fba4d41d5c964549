"""A block of Python code under the sensors."""

from __future__ import annotations

import html
import os
import resource
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from breakeven.engine.clock import now, stamp
from breakeven.errors import InputError
from breakeven.lab import recovering
from breakeven.lab.computer import read_machine
from breakeven.lab.result import Result
from breakeven.lab.watching import plan_of, record_of, sensed, stored
from breakeven.model.event import Began, Ended, Remark
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Energy, Watched
from breakeven.model.timeline import Series
from breakeven.sensors.sampler import Sampler
from breakeven.store.folder import Store
from breakeven.store.sink import MemorySink

LABEL = "a block of Python code"


def watch(
    label: str = LABEL,
    *,
    interval: float = 0.1,
    keep: bool = False,
    store: Path | str | None = None,
) -> Watch:
    """Return a context manager that reads sensors while its block runs.

    Parameters
    ----------
    label : str
        What the block is called.
    interval : float
        Seconds between readings of what changes quickly.
    keep : bool
        Whether the run is stored; else it is in memory alone.
    store : path, optional
        Folder to store it in, which keeps it; the user's own where none is given.

    Raises
    ------
    InputError
        If the interval is none that can be kept.

    Examples
    --------
    >>> with breakeven.watch("one epoch") as seen:  # doctest: +SKIP
    ...     train()
    >>> print(seen.table())  # doctest: +SKIP
    """
    return Watch(label, interval=interval, keep=keep, store=store)


class Watch:
    """A watched block: once it has ended, with ways to look at what was read.

    Blocks may lie in each other, and be in threads: each has a sampler of its own. What counts as
    used is what this process and everything that it starts use, the samplers included.
    """

    def __init__(
        self,
        label: str = LABEL,
        *,
        interval: float = 0.1,
        keep: bool = False,
        store: Path | str | None = None,
    ) -> None:
        self._label = label
        self._plan = plan_of(interval, count_root=True)
        kept = keep or store is not None
        self._folder = Store(None if store is None else Path(store)) if kept else None
        self._result: Result | None = None
        self._scratch: TemporaryDirectory[str] | None = None
        self._sampler: Sampler | None = None
        self._sink: MemorySink | None = None
        self._begun: recovering.Begun | None = None
        self._used_s = 0.0
        self._owner = 0

    def __enter__(self) -> Self:
        """Start the sampler; return when it reads."""
        if self._sampler is not None:
            raise InputError("this watch has been used", "make a new one: breakeven.watch()")
        if self._folder is not None:
            self._folder.check_writable()
        record = record_of(("watch", self._label), read_machine())
        sink = MemorySink() if self._folder is None else self._folder.sink(record.id)
        sink.append(Began(record=record))
        self._sink = sink
        self._scratch = TemporaryDirectory(prefix="breakeven-")
        place = Path(self._scratch.name)
        if self._folder is not None:
            place = recovering.place(self._folder.path, record.id)
            place.mkdir(exist_ok=True)
        self._owner = os.getpid()
        self._sampler = Sampler(self._plan, place, self._owner)
        self._sampler.__enter__()
        self._used_s = _cpu_s()
        self._begun = recovering.note(place, (self._label,), now())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the sampler, and keep what it read; an error of the block goes on its way."""
        if os.getpid() != self._owner:
            # A child that was forked inside the block leaves it as well: it is not its watch.
            return
        assert self._begun is not None
        assert self._sampler is not None
        assert self._sink is not None
        assert self._scratch is not None
        watched = Watched(
            command=(self._label,),
            wall_s=now() - self._begun.origin_s,
            cpu_s=_cpu_s() - self._used_s,
        )
        with self._sink as sink, self._scratch:
            recording = self._sampler.finish()
            sink.append(sensed(recording, self._begun, watched, self._label))
            if kind is not None:
                sink.append(Remark(text=f"The block ended with {kind.__name__}."))
            sink.append(Ended(finished=stamp()))
            self._result = stored(self._folder, sink)
            if self._folder is not None and self._result.problem is None:
                recovering.clear(recovering.place(self._folder.path, self._result.record.id))

    @property
    def result(self) -> Result:
        """The run, as a result like any other.

        Raises
        ------
        InputError
            If the block has not ended yet.
        """
        if self._result is None:
            raise InputError("it is still being watched", "ask after the end of the with block")
        return self._result

    @property
    def record(self) -> RunRecord:
        """Everything that was read and concluded."""
        return self.result.record

    @property
    def timeline(self) -> tuple[Series, ...]:
        """The readings of each sensor; times count from the beginning of the block."""
        return self.record.timeline

    @property
    def energy(self) -> tuple[Energy, ...]:
        """Energy of each device over the block, or why it is not known."""
        return () if self.record.sensing is None else self.record.sensing.energies

    @property
    def seconds(self) -> float:
        """How long the block took."""
        watched = None if self.record.sensing is None else self.record.sensing.watched
        assert watched is not None
        return watched.wall_s

    def table(self) -> str:
        """Return what was read as text of 80 columns."""
        return self.result.table()

    def to_dict(self) -> dict[str, Any]:
        """Return the run document as plain Python values."""
        return self.result.to_dict()

    def report(self, path: Path | str) -> Path:
        """Write the report, one self-contained HTML file, and return its path."""
        return self.result.report(path)

    def plot(self, path: Path | str | None = None) -> Path | str:
        """Draw all pictures under each other; return SVG text, or the path (.png or .svg)."""
        return self.result.plot(path)

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        return f"<pre>{html.escape(self.table())}</pre>"


def _cpu_s() -> float:
    """Return the CPU time of this process and of its children that ended, seconds."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
