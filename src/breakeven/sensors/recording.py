"""What a sampler recorded: its records, and how they are read from its file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from breakeven.errors import InputError
from breakeven.model.sensing import Absent, Energy, Mark, SamplerCost, Sensing, Watched
from breakeven.model.timeline import Series
from breakeven.sensors.tape import Point, Tape

VERSION = 1
KILLED = "the sampler ended without a word; what it had written until then was kept"


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a file: the sampler's clock at the beginning, most points of a series.

    Attributes
    ----------
    unix_s : float or None
        The same moment as Unix time.
    """

    version: int
    began_s: float
    points: int
    thinned: int
    source: Literal["sensors", "replay"]
    unix_s: float | None = None


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """The readings of all sensors from a sampler's start to its end.

    Attributes
    ----------
    timeline : tuple of Series
        One each sensor; times in seconds since `origin_s`.
    absent : tuple of Absent
        What could not be read, or no longer.
    cost : SamplerCost or None
        The sampler's last word about it; None where it ended before it had one.
    thinned : int
        How often neighbouring samples were merged.
    ended_early : str or None
        Why the recording ends before it was asked to.
    began_s, ended_s : float
        Of the recording, since `origin_s`.
    origin_s : float
        What times are counted from, by ``time.perf_counter`` of the machine (CLOCK_MONOTONIC on
        Linux, so that all its processes share it).
    source : str
        ``sensors``, or ``replay`` where a recording was played.
    unix_s : float or None
        Unix time of `origin_s`.
    """

    timeline: tuple[Series, ...] = ()
    absent: tuple[Absent, ...] = ()
    cost: SamplerCost | None = None
    thinned: int = 0
    ended_early: str | None = None
    began_s: float = 0.0
    ended_s: float = 0.0
    origin_s: float = 0.0
    source: Literal["sensors", "replay"] = "sensors"
    unix_s: float | None = None

    def since(self, origin_s: float) -> Recording:
        """Return the same with times counted from another moment of the clock."""
        shift = self.origin_s - origin_s
        return msgspec.structs.replace(
            self,
            timeline=tuple(
                msgspec.structs.replace(s, t_s=tuple(t + shift for t in s.t_s))
                for s in self.timeline
            ),
            absent=tuple(
                a
                if a.since_s is None
                else msgspec.structs.replace(a, since_s=max(0.0, a.since_s + shift))
                for a in self.absent
            ),
            began_s=self.began_s + shift,
            ended_s=self.ended_s + shift,
            origin_s=origin_s,
            unix_s=None if self.unix_s is None else self.unix_s - shift,
        )

    def sensing(
        self,
        marks: Sequence[Mark] = (),
        energies: Sequence[Energy] = (),
        watched: Watched | None = None,
    ) -> Sensing:
        """Return everything but the readings, as a run stores it."""
        return Sensing(
            source=self.source,
            marks=tuple(marks),
            absent=self.absent,
            energies=tuple(energies),
            cost=self.cost,
            thinned=self.thinned,
            ended_early=self.ended_early,
            watched=watched,
            unix_s=self.unix_s,
        )


def read_recording(path: Path) -> Recording:
    """Read the file of a sampler, ended or killed; a torn last line is left out.

    Raises
    ------
    InputError
        If the file cannot be read, or is none of a sampler's.
    """
    try:
        return decoded(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"the recording {path} cannot be read ({error.strerror})", "name another file"
        ) from error
    except (msgspec.DecodeError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(f"{path} is no recording: {error}", "name another file") from error


def decoded(content: bytes) -> Recording:
    """Return the recording that lines hold.

    Raises
    ------
    ValueError, TypeError, IndexError, OverflowError, msgspec.DecodeError
        If they are not those of a sampler.
    """
    reader = _Reader()
    for line in _lines(content):
        reader.take(line)
    return reader.recording()


def _lines(content: bytes) -> Iterator[list[Any]]:
    pieces = content.split(b"\n")
    # What follows the last line's end was not written whole.
    for piece in pieces[:-1]:
        yield msgspec.json.decode(piece, type=list)


class _Reader:
    """Folds the lines of a file: first what was merged, then sample after sample."""

    def __init__(self) -> None:
        self._head: Head | None = None
        self._tape = Tape()
        self._names: list[str] = []
        self._absent: dict[str, Absent] = {}
        self._cost: SamplerCost | None = None
        self._thinned = 0
        self._last = -math.inf
        self._ended: tuple[str | None] | None = None

    def take(self, line: list[Any]) -> None:
        """Fold one line."""
        word, *rest = line
        if word != "head" and self._head is None:
            raise ValueError("it does not begin as one")
        match word:
            case "head":
                self._begin(msgspec.convert(rest[0], Head))
            case "name":
                self._names.append(str(rest[0]))
            case "at":
                self._samples(rest)
            case "points":
                self._points(rest)
            case "absent":
                found = msgspec.convert(rest[0], Absent)
                self._absent[found.sensor] = found
            case "cost":
                self._cost = msgspec.convert(rest[0], SamplerCost)
            case "end":
                self._ended = (rest[0],)
                self._last = max(self._last, float(rest[1]))
            case _:
                raise ValueError(f"no line of a recording begins with {word!r}")

    def _begin(self, head: Head) -> None:
        if head.version != VERSION:
            raise ValueError(f"it has version {head.version}, this reads {VERSION}")
        self._head = head
        self._tape = Tape(head.points)
        self._thinned = head.thinned

    def _samples(self, rest: list[Any]) -> None:
        t_s = float(rest[0])
        pairs = iter(rest[1:])
        for name, value in zip(pairs, pairs, strict=True):
            self._tape.add(self._names[name], t_s, value)
        self._last = max(self._last, t_s)

    def _points(self, rest: list[Any]) -> None:
        sensor, fold, rows = rest
        track = self._tape.track(sensor)
        track.fold = int(fold)
        for row in rows:
            track.put(_point(row))
            self._last = max(self._last, row[0])

    def recording(self) -> Recording:
        """Return everything that was folded."""
        if self._head is None:
            raise ValueError("it is empty")
        began = self._head.began_s
        timeline = self._tape.series()
        # What was absent at first, with no moment named, and was read later, is not absent.
        read = {s.sensor for s in timeline if any(v is not None for v in s.value)}
        return Recording(
            timeline=timeline,
            absent=tuple(
                a for a in self._absent.values() if a.since_s is not None or a.sensor not in read
            ),
            cost=self._cost,
            thinned=max(self._thinned, self._tape.thinned),
            ended_early=KILLED if self._ended is None else self._ended[0],
            began_s=began,
            ended_s=max(began, self._last),
            source=self._head.source,
            unix_s=None if self._head.unix_s is None else self._head.unix_s - began,
        )


def _point(row: Sequence[float | None]) -> Point:
    numbers = [math.nan if each is None else float(each) for each in row]
    if len(numbers) == 2:
        # A point of one sample is its own least and greatest.
        t_s, value = numbers
        return Point(t_s, value, value, value, 1.0)
    return Point(*numbers)
