"""Hours of samples in minutes: what counts as flat, and as enough."""

from __future__ import annotations

import msgspec
import pytest

import sampler_soak
from breakeven.model.sensing import SamplerCost
from breakeven.model.timeline import Series
from breakeven.sensors.recording import Recording
from breakeven.sensors.sampler import SamplingPlan
from sampler_soak import Weight

MIB = 1 << 20
RECORDING = Recording(
    timeline=(Series(sensor="host.load_1m", t_s=(1.0,), value=(1.0,)),),
    cost=SamplerCost(fast_s=0.0025, slow_s=0.025, samples=75_000, late=9, cpu_s=9.0, wall_s=225.0),
    thinned=5,
)


def _weights(late_rss: int, file_bytes: int) -> list[Weight]:
    return [
        Weight(0.05, 20 * MIB, MIB), Weight(0.5, 21 * MIB, file_bytes), Weight(1.0, late_rss, MIB)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("late_rss", "file_bytes", "met"),
    [(22 * MIB, 4 * MIB, True), (23 * MIB, 4 * MIB, False), (21 * MIB, 17 * MIB, False)],
)
def test_growth_of_memory_or_file_is_a_miss(late_rss: int, file_bytes: int, *, met: bool) -> None:
    """The second half is set beside the first, the file beside its bound at any time."""
    made = sampler_soak.result(_weights(late_rss, file_bytes), RECORDING, 0.0025)
    assert made.met is met
    assert made.figure.startswith("75000 samples, as many as 2.1 h have")


def test_fewer_samples_than_two_hours_have_show_nothing() -> None:
    """A busy machine drops deadlines: flat so far is not flat to the end."""
    assert RECORDING.cost is not None
    cost = msgspec.structs.replace(RECORDING.cost, samples=60_000)
    short = msgspec.structs.replace(RECORDING, cost=cost)
    assert sampler_soak.result(_weights(21 * MIB, MIB), short, 0.0025).met is None
    ended = msgspec.structs.replace(RECORDING, ended_early="killed")
    assert sampler_soak.result(_weights(21 * MIB, MIB), ended, 0.0025).met is None


def test_a_real_sampler_is_weighed_on_the_way() -> None:
    """Its memory is that of a process, and its file is there."""
    plan = SamplingPlan(fast_s=0.002, slow_s=0.02, gpus=False, points=64, core_share=1.0)
    weights, recording = sampler_soak.soaked(0.5, plan)
    assert len(weights) == sampler_soak.WEIGHINGS
    assert all(4 * MIB < w.rss_bytes < 200 * MIB for w in weights)
    assert weights[-1].file_bytes > 0
    assert max(len(s.t_s) for s in recording.timeline) <= 65
