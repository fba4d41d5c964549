"""Two ways of the same joules: how far apart they are, and when that is shown."""

from __future__ import annotations

import pytest

import energy_cross_check
from breakeven.model.sensing import Absent, Energy
from breakeven.model.timeline import Series
from breakeven.sensors.recording import Recording
from energy_cross_check import IDLE, PAUSED, STEADY, read, result

TIMES = tuple(0.1 * i for i in range(701))


def _recording(scale: float) -> Recording:
    """Return a GPU at 400 W whose counter counts so many joules for each."""
    return Recording(
        timeline=(
            Series(sensor="gpu0.energy_j", t_s=TIMES, value=tuple(400 * scale * t for t in TIMES)),
            Series(
                sensor="gpu0.power_w", t_s=TIMES, value=tuple(400.0 + i % 2 for i in range(701))
            ),
        )
    )


WINDOWS = [
    (IDLE, 1.0, 11.0),
    *((STEADY, b, b + 10.0) for b in (12.0, 24.0, 36.0)),
    (PAUSED, 48.0, 58.0),
]


@pytest.mark.parametrize(("scale", "met"), [(1.0, True), (1.04, True), (1.1, False), (0.9, False)])
def test_steady_windows_must_agree_within_five_percent(scale: float, *, met: bool) -> None:
    """A counter that counts a tenth too much or too little is found."""
    made = result(read(_recording(scale), WINDOWS), {})
    assert made.met is met
    assert made.figure.startswith("power over time beside the counter, at most: steady ")
    assert len(made.details["windows"]) == 5


def test_without_a_counter_nothing_is_shown() -> None:
    """The row stays open, with the reason."""
    power = Recording(
        timeline=_recording(1.0).timeline[1:], absent=(Absent(sensor="gpu0.energy_j", why="no"),)
    )
    made = result(read(power, WINDOWS), {})
    assert made.met is None
    assert "steady no figure" in made.figure


def test_integrated_power_alone_is_no_cross_check() -> None:
    """There must be a counter to set it beside."""
    alone = Energy(device="gpu0", window_s=10.0, method="integrated", gross_j=1.0)
    assert energy_cross_check.apart(alone) is None
