"""The file that a sampler writes as it goes: whole up to the last sample, whenever it is killed."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec

from breakeven.model.sensing import Absent, SamplerCost
from breakeven.sensors.base import Sample
from breakeven.sensors.recording import VERSION, Head
from breakeven.sensors.tape import POINTS, Point, Tape

TAIL_BYTES = 4 << 20
"""Samples are appended one by one until they take this much; then the file is made anew, merged."""
RETRY_BYTES = 1 << 18
"""After the disk refused, a new try is made when this much has come together in memory."""
PIECE = 256
"""Points that are written at once."""
FILE = "recording file"
DIGITS = 6

Write = Callable[[int, bytes], int]


class Writer:
    """Keeps readings in bounded memory, and a file of them in bounded room.

    What the disk refuses stays in memory, and is said among what is absent; the file is made anew
    from there as soon as it can be.

    Parameters
    ----------
    path : Path
        The file; it is begun at once.
    began_s : float
        The sampler's clock at the beginning.
    points, tail_bytes : int
        Most points of a series; most bytes that are appended before the file is made anew.
    write : callable
        Writes bytes to a descriptor, in place of ``os.write``.
    unix_s : float or None
        Unix time of `began_s`.
    """

    def __init__(
        self,
        path: Path,
        began_s: float,
        *,
        source: Literal["sensors", "replay"] = "sensors",
        points: int = POINTS,
        tail_bytes: int = TAIL_BYTES,
        write: Write = os.write,
        unix_s: float | None = None,
    ) -> None:
        self._path, self._source, self._write = path, source, write
        self._unix_s = unix_s
        self._began_s, self._points, self._tail_bytes = began_s, points, tail_bytes
        self.tape = Tape(points)
        self._names: dict[str, int] = {}
        self._absent: dict[str, Absent] = {}
        self._cost: SamplerCost | None = None
        self._end: tuple[str | None, float] | None = None
        self._encoder = msgspec.json.Encoder()
        self._descriptor: int | None = None
        self._tail = 0
        self._now = began_s
        self._renew()

    @property
    def in_memory(self) -> bool:
        """Whether the file holds less than memory does."""
        return self._descriptor is None

    def samples(self, t_s: float, found: Sequence[Sample]) -> None:
        """Keep readings, each at its own moment or else at `t_s`, by one write."""
        self._now = t_s
        lines: list[list[Any]] = []
        row: list[Any] = []
        row_s: float | None = None
        for one in found:
            at = t_s if one.t_s is None else one.t_s
            self.tape.add(one.sensor, at, one.value)
            if one.sensor not in self._names:
                self._names[one.sensor] = len(self._names)
                lines.append(["name", one.sensor])
                row_s = None
            if at != row_s:
                row, row_s = ["at", round(at, DIGITS)], at
                lines.append(row)
            value = None if one.value is None else round(one.value, DIGITS)
            row += (self._names[one.sensor], value)
        self._append(lines)

    def absent(self, found: Absent) -> None:
        """Keep what cannot be read; of one sensor the first word stands."""
        if found.sensor not in self._absent:
            self._absent[found.sensor] = found
            self._append([["absent", found]])

    def cost(self, cost: SamplerCost) -> None:
        """Keep what sampling cost so far."""
        self._cost = cost
        self._append([["cost", cost]])

    def end(self, why: str | None, t_s: float) -> None:
        """Say that nothing follows: `why` is None where that was asked for."""
        self._end = (why, t_s)
        self._append([["end", why, t_s]])
        if self.in_memory:
            # The disk may have room again by now.
            self._renew()

    def whole(self) -> Iterator[bytes]:
        """Give everything in memory as lines of a file, piece by piece."""
        head = Head(
            version=VERSION,
            began_s=self._began_s,
            points=self._points,
            thinned=self.tape.thinned,
            source=self._source,
            unix_s=self._unix_s,
        )
        yield self._encoded([["head", head]])
        for track in self.tape.tracks.values():
            # In pieces: a whole series at once would need more memory than it takes on the tape.
            points = track.points()
            while rows := [_row(point) for point in islice(points, PIECE)]:
                yield self._encoded([["points", track.sensor, track.fold, rows]])
        told: list[list[Any]] = [["name", name] for name in self._names]
        told += [["absent", one] for one in self._absent.values()]
        told += [] if self._cost is None else [["cost", self._cost]]
        told += [] if self._end is None else [["end", *self._end]]
        yield self._encoded(told)

    def close(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _encoded(self, lines: Sequence[list[Any]]) -> bytes:
        return b"".join(self._encoder.encode(line) + b"\n" for line in lines)

    def _append(self, lines: Sequence[list[Any]]) -> None:
        data = self._encoded(lines)
        self._tail += len(data)
        if self._descriptor is None:
            if self._tail >= RETRY_BYTES:
                self._renew()
            return
        try:
            self._put(self._descriptor, data)
        except OSError as error:
            self._refused(error)
            return
        if self._tail >= self._tail_bytes:
            self._renew()

    def _put(self, descriptor: int, data: bytes) -> None:
        """Write bytes whole; a disk that fills up takes a part first, then refuses."""
        view = memoryview(data)
        while view:
            view = view[self._write(descriptor, bytes(view)) :]

    def _renew(self) -> None:
        """Make the file anew from memory: beside it, then by a rename, so that one is whole."""
        self._tail = 0
        beside = self._path.with_name(self._path.name + ".part")
        descriptor: int | None = None
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
            descriptor = os.open(beside, flags, 0o600)
            for piece in self.whole():
                self._put(descriptor, piece)
            beside.replace(self._path)
        except OSError as error:
            if descriptor is not None:
                os.close(descriptor)
            with contextlib.suppress(OSError):  # it never came to be
                beside.unlink()
            self._refused(error)
            return
        self.close()
        self._descriptor = descriptor

    def _refused(self, error: OSError) -> None:
        self.close()
        self._tail = 0
        why = f"it cannot be written ({error.strerror or error}): readings stay in memory"
        fix = f"make room where {self._path.parent.name} lies"
        if FILE not in self._absent:
            self._absent[FILE] = Absent(sensor=FILE, why=why, fix=fix, since_s=self._now)


def _row(point: Point) -> list[float | None]:
    """Return a point as it is written: short where it is of one sample."""
    numbers = point[:2] if point.weight == 1.0 else point
    return [None if math.isnan(n) else round(n, DIGITS) for n in numbers]
