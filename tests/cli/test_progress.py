"""The line that says what is measured now, and how long still."""

from __future__ import annotations

import pytest

from breakeven.cli.progress import Line


@pytest.mark.parametrize(
    ("left_s", "told"),
    [
        (42.0, "round 1 (at most 42 s left)"),
        (0.4, "round 1 (nearly done)"),
        (0.0, "round 1"),
        (-61.0, "round 1 (61 s longer than announced)"),
    ],
)
def test_a_run_beyond_its_announcement_is_not_nearly_done(
    capsys: pytest.CaptureFixture[str], left_s: float, told: str
) -> None:
    """What is left is told, what is late as well, and nothing where nothing is known."""
    Line().progress("round 1: train 64", left_s)
    assert capsys.readouterr().err.strip() == told
