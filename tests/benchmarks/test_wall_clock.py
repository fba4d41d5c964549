"""The wall clock beside a hand loop and pyperf: the arithmetic, and the two ways on one case."""

from __future__ import annotations

from typing import Any

import pytest

import wall_clock
from opened_case import matmul_case, opened
from wall_clock import hand_loop, hand_met, pair_figures, process_figures, pyperf_met, pyperf_values

QUIET = {"busy": False, "foreign_cores": 0.0}


def hand(off: float, seconds: float = 1e-4) -> dict[str, Any]:
    """Return a row beside the hand loop."""
    return {"backend": "numpy", "size": 96, "theirs_s": seconds, "ours_s": seconds, "off": off}


def pyperf(off: float, *, within: bool = False) -> dict[str, Any]:
    """Return a row beside pyperf."""
    return {"size": 128, "off": off, "within_interval": within, "interval_share": 0.03}


def test_pairs_give_a_share_with_its_interval() -> None:
    """Ours 2 % slower in each pair is 2 % off, one outlier does not move it, both ends hold it."""
    found = pair_figures([1.02] * 19 + [9.0], [1.0] * 20)
    assert found["off"] == pytest.approx(0.02)
    assert found["off_low"] < found["off"] < found["off_high"]


def test_short_calls_are_shown_and_not_judged() -> None:
    """Below 10 us the claim says nothing; from there on one call over 1 % is a miss."""
    assert hand_met([hand(0.009), hand(0.5, 9e-6)]) is True
    assert hand_met([hand(0.009), hand(-0.011)]) is False
    assert hand_met([hand(0.5, 9e-6)]) is None


def test_pyperf_is_met_within_2_percent_or_its_interval() -> None:
    """A difference that pyperf itself cannot tell apart is no miss."""
    assert pyperf_met([pyperf(0.019), pyperf(-0.2, within=True)]) is True
    assert pyperf_met([pyperf(0.021)]) is False
    assert pyperf_met([]) is None


def test_processes_are_what_pyperf_repeats() -> None:
    """Its interval is that of Student over process means, and ours lies inside or not."""
    found = process_figures([1.01, 1.01, 1.01], [0.99, 1.00, 1.01])
    assert found["off"] == pytest.approx(0.01)
    assert found["interval_share"] == pytest.approx(4.303 * 0.01 / 3**0.5, rel=1e-3)
    assert found["within_interval"]
    assert not process_figures([1.1, 1.1, 1.1], [0.99, 1.00, 1.01])["within_interval"]


def test_calibration_is_no_value() -> None:
    """Runs of a pyperf file that only calibrate have no values."""
    document = {"benchmarks": [{"runs": [{"warmups": [[1, 2.0]]}, {"values": [1.0, 2.0]}]}]}
    assert pyperf_values(document) == [1.0, 2.0]


def test_without_pyperf_the_row_stays_open_with_the_reason() -> None:
    """What was not compared is not met; a miss beside the hand loop is a miss in any case."""
    open_row = wall_clock.result([hand(0.001)], [], "it is not installed", QUIET)
    assert open_row.met is None
    assert "pyperf not compared: it is not installed" in open_row.figure
    missed = wall_clock.result([hand(0.03)], [], "it is not installed", QUIET)
    assert missed.met is False
    assert "+3.0 % at most (numpy 96)" in missed.figure
    assert wall_clock.result([hand(0.001)], [pyperf(0.01)], None, QUIET).met is True


def test_both_ways_time_the_same_product() -> None:
    """The hand loop and a slot call the same operation on the same values, each several times."""
    backend, opening = opened("numpy")
    with matmul_case(backend, opening, 16) as case:
        assert not case.waits
        assert hand_loop(case, 1e-3) > 0
        assert case.bench.measure("resident", 1e-3).repeats >= 1
        ours = case.bench._run().arrays[0]
        assert (case.bare() == ours).all()  # type: ignore[attr-defined]
