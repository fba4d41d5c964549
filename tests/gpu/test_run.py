"""A whole run on a CUDA device."""

from __future__ import annotations

from pathlib import Path

import pytest

import breakeven
from breakeven import lab
from breakeven.backends import registry
from breakeven.model.machine import Gpu

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def result(gpu: Gpu, tmp_path_factory: pytest.TempPathFactory) -> lab.Result:
    """Return a run of matmul at two sizes, three rounds, on all four backends.

    Both sizes lie beyond any crossover: no grid is searched, which would take minutes.
    """
    del gpu
    store = tmp_path_factory.mktemp("gpu")
    return breakeven.run("matmul", sizes=[1024, 2048], rounds=3, budget="90s", store=store)


def test_every_backend_that_is_here_takes_part(result: lab.Result) -> None:
    """Each opens; each case is measured in three rounds, answers agree, and the GPU is named."""
    here = {n for n in registry.BUILT_IN if registry.get(n).find().available}
    assert {b.name for b in result.record.backends if b.available} == here
    assert {e.backend for e in result.record.entries} == here
    assert result.record.machine.gpus
    for case in result.record.cases:
        assert case.status == "ok", case.why
        assert case.agreement is None or case.agreement.class_ == "float32"


def test_verdicts_are_reached_in_both_scopes(result: lab.Result) -> None:
    """At 2048 a GPU beats every CPU setting on resident data; each verdict has its interval."""
    main = [v for v in result.verdicts if v.base_kind == "best-cpu"]
    assert {v.scope for v in main} >= {"resident", "transfer"}
    large = [v for v in main if v.size == 2048 and v.scope == "resident"]
    assert large
    for verdict in large:
        if verdict.reason == "busy":
            continue  # a neighbour took the CPU: nothing may be named then
        assert verdict.word == "faster", verdict.why
        assert verdict.low is not None
        assert verdict.ratio is not None
        assert verdict.high is not None
        assert 1 < verdict.low <= verdict.ratio <= verdict.high


def test_transfer_takes_longer_than_resident(result: lab.Result) -> None:
    """On the GPU, in every round, data that must travel costs time."""
    for case in result.record.cases:
        by_scope: dict[str, dict[int, float]] = {}
        for one in case.rounds:
            if one.clock == "wall":
                fastest = min(s.median_s for s in one.slots)
                by_scope.setdefault(one.scope, {})[one.round] = fastest
        resident = by_scope.get("resident", {})
        # Near the crossover a size may be measured in one scope alone.
        for number, seconds in by_scope.get("transfer", {}).items():
            assert number not in resident or seconds > resident[number]


def test_start_up_is_measured_in_fresh_processes(result: lab.Result) -> None:
    """A GPU library's import and context take time, and the first call more than the next."""
    starts = [s for s in result.record.cold_starts if s.backend in {"cupy", "torch-cuda"}]
    assert starts
    for one in starts:
        assert one.import_s > 0.05
        assert one.context_s > 0.001
        assert one.calls_s[0] > one.calls_s[-1]


def test_the_run_is_shown(result: lab.Result, tmp_path: Path) -> None:
    """Answer, table, picture and page can be made of it."""
    assert result.verdict
    assert result.table()
    assert isinstance(result.plot(), str)
    assert result.report(tmp_path / "report.html").stat().st_size > 100_000
