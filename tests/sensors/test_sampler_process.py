"""Which sensors the process reads, and what part of a core each may take."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from breakeven.sensors.host import Host
from breakeven.sensors.played import Played
from breakeven.sensors.powercap import Powercap
from breakeven.sensors.process_tree import ProcessTree
from breakeven.sensors.sampler import Order, SamplingPlan
from breakeven.sensors.sampler_process import sensors_of
from breakeven.sensors.thrifty import Thrifty
from breakeven.sensors.writing import Writer


def _order(plan: SamplingPlan) -> Order:
    return Order(plan=plan, path="", root_pid=os.getpid(), parent=os.getppid())


@pytest.mark.parametrize(
    ("fast_s", "all_together"), [(0.1, 0.003), (1.0, 0.003), (0.01, 0.03), (1e-5, 1.0)]
)
def test_what_readings_may_cost_grows_with_the_rate_that_was_asked_for(
    fast_s: float, all_together: float
) -> None:
    """Half a percent of a core is for ten a second; a hundred may cost ten times as much."""
    sensors = sensors_of(_order(SamplingPlan(fast_s=fast_s, gpus=False)))
    thrifty = [s for s in sensors if isinstance(s, Thrifty)]
    assert [type(s._sensor) for s in thrifty] == [Host, ProcessTree]
    assert sum(s._share for s in thrifty) == pytest.approx(all_together)
    assert any(isinstance(s, Powercap) for s in sensors)
    for sensor in sensors:
        sensor.close()


def test_a_recording_is_all_that_is_read_where_one_is_played(tmp_path: Path) -> None:
    """This machine's own readings would not go with it."""
    Writer(tmp_path / "a", 1.0).close()
    (sensor,) = sensors_of(_order(SamplingPlan(replay=str(tmp_path / "a"))))
    assert isinstance(sensor, Played)
