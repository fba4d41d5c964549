"""Few figures of a stretch: means over time, extremes, and rates of counters."""

from __future__ import annotations

import pytest

from breakeven.analysis.stretches import readings
from breakeven.model.study import Reading
from breakeven.model.timeline import Series


def _one(series: Series, begin_s: float = 0.0, end_s: float = 10.0) -> Reading | None:
    found = readings([series], begin_s, end_s)
    return found[0] if found else None


def test_a_mean_is_over_time_and_not_over_samples() -> None:
    """Ten samples in the first second weigh no more than that second."""
    times = (*(0.1 * i for i in range(11)), 10.0)
    values = (*(100.0 for _ in range(11)), 100.0)
    crowded = Series(sensor="gpu0.power_w", t_s=(0.0, 0.5, 1.0, 9.0), value=(0.0, 0.0, 0.0, 8.0))
    found = _one(crowded)
    assert found is not None
    assert found.mean == pytest.approx(32.0 / 9.0)
    flat = _one(Series(sensor="gpu0.power_w", t_s=times, value=values))
    assert flat is not None
    assert flat.mean == pytest.approx(100.0)


def test_extremes_are_those_of_merged_samples() -> None:
    """A peak that was merged into a mean is still the greatest."""
    series = Series(
        sensor="gpu0.power_w", t_s=(1.0, 2.0), value=(300.0, 310.0), low=(90.0, 300.0),
        high=(698.0, 320.0),
    )  # fmt: skip
    assert _one(series) == Reading(
        sensor="gpu0.power_w", mean=305.0, low=90.0, high=698.0, samples=2
    )


def test_only_samples_of_the_stretch_count_and_gaps_do_not() -> None:
    """What lies outside, or could not be read, is left out."""
    series = Series(sensor="x.y", t_s=(0.0, 1.0, 2.0, 3.0), value=(9.0, 1.0, None, 3.0))
    found = _one(series, 0.5, 3.0)
    assert found == Reading(sensor="x.y", mean=2.0, low=1.0, high=3.0, samples=2)
    assert _one(series, 1.5, 2.5) is None
    single = _one(series, 2.5, 3.5)
    assert single is not None
    assert (single.mean, single.samples) == (3.0, 1)


def test_bytes_become_bytes_a_second() -> None:
    """Least and greatest are those between two readings."""
    series = Series(sensor="gpu0.to_device_bytes", t_s=(1.0, 2.0, 4.0), value=(0.0, 50.0, 70.0))
    assert _one(series) == Reading(
        sensor="gpu0.to_device_bytes_per_s", mean=70 / 3, low=10.0, high=50.0, samples=2
    )


def test_seconds_held_become_a_share_of_time() -> None:
    """Clocks that were held for a second of four: a quarter."""
    series = Series(sensor="gpu0.held_thermal_total_s", t_s=(1.0, 5.0), value=(7.0, 8.0))
    found = _one(series)
    assert found is not None
    assert (found.sensor, found.mean) == ("gpu0.held_thermal_share", 0.25)


@pytest.mark.parametrize("sensor", ["gpu0.held_by", "gpu0.energy_j", "cpu.energy_j"])
def test_codes_and_energy_have_no_mean(sensor: str) -> None:
    """A mean of bits says nothing; energy has a record of its own."""
    assert _one(Series(sensor=sensor, t_s=(1.0, 2.0), value=(1.0, 4.0))) is None


def test_a_counter_that_began_anew_has_no_rate() -> None:
    """A negative number of bytes a second is none."""
    series = Series(sensor="gpu0.to_host_bytes", t_s=(1.0, 2.0, 3.0), value=(50.0, 70.0, 0.0))
    assert _one(series) is None
    assert _one(series, 0.0, 2.0) is not None
