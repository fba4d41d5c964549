"""A watched block on a real GPU: busy, with power, memory and energy that agree."""

from __future__ import annotations

import time

import pytest

import breakeven
from breakeven.report import timeline_charts

pytestmark = pytest.mark.gpu
BUSY_S = 3.0


@pytest.fixture(scope="module")
def seen() -> breakeven.Watch:
    """Return three seconds of matrix products on the first GPU, watched."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no CUDA device")
    x = torch.randn(4096, 4096, device="cuda")
    torch.cuda.synchronize()
    with breakeven.watch("products on the GPU") as made:
        end = time.perf_counter() + BUSY_S
        while time.perf_counter() < end:
            for _ in range(20):
                x @ x
            torch.cuda.synchronize()
    return made


def reading(seen: breakeven.Watch, sensor: str) -> float:
    """Return the mean of a sensor over the block."""
    assert seen.record.sensing is not None
    return next(r.mean for r in seen.record.sensing.readings if r.sensor == sensor)


def test_the_gpu_is_seen_at_work(seen: breakeven.Watch) -> None:
    """A GPU that works all the time is busy most of it, and holds the matrix."""
    assert reading(seen, "gpu0.utilisation_share") > 0.5
    assert reading(seen, "gpu0.memory_bytes") > 4096 * 4096 * 4


def test_energy_and_power_agree(seen: breakeven.Watch) -> None:
    """Energy over its window is within a quarter of the mean power, as both are of one board."""
    energy = next(e for e in seen.energy if e.device == "gpu0")
    assert energy.gross_j is not None, energy.why
    mean_w = energy.gross_j / energy.window_s
    assert mean_w == pytest.approx(reading(seen, "gpu0.power_w"), rel=0.25)


def test_the_answer_names_the_gpu(seen: breakeven.Watch) -> None:
    """Busy share and energy of the GPU are in the first sentence, and in the pictures."""
    first = " ".join(seen.table().partition("\n\n")[0].split())
    assert "Busy share: GPU 0" in first
    assert "Energy: GPU 0" in first
    assert {"timeline-gpu", "timeline-power", "timeline-clock", "timeline-gpu-memory"} <= set(
        timeline_charts.specs(seen.timeline, seen.record.sensing)
    )
