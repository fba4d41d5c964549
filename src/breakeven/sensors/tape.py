"""Readings kept in bounded memory: when a series is full, neighbours are merged in pairs."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from breakeven.model.timeline import Kind, Series, kind_of

POINTS = 4096
"""Most points of a series, give or take one; 410 s at ten a second before the first merge."""
ALL_POINTS = 65_536
"""Most points of all series together: machines with many cores and GPUs get coarser ones."""
FEWEST = 512


class Point(NamedTuple):
    """Samples merged into one: when, the value, the least, the greatest, and how many they were.

    A value that is not there is NaN here: arrays of numbers hold no None.
    """

    t_s: float
    value: float
    low: float
    high: float
    weight: float


def merged(first: Point, second: Point, kind: Kind) -> Point:
    """Return two neighbours as one.

    A level keeps its mean, weighted by samples. A counter keeps its later reading as it stands at
    its own time, so that differences stay exact. Codes keep every bit that was set at any time,
    with those that were set all the time as the least. A failed reading yields to one that did not.
    """
    if math.isnan(second.value):
        return first
    if math.isnan(first.value):
        return second
    weight = first.weight + second.weight
    if kind == "counter":
        return Point(second.t_s, second.value, first.low, second.high, weight)
    share = second.weight / weight
    t_s = first.t_s + (second.t_s - first.t_s) * share
    if kind == "codes":
        always, ever = int(first.low) & int(second.low), int(first.high) | int(second.high)
        return Point(t_s, float(ever), float(always), float(ever), weight)
    value = first.value + (second.value - first.value) * share
    return Point(t_s, value, min(first.low, second.low), max(first.high, second.high), weight)


class Track:
    """The readings of one sensor.

    Parameters
    ----------
    sensor : str
        As `Series.sensor`.
    """

    def __init__(self, sensor: str) -> None:
        self.sensor = sensor
        self.kind = kind_of(sensor)
        self.fold = 1
        """Samples that make one point now; it doubles with every merge."""
        self._columns = tuple(array("d") for _ in Point._fields)
        self._open: Point | None = None
        self._taken = 0

    def __len__(self) -> int:
        """Return how many points there are."""
        return len(self._columns[0])

    def add(self, t_s: float, value: float | None) -> None:
        """Take one reading; those that are not later than the last are passed over."""
        if self._open is not None:
            last = self._open.t_s
        else:
            last = self._columns[0][-1] if len(self) else -math.inf
        if t_s <= last:
            return
        number = math.nan if value is None else float(value)
        point = Point(t_s, number, number, number, 1.0)
        self._open = point if self._open is None else merged(self._open, point, self.kind)
        self._taken += 1
        if self._taken >= self.fold:
            self._close()

    def put(self, point: Point) -> None:
        """Take a point that was merged before."""
        self._close()
        for column, number in zip(self._columns, point, strict=True):
            column.append(number)

    def thin(self) -> None:
        """Merge neighbours in pairs; the points to come are made of twice as many samples."""
        self._close()
        points = list(self.points())
        for column in self._columns:
            del column[:]
        for place in range(0, len(points) - 1, 2):
            self.put(merged(points[place], points[place + 1], self.kind))
        if len(points) % 2:
            self.put(points[-1])
        self.fold *= 2

    def points(self) -> Iterator[Point]:
        """Give all points, with the one that is not full yet."""
        for row in zip(*self._columns, strict=True):
            yield Point(*row)
        if self._open is not None:
            yield self._open

    def series(self) -> Series:
        """Return the readings as a record."""
        points = list(self.points())
        whole = all(p.weight == 1.0 for p in points)
        return Series(
            sensor=self.sensor,
            t_s=tuple(p.t_s for p in points),
            value=tuple(_known(p.value) for p in points),
            low=() if whole else tuple(_known(p.low) for p in points),
            high=() if whole else tuple(_known(p.high) for p in points),
        )

    def _close(self) -> None:
        if self._open is not None:
            for column, number in zip(self._columns, self._open, strict=True):
                column.append(number)
        self._open, self._taken = None, 0


class Tape:
    """The readings of all sensors, in memory that does not grow with time.

    Parameters
    ----------
    points : int
        Most points of one series.
    """

    def __init__(self, points: int = POINTS) -> None:
        self._points = points
        self.tracks: dict[str, Track] = {}
        self.thinned = 0

    def add(self, sensor: str, t_s: float, value: float | None) -> None:
        """Take one reading."""
        track = self.track(sensor)
        track.add(t_s, value)
        if len(track) > self.room:
            self._thin(track)

    def track(self, sensor: str) -> Track:
        """Return the readings of a sensor, begun where it is new."""
        track = self.tracks.get(sensor)
        if track is None:
            track = self.tracks[sensor] = Track(sensor)
        return track

    @property
    def room(self) -> int:
        """Most points of one series now."""
        return min(self._points, max(FEWEST, ALL_POINTS // max(1, len(self.tracks))))

    def series(self) -> tuple[Series, ...]:
        """Return everything as records, in the order in which the sensors were first heard."""
        return tuple(track.series() for track in self.tracks.values())

    def _thin(self, track: Track) -> None:
        while len(track) > self.room:
            track.thin()
        self.thinned = max(self.thinned, track.fold.bit_length() - 1)


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number
