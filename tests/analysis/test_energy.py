"""Joules of a window: from meters whose true energy is known, and the reasons where there are none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.analysis.energy import MOST_UNCERTAIN, energies
from breakeven.model.sensing import Absent, Energy
from breakeven.model.timeline import Series


def _power(t_s: float) -> float:
    """Return the true power: 80 W idle until 10 s, then a load that swings about 400 W."""
    return 80.0 if t_s < 10.0 else 400.0 + 100.0 * math.sin(t_s)


def _energy(t_s: float) -> float:
    """Return the true energy since 0 s."""
    if t_s < 10.0:
        return 80.0 * t_s
    return 800.0 + 400.0 * (t_s - 10.0) + 100.0 * (math.cos(10.0) - math.cos(t_s))


def _counter(
    period_s: float, step_s: float = 0.1, phase_s: float = 0.03, end_s: float = 40.0
) -> Series:
    """Return readings of a counter that is brought up to date every so often."""
    times = tuple(i * step_s for i in range(round(end_s / step_s) + 1))
    seen = [
        _energy(max(0.0, math.floor((t - phase_s) / period_s) * period_s + phase_s)) for t in times
    ]
    return Series(sensor="gpu0.energy_j", t_s=times, value=tuple(round(v, 3) for v in seen))


def _meter(step_s: float = 0.1, name: str = "gpu0.power_w", end_s: float = 40.0) -> Series:
    times = tuple(i * step_s for i in range(round(end_s / step_s) + 1))
    return Series(sensor=name, t_s=times, value=tuple(_power(t) for t in times))


def _gpu(found: tuple[Energy, ...]) -> Energy:
    return next(e for e in found if e.device == "gpu0")


@pytest.mark.parametrize("period_s", [0.02, 0.0997, 0.1, 0.25])
@pytest.mark.parametrize("window", [(12.0, 22.0), (12.34, 30.07), (10.5, 36.9)])
def test_the_true_energy_lies_within_the_uncertainty(
    period_s: float, window: tuple[float, float]
) -> None:
    """Whatever the meter's period, of the window between the readings that were used."""
    found = _gpu(energies([_counter(period_s)], *window))
    assert found.method == "counter"
    assert found.gross_j is not None
    assert found.uncertainty_j is not None
    # The readings lie within a period and a sample of the window's ends.
    slack = 2 * (period_s + 0.1)
    assert window[1] - window[0] - slack <= found.window_s <= window[1] - window[0]
    mean = (_energy(window[1]) - _energy(window[0])) / (window[1] - window[0])
    assert found.gross_j / found.window_s == pytest.approx(mean, rel=0.05)
    assert found.uncertainty_j <= MOST_UNCERTAIN * found.gross_j


@given(st.floats(0.02, 0.4), st.floats(0.0, 0.02), st.floats(11.0, 15.0), st.floats(22.0, 38.0))
def test_a_counter_is_never_further_off_than_it_says(
    period_s: float, phase_s: float, begin_s: float, end_s: float
) -> None:
    """The error against the true energy of the same window stays below the stated uncertainty."""
    counter = _counter(period_s, phase_s=phase_s)
    found = _gpu(energies([counter], begin_s, end_s))
    if found.gross_j is None:
        return
    assert found.uncertainty_j is not None
    inside = [
        i for i in range(1, len(counter.t_s))
        if begin_s <= counter.t_s[i] <= end_s
        and begin_s <= counter.t_s[i - 1]
        and counter.value[i] != counter.value[i - 1]
    ]  # fmt: skip
    true = _energy(counter.t_s[inside[-1]]) - _energy(counter.t_s[inside[0]])
    # Steps are those of the load at the ends; within one the load may swing by a tenth.
    assert abs(found.gross_j - true) <= 1.2 * found.uncertainty_j


@pytest.mark.parametrize(("period_s", "least_s"), [(0.02, 0.1), (0.25, 0.25), (1.0, 1.0)])
def test_the_update_period_is_found_from_the_readings(period_s: float, least_s: float) -> None:
    """A period below that of sampling cannot be seen: then sampling's is what counts."""
    found = _gpu(energies([_counter(period_s, end_s=60.0)], 12.0, 58.0))
    assert found.update_period_s == pytest.approx(least_s, rel=0.05)


def test_a_short_window_is_refused_with_the_length_that_would_do() -> None:
    """Half a second of a meter that steps every tenth leaves too much open."""
    found = _gpu(energies([_counter(0.1)], 12.0, 12.65))
    assert (found.gross_j, found.net_j, found.method) == (None, None, None)
    assert found.why is not None
    assert "too short" in found.why
    assert found.fix is not None
    assert "repeat the work until it takes" in found.fix
    longer = float(found.fix.split()[-4])
    assert _gpu(energies([_counter(0.1)], 12.0, 12.0 + 1.1 * longer)).gross_j is not None


def test_a_window_shorter_than_a_few_steps_has_no_period() -> None:
    """One step of energy is no answer for a single batch."""
    found = _gpu(energies([_counter(0.1)], 12.0, 12.25))
    assert found.why is not None
    assert "too few to tell" in found.why


def test_net_is_gross_less_idle_and_stands_beside_it() -> None:
    """The idle stretch at 80 W is taken off over the window between the readings."""
    found = _gpu(energies([_counter(0.1), _meter()], 12.0, 32.0, idle=(2.0, 8.0)))
    assert found.idle_w == pytest.approx(80.0, rel=0.03)
    assert found.gross_j is not None
    assert found.idle_w is not None
    assert found.net_j == pytest.approx(found.gross_j - found.idle_w * found.window_s)
    assert found.why is None


def test_without_an_idle_stretch_there_is_gross_alone_and_why() -> None:
    """What was not measured is not taken off."""
    found = _gpu(energies([_counter(0.1)], 12.0, 32.0))
    assert found.gross_j is not None
    assert (found.net_j, found.idle_w) == (None, None)
    assert found.why is not None
    assert "no idle stretch" in found.why
    short = _gpu(energies([_counter(0.1)], 12.0, 32.0, idle=(2.0, 2.3)))
    assert short.net_j is None
    assert short.why is not None
    assert short.why.startswith("the idle stretch cannot be read")


def test_power_over_time_stands_beside_the_counter() -> None:
    """Two ways of the same joules, within 5 % over ten seconds."""
    found = _gpu(energies([_counter(0.1), _meter()], 12.0, 22.0))
    assert found.gross_j is not None
    assert found.integrated_j == pytest.approx(found.gross_j, rel=0.05)


def test_without_a_counter_power_is_integrated_and_named_so() -> None:
    """Its uncertainty is what one update of the meter may miss."""
    found = _gpu(energies([_meter()], 12.0, 32.0, idle=(1.0, 9.0)))
    assert found.method == "integrated"
    true = _energy(32.0) - _energy(12.0)
    assert found.gross_j is not None
    assert found.uncertainty_j is not None
    assert abs(found.gross_j - true) < found.uncertainty_j
    assert found.integrated_j is None


def test_an_average_of_a_second_needs_a_longer_window() -> None:
    """Its edges are a second wide: ten seconds are too few, forty are enough."""
    average = _meter(name="gpu0.power_average_w", end_s=80.0)
    short = _gpu(energies([average], 12.0, 22.0))
    assert short.gross_j is None
    assert _gpu(energies([average], 12.0, 62.0)).method == "integrated"


def test_a_counter_that_stops_half_way_gives_no_energy() -> None:
    """The driver vanished: what was counted until then is not that of the window."""
    half = _counter(0.1, end_s=20.0)
    found = _gpu(energies([half], 12.0, 32.0))
    assert found.gross_j is None
    assert found.why == "its readings stop before the window's end"


def test_a_device_without_a_meter_has_the_reason_and_the_way() -> None:
    """What was refused is told of the CPU; of a GPU that is not there nothing is told."""
    refused = Absent(sensor="cpu.energy_j", why="this user may not read it", fix="ask")
    (cpu,) = energies([_counter(0.1)][:0], 12.0, 32.0, absent=[refused])
    assert (cpu.device, cpu.gross_j, cpu.why, cpu.fix) == ("cpu", None, refused.why, "ask")
    gone = Absent(sensor="gpu1", why="fallen off the bus", since_s=3.0)
    found = energies([_counter(0.1)], 12.0, 32.0, absent=[gone, refused])
    assert [e.device for e in found] == ["gpu0", "gpu1", "cpu"]
    assert found[1].why == "fallen off the bus"


def test_the_cpu_is_its_packages_with_memory() -> None:
    """Both counters are added where both were read; the method names the meter."""
    times = tuple(0.1 * i for i in range(301))
    cpu = Series(sensor="cpu.energy_j", t_s=times, value=tuple(50.0 * t for t in times))
    memory = Series(sensor="memory.energy_j", t_s=times, value=tuple(10.0 * t for t in times))
    (found,) = energies([cpu, memory], 5.0, 25.0, idle=(0.0, 4.0))
    assert found.method == "powercap"
    assert found.gross_j == pytest.approx(60.0 * found.window_s)
    assert found.net_j == pytest.approx(0.0, abs=1e-6)
    (alone,) = energies([cpu], 5.0, 25.0)
    assert alone.gross_j == pytest.approx(50.0 * alone.window_s)


def test_gaps_in_a_counter_take_nothing_from_it() -> None:
    """A reading that failed is no reading; the counter went on."""
    whole = _counter(0.1)
    holes = tuple(None if i % 7 == 0 else v for i, v in enumerate(whole.value))
    found = _gpu(energies([Series(sensor=whole.sensor, t_s=whole.t_s, value=holes)], 12.0, 32.0))
    assert found.gross_j is not None
    assert found.gross_j / found.window_s == pytest.approx(
        (_energy(32.0) - _energy(12.0)) / 20.0, rel=0.02
    )


def test_a_counter_that_began_anew_gives_no_energy() -> None:
    """A driver that was loaded again, or a recording that goes on after an interruption."""
    times = tuple(0.1 * i for i in range(400))
    counts = tuple(400.0 * (t if t < 20.0 else t - 20.0) for t in times)
    anew = Series(sensor="gpu0.energy_j", t_s=times, value=counts)
    assert _gpu(energies([anew], 12.0, 32.0)).why == "its counter began anew within the window"
    assert _gpu(energies([anew], 22.0, 32.0)).gross_j is not None
