"""The report that is shown beside the stored run from real hardware."""

from __future__ import annotations

from pathlib import Path

from breakeven.lab import load, report_html

H200 = Path(__file__).parents[2] / "examples" / "h200"


def test_the_committed_report_is_what_the_code_makes_now() -> None:
    """A stored run gives the same page everywhere, byte for byte."""
    made = report_html(load(str(H200 / "tour.json")))
    # As bytes, and not by the comparison itself: pytest would print a megabyte of differences.
    same = made.encode() == (H200 / "tour.html").read_bytes()
    assert same, "breakeven report examples/h200/tour.json --html examples/h200/tour.html"
