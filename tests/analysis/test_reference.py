"""A stored run of another machine beside this one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from breakeven.analysis.reference import beside
from breakeven.model.run import RunRecord
from records import CUPY, CURVES, NUMPY, TORCH_CPU, TORCH_CUDA, TWIN, record

STORED = replace(record(seed=2), id="h200")
HERE = record((NUMPY, TORCH_CPU, TWIN), sizes=(128, 1024, 2048), spread=0.0, slot_noise=0.0)


def test_common_sizes_are_set_side_by_side() -> None:
    """Each size that both runs measured shows the best CPU here beside GPUs and CPU there."""
    rows = beside(HERE, STORED)
    assert {r.size for r in rows} == {128, 2048}
    assert {(r.there_entry, r.scope) for r in rows if r.size == 2048} == {
        ("cupy", "resident"), ("cupy", "transfer"), ("torch-cuda", "resident"),
        ("torch-cuda", "transfer"), ("torch-cpu-16", "resident"),
    }  # fmt: skip
    assert {r.here_entry for r in rows} == {"torch-cpu-16"}


def test_the_ratio_is_here_over_there() -> None:
    """A ratio over 1 says that the other machine is faster; each row names device and run."""
    row = next(r for r in beside(HERE, STORED) if r.there_entry == "cupy" and r.size == 2048
               and r.scope == "resident")  # fmt: skip
    assert row.here_s == pytest.approx(CURVES["torch-cpu-16"](2048))
    assert row.ratio == pytest.approx(row.here_s / row.there_s)
    assert row.ratio > 10
    assert (row.run, row.machine) == ("h200", "NVIDIA H200")


def test_the_other_cpu_is_named_as_such() -> None:
    """A row of the stored run's CPU names that CPU, not its GPU."""
    row = next(r for r in beside(HERE, STORED) if r.there_entry == "torch-cpu-16")
    assert row.machine == "Test CPU, 16 cores"


def test_failed_or_wrong_cases_are_not_set_beside(edit_case: Callable[..., RunRecord]) -> None:
    """A stored case that failed is left out, as is one in another precision."""
    broken = edit_case(STORED, "cupy", 2048, status="disagrees")
    assert not any(r.there_entry == "cupy" and r.size == 2048 for r in beside(HERE, broken))
    double = tuple(replace(e, dtype="float64") for e in STORED.entries)
    assert beside(HERE, replace(STORED, entries=double)) == ()


def test_other_workloads_have_nothing_in_common() -> None:
    """Runs of different workloads cannot be set side by side."""
    other = record((CUPY, TORCH_CUDA), sizes=(128,), workload="mlp")
    assert beside(HERE, other) == ()


def test_the_quickest_entry_here_is_the_one_that_the_rounds_show() -> None:
    """A scouting round that preferred a slower entry does not choose what stands beside others."""
    slow = {"torch-cpu-16": 1.0}
    cases = tuple(
        replace(c, rounds=tuple(
            replace(r, slots=tuple(replace(s, median_s=slow.get(c.entry, s.median_s))
                                   for s in r.slots)) if r.round == 0 else r
            for r in c.rounds))
        for c in HERE.cases
    )  # fmt: skip
    assert {r.here_entry for r in beside(replace(HERE, cases=cases), STORED)} == {"torch-cpu-16"}
