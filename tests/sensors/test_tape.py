"""Readings in bounded memory: what a merge keeps, and that it bounds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.sensors.tape import Point, Tape, Track, merged


def _point(t_s: float, value: float, weight: float = 1.0) -> Point:
    return Point(t_s, value, value, value, weight)


def test_a_merged_level_keeps_mean_least_and_greatest() -> None:
    """The mean is weighted by samples, and so is the moment."""
    assert merged(_point(0.0, 1.0, 3.0), _point(4.0, 5.0), "level") == (1.0, 2.0, 1.0, 5.0, 4.0)


def test_a_merged_counter_keeps_a_reading_that_was_made() -> None:
    """Its later reading stands at the time of that reading, so that differences stay exact."""
    found = merged(_point(0.0, 100.0), _point(1.0, 140.0), "counter")
    assert found == (1.0, 140.0, 100.0, 140.0, 2.0)


def test_merged_codes_keep_every_bit() -> None:
    """A reason seen in one of two samples is seen; one seen in both was there all the time."""
    found = merged(_point(0.0, float(0b101)), _point(1.0, float(0b110)), "codes")
    assert (found.value, found.low, found.high) == (0b111, 0b100, 0b111)


def test_a_failed_reading_yields_to_its_neighbour() -> None:
    """Not to be read is no value: it moves no mean."""
    there, gap = _point(1.0, 7.0), _point(2.0, math.nan)
    assert merged(there, gap, "level") is there
    assert merged(gap, there, "level") is there


def test_a_failed_reading_is_a_gap_in_the_series() -> None:
    """It is None in the record, never 0."""
    track = Track("gpu0.power_w")
    for t_s, value in ((0.0, 80.0), (0.1, None), (0.2, 90.0)):
        track.add(t_s, value)
    assert track.series().value == (80.0, None, 90.0)
    assert track.series().low == ()


def test_a_reading_that_is_not_later_is_passed_over() -> None:
    """Times ascend, whatever a driver's buffer repeats."""
    track = Track("gpu0.power_w")
    for t_s in (1.0, 1.0, 0.5, 2.0):
        track.add(t_s, t_s)
    assert track.series().t_s == (1.0, 2.0)


@given(
    st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1, max_size=600),
    st.integers(4, 40),
)
def test_a_tape_stays_small_and_keeps_extremes(values: list[float | None], points: int) -> None:
    """However long it runs: few points, ascending times, the least and greatest of all samples."""
    tape = Tape(points)
    for place, value in enumerate(values):
        tape.add("host.load_1m", 0.1 * place, value)
    (series,) = tape.series()
    assert len(series.t_s) <= points + 1
    assert list(series.t_s) == sorted(set(series.t_s))
    known = [v for v in values if v is not None]
    if known:
        lows = [v for v in (series.low or series.value) if v is not None]
        highs = [v for v in (series.high or series.value) if v is not None]
        assert (min(lows), max(highs)) == (min(known), max(known))


def test_the_mean_of_a_full_tape_is_that_of_all_samples() -> None:
    """Merging evenly sized groups of samples leaves their mean as it was."""
    tape = Tape(64)
    for place in range(64 * 32):
        tape.add("host.load_1m", float(place), float(place % 7))
    (series,) = tape.series()
    values = [v for v in series.value if v is not None]
    expected = sum(place % 7 for place in range(64 * 32)) / (64 * 32)
    assert sum(values) / len(values) == pytest.approx(expected, rel=0.02)
    assert tape.thinned >= 5


def test_more_sensors_get_fewer_points_each() -> None:
    """Memory is bounded for all series together, down to a floor that still shows a shape."""
    tape = Tape()
    assert tape.room == 4096
    for number in range(128):
        tape.track(f"cpu{number}.busy_share")
    assert tape.room == 512
