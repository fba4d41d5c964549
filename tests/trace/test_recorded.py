"""A trace that was taken on real hardware: what is read of it, everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import busy_share
from breakeven.model.trace import TraceSummary
from breakeven.trace.summary import summarise

# Eight steps of the small convolutional network on digits, batch 64, on an NVIDIA H200 (driver
# 580.159, PyTorch 2.11): `breakeven run train --model cnn --data digits --batch-sizes 64,128`.
H200 = Path(__file__).parent / "recorded" / "h200-cnn-64.json.gz"


@pytest.fixture(scope="module")
def seen() -> TraceSummary:
    """Return what is read of the trace."""
    return summarise(H200)


def test_it_has_no_impossible_order(seen: TraceSummary) -> None:
    """Eight steps are found, and every kernel follows the call that launched it."""
    assert seen.why is None
    assert seen.faults == ()
    assert seen.steps == 8


def test_the_busy_share_agrees_with_other_readings_of_the_file() -> None:
    """Within two points: 57 kernels a step keep the device busy for 5.6 % of it."""
    row = busy_share.beside(H200, None)
    assert row["ours"] == pytest.approx(0.0561, abs=1e-4)
    apart = busy_share.apart(row)
    assert apart is not None
    assert apart < 0.02


def test_the_network_waits_for_the_next_launch(seen: TraceSummary) -> None:
    """Idle time and busy time are the whole span, and launches are most of it."""
    assert seen.idle is not None
    assert seen.busy_share is not None
    idle = seen.idle
    parts = (idle.loader_s, idle.launch_s, idle.synchronise_s, idle.other_s)
    assert sum(parts) + seen.busy_share * seen.span_s == pytest.approx(seen.span_s, rel=1e-6)
    assert idle.launch_s > 0.7 * seen.span_s


def test_batches_travel_from_pageable_memory(seen: TraceSummary) -> None:
    """Images and labels of each step: 64 of 8 by 8 in float32, and 64 of eight bytes."""
    (copies,) = [c for c in seen.copies if c.direction == "to_device"]
    assert copies.memory == "pageable"
    assert copies.number == 8 * 2
    assert copies.bytes == 8 * 64 * (8 * 8 * 4 + 8)


def test_no_kernel_works_in_another_precision(seen: TraceSummary) -> None:
    """TF32 was off, so no kernel is one of the tensor cores; none is of float64."""
    assert seen.kernels == 8 * 57
    assert seen.tensor_core_share == 0.0
    assert seen.fp64_share == 0.0


def test_a_clock_in_thousandths_changes_nothing_but_its_unit(tmp_path: Path) -> None:
    """What another program is handed says the same, from zero on."""
    path = tmp_path / "thousandths.json.gz"
    path.write_bytes(busy_share.in_thousandths(H200))
    begun = busy_share.raw_work(H200)
    told = busy_share.raw_work(path)
    assert told.shape == begun.shape
    took = told[:, 1] - told[:, 0]
    assert took == pytest.approx(1000 * (begun[:, 1] - begun[:, 0]), abs=2.0)
