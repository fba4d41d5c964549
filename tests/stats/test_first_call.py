"""What the first call of a process takes beyond a steady one."""

from __future__ import annotations

import pytest

from breakeven.stats.first_call import excess


@pytest.mark.parametrize(
    ("calls", "seconds"),
    [
        ((0.3, 0.02, 0.01), 0.29),
        ((0.005, 0.01), 0.0),
        ((0.1 + 0.2, 0.3), 0.0),
        ((2e-6, 1e-6), 1e-6),
    ],
)
def test_it_is_what_the_last_call_does_not_take(calls: tuple[float, ...], seconds: float) -> None:
    """A first call that is no slower has none, nor has one that differs by rounding alone."""
    assert excess(calls) == pytest.approx(seconds, abs=0 if seconds == 0 else None)


def test_one_call_tells_nothing() -> None:
    """A single call has nothing to be set beside: that is no reading, not 0."""
    assert excess((0.3,)) is None
