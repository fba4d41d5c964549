"""The clocks of the truth table on a real device: each gives a time, or says why not."""

from __future__ import annotations

import pytest

import device_clock
import harness_clocks
from device_clock import Bench, measured

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("backend", ["torch-cuda", "cupy"])
def test_every_clock_of_a_call_has_a_time_or_a_reason(backend: str) -> None:
    """A product of N = 2048 is timed by CUPTI and behind a full queue, alike within a tenth."""
    from breakeven.backends import registry

    if not registry.get(backend).find().available:
        pytest.skip(f"{backend} is not here")
    found = measured(Bench(backend), "matmul-2048")
    for key, seconds in found["seconds"].items():
        assert (seconds is None) == (key in found["why"])
        assert seconds is None or seconds > 0
    cupti, queued = found["seconds"]["cupti"], found["seconds"]["queued"]
    assert cupti is not None, found["why"]["cupti"]
    assert queued is not None, found["why"]["queued"]
    assert abs(queued / cupti - 1) < 0.1
    assert device_clock.judged([found]).compared == 1


def test_nvbench_gives_figures_where_it_is_installed() -> None:
    """Cold and batch means of one case come back from its own process."""
    pytest.importorskip("cuda.bench")
    cold, batch = harness_clocks.nvbench_all(["matmul-512"])["matmul-512"]
    assert cold.seconds is not None, cold.why
    assert batch.seconds is not None, batch.why
    assert 0 < cold.seconds < 1e-3
