"""Costs from verdicts and prices."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from breakeven.analysis.cost import costs
from breakeven.model.cost import Prices
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Verdict
from records import record


@pytest.fixture(scope="module")
def run() -> RunRecord:
    """Return a run whose one verdict is a GPU four times as fast, surely between 3 and 5 times."""
    told = Verdict(
        workload="matmul", size=512, scope="resident", base="numpy-16", base_kind="best-cpu",
        entry="cupy", word="faster", ratio=4.0, low=3.5, high=4.5, verdict_low=3.0,
        verdict_high=5.0, rounds=8,
    )  # fmt: skip
    return replace(record(rounds=1, slots=1, sizes=(512,)), verdicts=(told,))


@pytest.mark.parametrize(("gpu", "word"), [(2.9, "cheaper"), (4.0, "open"), (5.1, "dearer")])
def test_the_word_needs_the_whole_interval(run: RunRecord, gpu: float, word: str) -> None:
    """At a price ratio within 3 and 5 neither side is proven cheaper."""
    (found,) = costs(run, Prices(cpu=1.0, gpu=gpu))
    assert found.word == word
    assert found.share == pytest.approx(gpu / 4)
    assert (found.low, found.high) == pytest.approx((gpu / 4.5, gpu / 3.5))


def test_what_was_not_judged_or_is_no_gpu_has_no_cost(run: RunRecord) -> None:
    """Withheld verdicts, other bases and entries on the CPU are left out."""
    (told,) = run.verdicts
    others = (
        replace(told, word="withheld"),
        replace(told, base_kind="numpy"),
        replace(told, entry="torch-cpu-16"),
        replace(told, verdict_low=None),
    )
    assert list(costs(replace(run, verdicts=others), Prices(cpu=1.0, gpu=2.0))) == []
