"""Energy of the same work on CPU and GPU: a verdict, a break-even, or a reason."""

from __future__ import annotations

import pytest

from breakeven.analysis.energy_rule import (
    EnergyBreakEven,
    EnergyUnknown,
    EnergyVerdict,
    Side,
    compare_energy,
)
from breakeven.model.sensing import Energy


def _metered(device: str, watts: float, open_share: float = 0.01) -> Energy:
    return Energy(
        device=device, window_s=10.0, method="counter", gross_j=10 * watts,
        uncertainty_j=10 * watts * open_share,
    )  # fmt: skip


NO_CPU = Energy(device="cpu", window_s=10.0, why="no counters here", fix="use bare metal")
GPU_SIDE = Side(seconds=1.0, energies=(_metered("gpu0", 320.0), _metered("cpu", 60.0)))


def test_both_sides_measured_make_a_verdict_on_all_devices() -> None:
    """The CPU's share of the GPU run counts: 380 J against 20 s at 100 W."""
    found = compare_energy(Side(seconds=20.0, energies=(_metered("cpu", 100.0),)), GPU_SIDE)
    assert isinstance(found, EnergyVerdict)
    assert found.word == "gpu_less"
    assert (found.gpu_side_j, found.cpu_side_j) == (pytest.approx(380.0), pytest.approx(2000.0))
    assert found.low < found.ratio < found.high


def test_a_cpu_that_needs_less_is_told_too() -> None:
    """Two seconds at 100 W are less than 380 J."""
    found = compare_energy(Side(seconds=2.0, energies=(_metered("cpu", 100.0),)), GPU_SIDE)
    assert isinstance(found, EnergyVerdict)
    assert found.word == "cpu_less"
    assert found.high < 1


def test_meters_that_leave_it_open_make_no_winner() -> None:
    """A difference of 2 % is less than what the meters leave open."""
    found = compare_energy(Side(seconds=3.876, energies=(_metered("cpu", 100.0),)), GPU_SIDE)
    assert isinstance(found, EnergyVerdict)
    assert found.word == "too_close"
    assert found.low < 1 < found.high


@pytest.mark.parametrize(
    ("cpu", "gpu"),
    [
        (Side(seconds=20.0, energies=(NO_CPU,)), GPU_SIDE),
        (
            Side(seconds=20.0, energies=(_metered("cpu", 100.0),)),
            Side(seconds=1.0, energies=(_metered("gpu0", 320.0), NO_CPU)),
        ),
    ],
)
def test_a_side_that_was_not_measured_makes_a_break_even(cpu: Side, gpu: Side) -> None:
    """No verdict on half the evidence: the limit is 16 W and a twentieth of the host's draw."""
    found = compare_energy(cpu, gpu)
    assert isinstance(found, EnergyBreakEven)
    assert (found.gpu_j, found.gpu_s, found.cpu_s) == (pytest.approx(320.0), 1.0, 20.0)
    assert found.watts == pytest.approx(16.0)
    assert found.share == pytest.approx(0.05)
    assert found.same_host_w == pytest.approx(320.0 / 19.0)
    assert (found.why, found.fix) == ("no counters here", "use bare metal")


def test_the_limit_is_where_both_sides_need_the_same() -> None:
    """At the limit for one host power on both sides, the joules agree."""
    found = compare_energy(Side(seconds=20.0, energies=(NO_CPU,)), GPU_SIDE)
    assert isinstance(found, EnergyBreakEven)
    assert found.same_host_w is not None
    host = found.same_host_w
    assert host * found.cpu_s == pytest.approx(found.gpu_j + host * found.gpu_s)


def test_a_cpu_that_is_no_slower_needs_less_at_any_power() -> None:
    """Then there is no limit to name."""
    found = compare_energy(Side(seconds=0.5, energies=(NO_CPU,)), GPU_SIDE)
    assert isinstance(found, EnergyBreakEven)
    assert found.same_host_w is None


def test_an_unmeasured_gpu_leaves_nothing_to_say() -> None:
    """Its own reason is handed on, or that there was none."""
    gone = Energy(device="gpu0", window_s=1.0, why="too short", fix="longer")
    found = compare_energy(
        Side(seconds=1.0, energies=(_metered("cpu", 9.0),)), Side(seconds=1.0, energies=(gone,))
    )
    assert found == EnergyUnknown(why="too short", fix="longer")
    nothing = compare_energy(Side(seconds=1.0, energies=()), Side(seconds=1.0, energies=()))
    assert isinstance(nothing, EnergyUnknown)
