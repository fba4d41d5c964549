"""Rates that cases reached."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from breakeven.analysis.ceiling import achieved
from breakeven.analysis.times import Times
from breakeven.model.run import RunRecord
from records import CURVES, record


def test_rates_are_counted_work_over_median_time() -> None:
    """A product of n x n matrices reaches 2 n^3 over its resident time."""
    rows = achieved(Times(record(spread=0.0, slot_noise=0.0)))
    row = next(r for r in rows if r.entry == "cupy" and r.size == 8192)
    assert row.flops_per_s == pytest.approx(2 * 8192**3 / CURVES["cupy"](8192))
    assert row.bytes_per_s == pytest.approx(12 * 8192**2 / CURVES["cupy"](8192))


def test_failed_and_uncounted_cases_reach_nothing(edit_case: Callable[..., RunRecord]) -> None:
    """A case that failed, or whose work is not counted, has no rate; twins repeat one."""
    run = edit_case(record(), "cupy", 8192, status="out_of_memory")
    run = edit_case(run, "torch-cuda", 8192, work=None)
    entries = {r.entry for r in achieved(Times(run)) if r.size == 8192}
    assert entries == {"numpy-16", "torch-cpu-16"}


def test_unmeasured_cases_are_left_out() -> None:
    """Without a round there is no rate, rather than 0."""
    assert achieved(Times(record(rounds=0))) == ()
