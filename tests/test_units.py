"""Tests of numbers as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven import units


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.000517, "0.000517"), (0.0001, "0.000100"), (3e-7, "3.00e-7"), (9.996, "10.0"),
     (-2.5e-9, "-2.50e-9"), (0, "0"), (12345.6, "12300")],
)  # fmt: skip
def test_significant_digits_are_plain_until_zeros_would_be_counted(value: float, text: str) -> None:
    """Numbers keep their digits; those under 1e-4 are scientific."""
    assert units.significant(value) == text


@given(st.floats(min_value=1e-300, max_value=1e6))
def test_a_small_number_is_never_a_row_of_zeros(value: float) -> None:
    """No text has more than three zeros after its point before a digit counts."""
    for text in (units.significant(value), units.ratio(value), units.scientific(value)):
        assert not text.startswith("0.0000"), text
        number = float(text.removesuffix("x"))
        assert number == pytest.approx(value, rel=0.06)


def test_errors_are_scientific() -> None:
    """An error of any size reads as two digits and a power of ten."""
    assert units.scientific(4.3e-7) == "4.3e-7"
    assert units.scientific(0.25) == "2.5e-1"
    assert units.scientific(0.0) == "0.0e0"
    assert [units.scientific(float(x)) for x in ("nan", "inf", "-inf")] == ["nan", "inf", "-inf"]


def test_a_ratio_has_its_sign() -> None:
    """Ratios end in x, tiny ones too."""
    assert units.ratio(2.049) == "2.05x"
    assert units.ratio(3e-7) == "3.00e-7x"


def test_a_time_to_plan_by_has_no_decimals() -> None:
    """Whole seconds, from two minutes on whole minutes."""
    assert (units.about(53.6), units.about(600.0)) == ("54 s", "10 min")


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        (("6.38 J", "6.27 J", "6.50 J"), "6.38 J [6.27, 6.50]"),
        (("989 ms", "949 ms", "1.03 s"), "989 ms [949 ms, 1.03 s]"),
        (("15.6x", "12.4x", "19.7x"), "15.6x [12.4, 19.7]"),
        (("43 %", "41 %", "45 %"), "43 % [41, 45]"),
        (("3.50", "3.00", "4.00"), "3.50 [3.00, 4.00]"),
    ],
)
def test_a_unit_that_an_interval_shares_stands_once(
    texts: tuple[str, str, str], joined: str
) -> None:
    """Ends with another unit keep it; otherwise it is said with the figure alone."""
    assert units.spanned(*texts) == joined


def test_thirteen_hours_are_hours() -> None:
    """From two hours on a time is told in hours, and energy keeps a readable prefix."""
    assert units.seconds(13 * 3600) == "13.0 h"
    assert units.seconds(7000) == "117 min"
    assert (units.joules(0.0042), units.joules(320.0)) == ("4.20 mJ", "320 J")
    assert (units.share(0.053), units.share(0.43), units.share(0.0)) == ("5.3 %", "43 %", "0 %")
