"""The benchmark of a step's phases: its arithmetic, and one case on the CPU."""

from __future__ import annotations

import pytest

from breakeven.backends import registry
from breakeven.workloads.training.base import Phases
from training_phases import apart, measured, memory, result

CONDITIONS = {"busy": False, "foreign_cores": 0.0}


def phases(rest_s: float) -> Phases:
    """Return a step of a second of which this is in no phase."""
    return Phases(
        loader_s=0.1,
        to_device_s=0.1,
        forward_s=0.3,
        backward_s=0.4,
        optimiser_s=0.1 - rest_s,
        step_s=1.0,
    )


def test_what_is_in_no_phase_is_told() -> None:
    """A tenth of the step missing is 10 % off, and one odd step does not move it."""
    found = apart([phases(0.1), phases(0.1), phases(0.0)], 0.8)
    assert found["off"] == pytest.approx(-0.1)
    assert found["awaited_over_plain"] == pytest.approx(1.25)


def test_the_worst_case_is_the_figure() -> None:
    """One model over 5 % misses the target, and is named."""
    good = {"backend": "torch-cpu", "model": "mlp", "off": -0.01} | memory(None, None)
    bad = {"backend": "torch-cuda", "model": "cnn", "off": -0.06} | memory(120, 100)
    assert result([good], CONDITIONS).met is True
    told = result([good, bad], CONDITIONS)
    assert told.met is False
    assert "-6.0 % at most (cnn on torch-cuda) in 2 cases" in told.figure
    assert "memory predicted 1.20 to 1.20 times" in told.figure


def test_memory_that_nobody_counts_is_none() -> None:
    """On a CPU there is no allocator's peak to compare with."""
    assert memory(100, None)["predicted_over_taken"] is None
    assert memory(None, 100)["predicted_over_taken"] is None


def test_a_case_is_measured_on_the_cpu() -> None:
    """Its parts are less than the whole, and there is a step without awaiting beside it."""
    backend = registry.get("torch-cpu")
    backend.open()
    row = measured("mlp", backend)
    assert -1 < row["off"] <= 0
    assert row["plain_step_s"] > 0
    assert row["taken_bytes"] is None
