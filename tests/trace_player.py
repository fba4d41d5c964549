"""A profiler that plays a trace and keeps a log of what was asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from breakeven.trace.capture import WARM_STEPS

HEAD = '{\n  "host_name": "somebodys-laptop",\n  "schemaVersion": 1,\n  "traceEvents": [\n'
TAIL = '  ],"traceName": "/home/somebody/trace.json" }'


class Player:
    """A profiler that keeps a log, and writes the file that it was given."""

    def __init__(self, log: list[str], ready: Callable[[Any], None], steps: int, text: str) -> None:
        self._log, self._ready, self._text = log, ready, text
        self._left = WARM_STEPS + steps

    def __enter__(self) -> Self:
        """Begin to warm up."""
        self._log.append("start")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """End."""
        self._log.append("stop")

    def step(self) -> None:
        """Count a step; after the last one that is kept, hand the trace over."""
        self._log.append("next")
        self._left -= 1
        if self._left == 0:
            self._ready(self)

    def export_chrome_trace(self, path: str) -> None:
        """Write the file."""
        Path(path).write_text(self._text)


class Making:
    """Makes such profilers, and logs the marks."""

    def __init__(self, text: str = HEAD + TAIL) -> None:
        self.log: list[str] = []
        self._text = text

    def __call__(self, kept: int, ready: Callable[[Any], None]) -> Player:
        """Make one."""
        return Player(self.log, ready, kept, self._text)

    @contextmanager
    def mark(self, name: str) -> Iterator[None]:
        """Log the begin and the end of a mark, but not its time."""
        self.log.append(f"<{name.partition('#')[0]}")
        yield
        self.log.append(">")
