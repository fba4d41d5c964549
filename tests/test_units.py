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
