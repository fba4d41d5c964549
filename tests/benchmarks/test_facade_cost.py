"""The cost of the facade a call, as the benchmark tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

import facade_cost


@pytest.mark.parametrize(("ported", "met"), [(5e-6, True), (20e-6, False)])
def test_met(ported: float, met: bool) -> None:
    """The row is met by the dearest library, a fifth of what five calls cost more."""
    costs = [facade_cost.Cost("numpy", 4e-6, 4e-6), facade_cost.Cost("cupy", 4e-6, ported)]
    made = facade_cost.result(costs, {})
    assert made.met is met
    assert "cupy" in made.figure
    assert made.details["costs"][1]["a_call_s"] == pytest.approx((ported - 4e-6) / 5)


@pytest.mark.parametrize("name", ["numpy", "torch-cpu", "stand-in"])
def test_both_ways(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of writing it run on each library, and take time."""
    monkeypatch.setattr(facade_cost, "BLOCK", 2)
    monkeypatch.setattr(facade_cost, "BLOCKS", 2)
    (tmp_path / "user.py").write_text(facade_cost.SOURCE)
    found = facade_cost.cost(name, tmp_path)
    assert found.by_hand_s > 0
    assert found.ported_s > 0
