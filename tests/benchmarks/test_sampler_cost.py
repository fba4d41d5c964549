"""What sensors cost: the arithmetic of the row, and a sampler that is stopped and goes on."""

from __future__ import annotations

import math
import os
import random
import time
from pathlib import Path

import pytest

import sampler_cost
from breakeven.model.sensing import SamplerCost
from breakeven.sensors.sampler import Sampler, SamplingPlan
from sampler_cost import Loop, SlowDown, slow_down


def _cost(cpu_s: float) -> SamplerCost:
    return SamplerCost(
        fast_s=0.1, slow_s=1.0, samples=150, late=0, cpu_s=cpu_s, wall_s=15.0, rss_bytes=20 << 20
    )


def test_a_planted_slow_down_is_found_within_its_interval() -> None:
    """Blocks that take 1 % longer beside the sampler, in noise of 2 %."""
    draw = random.Random(5)
    found = slow_down([math.log(1.01) + draw.gauss(0, 0.02) for _ in range(400)])
    assert found.low < 0.01 < found.high
    assert found.low > 0.005


@pytest.mark.parametrize(
    ("cpu_s", "found", "met"),
    [
        (0.06, SlowDown(0.001, -0.001, 0.003, 40), True),
        (0.09, SlowDown(0.001, -0.001, 0.003, 40), False),
        (0.06, SlowDown(0.010, 0.006, 0.014, 40), False),
        (0.06, SlowDown(0.004, 0.001, 0.008, 40), None),
    ],
)
def test_both_must_hold_and_an_open_interval_settles_nothing(
    cpu_s: float, found: SlowDown, *, met: bool | None
) -> None:
    """0.5 % of a core, 0.5 % of the loop by the far end of the interval."""
    made = sampler_cost.result(_cost(cpu_s), found, "a loop", {"busy": False})
    assert made.met is met
    assert "in 40 pairs of blocks" in made.figure


def test_a_sampler_is_stopped_for_every_other_block_and_goes_on(tmp_path: Path) -> None:
    """It samples on the way and to the end, and has one pair for each two blocks."""
    one = Loop("sums", lambda count: [sum(range(9)) for _ in range(count)] and None)
    plan = SamplingPlan(fast_s=0.005, slow_s=0.05, gpus=False)
    with Sampler(plan, tmp_path, os.getpid()) as sampler:
        assert sampler.pid is not None
        found = sampler_cost.pairs(one, sampler.pid, number=4, block_s=0.05)
        end = time.perf_counter() + 0.05
        while time.perf_counter() < end:
            pass
        recording = sampler.finish()
    assert len(found) == 4
    assert recording.ended_early is None
    assert recording.cost is not None
    assert recording.cost.samples > 5
