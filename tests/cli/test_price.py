"""``breakeven report --price``."""

from __future__ import annotations

import pytest

from breakeven.model.run import RunRecord
from cli.spoken import Speaker
from docs.pages import ROOT

TOUR = ROOT / "examples" / "h200" / "tour.json"


def test_prices_are_shown_with_the_rule(breakeven: Speaker) -> None:
    """The prices that were given come first, then a line a case, in 80 columns."""
    said = breakeven("report", TOUR, "--price", "cpu=0.80/h,gpu=4")
    assert (said.code, said.err) == (0, "")
    flat = " ".join(said.out.split())
    assert (
        "0.800 USD an hour for the CPU machine, 4.00 for the GPU machine, a ratio of 5.00x" in flat
    )
    assert "cheaper while the price ratio is below" in flat
    assert max(map(len, said.out.splitlines())) <= 80


@pytest.mark.parametrize(
    "price", ["cpu=1", "cpu=1,gpu=x", "cpu=1,gpu=0", "cpu=1,gpu=-2", "cpu=1,cpu=2", "1,2", "cpu=1,gpu=nan"]
)  # fmt: skip
def test_what_is_no_price_is_refused(breakeven: Speaker, stored: RunRecord, price: str) -> None:
    """One line says how it is written, and the exit code is 2."""
    said = breakeven("report", stored.id, "--price", price)
    assert (said.code, said.out) == (2, "")
    assert "--price cpu=0.80,gpu=4.00" in said.err


def test_another_output_beside_prices_is_refused(breakeven: Speaker, stored: RunRecord) -> None:
    """An option that would be passed over is told."""
    said = breakeven("report", stored.id, "--price", "cpu=1,gpu=2", "--json")
    assert (said.code, said.out) == (2, "")
