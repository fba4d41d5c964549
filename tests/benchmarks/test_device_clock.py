"""The device clock beside CUPTI and the public harnesses, on readings that were made up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import device_clock
from device_clock import judged, middle, row, with_nvbench
from gpu_calls import CASES, array_calls
from harness_clocks import CLOCKS, Reading, attempted, cupti_calls, listed, per_call, read_nvbench


def case(cupti: float | None, queued: float | None) -> dict[str, Any]:
    """Return a row with two clocks."""
    return row("torch", "matmul-128", {"cupti": Reading(cupti), "queued": Reading(queued)})


def test_long_calls_are_judged_by_share_and_short_ones_by_microseconds() -> None:
    """2 % counts from 50 us on, one microsecond below."""
    found = judged([case(100e-6, 101.9e-6), case(4e-6, 4.9e-6)])
    assert found.met is True
    assert found.worst_share == pytest.approx(0.019)
    assert found.worst_apart_s == pytest.approx(0.9e-6)
    assert judged([case(100e-6, 102.1e-6)]).met is False
    assert judged([case(4e-6, 5.1e-6)]).met is False
    assert judged([case(40e-6, 40.9e-6)]).met is True


def test_a_case_without_a_figure_is_not_passed_over() -> None:
    """A clock that gave nothing in one case has not been shown there; one without any is untold."""
    assert judged([case(100e-6, 100e-6), case(100e-6, None)]).met is False
    assert judged([case(None, 100e-6)]).met is None
    assert judged([]).met is None


def test_kernels_are_summed_for_each_call() -> None:
    """Two kernels a call are added; the median is over calls, whatever order they come in."""
    spans = [(20.0, 2e-6), (10.0, 1e-6), (30.0, 5e-6), (40.0, 2e-6), (50.0, 1e-6), (60.0, 2e-6)]
    assert per_call(spans, 3) == pytest.approx(3e-6)
    assert per_call(spans[:5], 3) == pytest.approx(11e-6 / 3)
    with pytest.raises(ValueError, match="no kernel"):
        per_call([], 3)


def test_long_calls_are_traced_less_often() -> None:
    """A trace holds a tenth of a second of calls, 20 at least and 200 at most."""
    assert cupti_calls(1e-5) == 200
    assert cupti_calls(1e-3) == 100
    assert cupti_calls(0.02) == 20


def test_a_harness_that_fails_says_why() -> None:
    """What is not installed, or breaks, becomes a reason and not a number."""

    def absent() -> float:
        raise ModuleNotFoundError("No module named 'triton'", name="triton")

    def broken() -> float:
        raise RuntimeError("no device\nand more")

    assert attempted(absent) == Reading(None, "not installed: triton")
    assert attempted(broken) == Reading(None, "RuntimeError: no device")
    assert attempted(lambda: 1.5) == Reading(1.5)


def test_passes_have_a_median_and_the_first_reason() -> None:
    """A pass without a figure is left out; when all are, the first says why."""
    assert middle([Reading(3.0), Reading(None, "a"), Reading(1.0)]).seconds == 2.0
    assert middle([Reading(None, "a"), Reading(None, "b")]) == Reading(None, "a")


NVBENCH = {
    "benchmarks": [
        {
            "states": [
                {
                    "axis_values": [{"name": "Case", "value": "matmul-128"}],
                    "is_skipped": False,
                    "summaries": [
                        {"tag": "nv/cold/time/gpu/mean", "data": [
                            {"name": "value", "type": "float64", "value": "8.9e-06"}]},
                        {"tag": "nv/batch/time/gpu/mean", "data": [
                            {"name": "value", "type": "float64", "value": "3.0e-05"}]},
                    ],
                },
                {
                    "axis_values": [{"name": "Case", "value": "add-10000"}],
                    "is_skipped": True, "skip_reason": "too hot", "summaries": None,
                },
            ]
        }
    ]
}  # fmt: skip


def test_nvbench_is_read_from_its_own_file() -> None:
    """Cold and batch means come out as seconds, and a state that it skipped with its reason."""
    found = read_nvbench(NVBENCH)
    assert found["matmul-128"] == (Reading(8.9e-6), Reading(3.0e-5))
    assert found["add-10000"][0] == Reading(None, "skipped: too hot")


def test_nvbench_stands_in_the_rows_of_torch_alone() -> None:
    """Its calls are torch's: a row of CuPy has no such column."""
    rows = [case(1e-5, 1e-5), case(1e-5, 1e-5) | {"library": "cupy"}]
    with_nvbench(rows, {"matmul-128": (Reading(8.9e-6), Reading(None, "why"))})
    assert rows[0]["seconds"]["nvbench_cold"] == 8.9e-6
    assert rows[0]["why"]["nvbench_batch"] == "why"
    assert "nvbench_cold" not in rows[1]["seconds"]


def test_a_miss_is_told_with_its_figure() -> None:
    """A clock that is 5 % off leaves the row unmet, and the 5 % stand in its figure."""
    made = device_clock.result([case(100e-6, 105e-6)])
    assert made.met is False
    assert made.figure.startswith("5.0 % at most from 50 us")
    assert set(made.details["clocks"]) == set(CLOCKS)


def test_every_column_says_what_it_times() -> None:
    """Each clock has a name and words for it, in lines that fit a page."""
    assert len(listed()) > 2 * len(CLOCKS)
    assert all(len(line) <= 80 for line in listed())


def test_calls_write_their_result_in_place() -> None:
    """A call gives the product or the sum of its two arrays into memory that it has already."""
    calls = array_calls(np)
    assert tuple(calls) == CASES
    product, total = calls["matmul-128"](), calls["add-10000"]()
    a, b = product.args  # type: ignore[attr-defined]
    assert product() is product.keywords["out"]  # type: ignore[attr-defined]
    assert np.allclose(product.keywords["out"], a @ b)  # type: ignore[attr-defined]
    x, y = total.args  # type: ignore[attr-defined]
    total()
    assert math.isclose(total.keywords["out"][7], x[7] + y[7])  # type: ignore[attr-defined]
