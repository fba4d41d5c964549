"""A stored run as pyperf reads it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from breakeven.errors import InputError
from breakeven.model.run import RunRecord
from breakeven.store.pyperf import to_pyperf
from records import CURVES, NUMPY, record


def session(seed: int, factor: float = 1.0) -> RunRecord:
    """Return a session of NumPy alone that takes a factor longer."""
    curves = {NUMPY.id: lambda n: factor * CURVES[NUMPY.id](n)}
    return record((NUMPY,), curves, sizes=(512,), rounds=8, seed=seed, spread=0.01)


def test_each_round_is_a_run_and_scouting_is_none() -> None:
    """Eight rounds of six slots are eight runs of six values, in seconds."""
    found = json.loads(to_pyperf(session(1)))
    assert [b["metadata"]["name"] for b in found["benchmarks"]] == ["matmul-512-numpy-16-resident"]
    runs = found["benchmarks"][0]["runs"]
    assert [r["metadata"]["breakeven_round"] for r in runs] == list(range(1, 9))
    assert {len(r["values"]) for r in runs} == {6}
    first = session(1).cases[0].rounds[1].slots
    assert runs[0]["values"] == [s.median_s for s in first]


def test_slots_that_do_not_count_are_left_out() -> None:
    """A run of void slots alone has nothing that pyperf could read, and says so."""
    void = record((NUMPY,), sizes=(512,), rounds=3, voided="busy")
    with pytest.raises(InputError, match="no round that pyperf could read"):
        to_pyperf(void)


def test_a_case_has_a_benchmark_for_each_scope() -> None:
    """Data on the device and data that travel are two benchmarks of a GPU entry, of unlike names."""
    found = json.loads(to_pyperf(record(rounds=2, sizes=(128,))))
    names = [b["metadata"]["name"] for b in found["benchmarks"]]
    assert len(names) == len(set(names)) == 3 + 2 * 2


def test_pyperf_compares_two_runs(tmp_path: Path) -> None:
    """Its compare_to reads both files, and finds the planted factor of 2."""
    pytest.importorskip("pyperf", reason="pyperf comes with the extras dev and bench")
    for name, run in (("a", session(1)), ("b", session(2, 2.0))):
        (tmp_path / f"{name}.json").write_text(to_pyperf(msgspec.structs.replace(run, id=name)))
    done = subprocess.run(
        [sys.executable, "-m", "pyperf", "compare_to", "a.json", "b.json"],
        cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    told = re.search(r"([\d.]+)x slower", done.stdout)
    assert told is not None
    assert float(told[1]) == pytest.approx(2.0, rel=0.05)
    assert done.stderr == ""
