"""One comparison, judged."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from breakeven.analysis.compare import Comparison, compare, round_cost_s
from breakeven.analysis.pairs import Pair
from breakeven.analysis.times import Times
from breakeven.analysis.twins import Twins
from breakeven.model.run import Agreement, RunRecord
from records import CURVES, NUMPY, TORCH_CPU, TWIN, entry, record

PAIR = Pair("matmul", 2048, "resident", "numpy-16", "numpy", "torch-cpu-16")
THREE = (NUMPY, TORCH_CPU, TWIN)


def judged(run: RunRecord, pair: Pair = PAIR) -> Comparison:
    """Return the comparison of a pair."""
    times = Times(run)
    return compare(times, Twins(times), pair)


def planted(factor: float, **fields: float) -> RunRecord:
    """Return a run in which torch on the CPU is `factor` times as fast as NumPy."""
    curves = CURVES | {"numpy-16": lambda n: factor * CURVES["torch-cpu-16"](n)}
    return record(THREE, curves, sizes=(2048,), **fields)  # type: ignore[arg-type]


def test_a_factor_of_two_is_settled_in_three_rounds() -> None:
    """With rounds 3 % apart, twice as fast is found at the first look, with figures."""
    found = judged(planted(2.0, rounds=3))
    v = found.verdict
    assert (v.word, v.rounds, found.settled) == ("faster", 3, True)
    assert v.ratio == pytest.approx(2.0, rel=0.1)
    assert None not in {v.low, v.high, v.verdict_low, v.verdict_high, v.margin}
    assert v.verdict_low < v.low < v.ratio < v.high < v.verdict_high  # type: ignore[operator]
    assert v.verdict_low > 1  # type: ignore[operator]
    assert v.why is None


def test_the_slower_side_is_told_as_such() -> None:
    """A ratio under 1 is the entry's, not turned round."""
    v = judged(planted(0.5, rounds=3)).verdict
    assert v.word == "slower"
    assert v.ratio == pytest.approx(0.5, rel=0.1)


def test_two_rounds_give_a_ratio_without_a_verdict() -> None:
    """Below three rounds the ratio is shown with its interval, its word is withheld."""
    found = judged(planted(4.0, rounds=2))
    assert found.verdict.word == "withheld"
    assert found.verdict.why is not None
    assert "fewer than 3 rounds" in found.verdict.why
    assert found.verdict.ratio == pytest.approx(4.0, rel=0.2)
    assert found.verdict.low is not None
    assert found.verdict.verdict_low is None
    assert not found.settled


def test_a_quick_run_is_indicative() -> None:
    """A quick run shows its ratio with an interval, never with a verdict."""
    run = planted(4.0, rounds=1)
    found = judged(replace(run, spec=replace(run.spec, effort="quick")))
    assert found.verdict.word == "withheld"
    assert found.verdict.why is not None
    assert found.verdict.why.startswith("quick: indicative")
    assert found.verdict.low is not None
    assert found.settled


def test_a_wrong_answer_shows_no_ratio(edit_case: Callable[..., RunRecord]) -> None:
    """Disagreeing answers are not ranked, not even in figures."""
    wrong = Agreement(error=0.5, bound=1e-5, class_="wrong", passed=False)
    for effort in ("tour", "quick"):
        run = edit_case(planted(4.0), "torch-cpu-16", 2048, agreement=wrong)
        found = judged(replace(run, spec=replace(run.spec, effort=effort)))
        assert found.verdict.word == "withheld"
        assert found.verdict.ratio is None
        assert found.settled


def test_a_busy_machine_names_no_winner() -> None:
    """Where all slots are void there is neither word nor ratio, and more rounds may help."""
    run = planted(4.0)
    busy = record(THREE, sizes=(2048,), voided="busy")
    assert judged(run).verdict.word == "faster"
    found = judged(busy)
    assert (found.verdict.word, found.verdict.ratio, found.settled) == ("withheld", None, False)
    assert found.verdict.why is not None
    assert "other processes" in found.verdict.why


def test_an_open_comparison_says_what_would_settle_it() -> None:
    """At 1.2 and five rounds the word is open; rounds and their least cost are told."""
    run = planted(1.2, rounds=5, spread=0.02, slot_noise=0.01)
    v = judged(run).verdict
    assert v.word == "inconclusive"
    assert v.rounds_needed == 8
    cost = round_cost_s(Times(run))
    assert cost is not None
    assert v.cost_s == pytest.approx(3 * cost)
    assert v.why is not None
    assert "8 rounds" in v.why


def test_told_rounds_are_right() -> None:
    """The rounds told at five rounds settle the same session in nearly every simulated one."""
    told = settled = 0
    for seed in range(30):
        short = judged(planted(1.25, rounds=5, spread=0.03, seed=seed)).verdict
        if short.rounds_needed is None:
            continue
        told += 1
        long = judged(planted(1.25, rounds=short.rounds_needed, spread=0.03, seed=seed)).verdict
        settled += long.word == "faster"
    assert told >= 15
    assert settled >= 0.85 * told


def test_hopeless_comparisons_are_told_so() -> None:
    """Where even the last look would not do, no number of rounds is promised."""
    v = judged(planted(1.02, rounds=5, spread=0.2)).verdict
    assert v.rounds_needed is None
    assert v.cost_s is None
    assert v.why is not None
    assert "may not settle it" in v.why


def test_a_noisy_twin_turns_a_winner_into_some_gain() -> None:
    """A gain within what the session can tell apart is some gain, not a winner."""
    twin = entry("torch-cpu", 16, twin_of="torch-cpu-16")
    quiet = planted(1.25, rounds=8, spread=0.0, slot_noise=0.001)
    noisy = record((TORCH_CPU, twin), sizes=(2048,), rounds=8, spread=0.3, seed=4)
    cases = [c for c in quiet.cases if c.entry != twin.id]
    wild = next(c for c in noisy.cases if c.entry == twin.id)
    v = judged(replace(quiet, cases=(*cases, wild))).verdict
    assert v.margin is not None
    assert v.margin > 1.25
    assert v.word == "some_gain"
    assert v.why is not None
    assert "within" in v.why


def test_the_same_backend_twice_names_no_winner() -> None:
    """Identical entries over many sessions and sizes: at most 4 false winners in 800."""
    second = entry("numpy", 16, default=True, id="numpy-16#2")
    twin = entry("numpy", 16, twin_of="numpy-16")
    curves = dict.fromkeys(("numpy-16", "numpy-16#2", "numpy-16-twin"), CURVES["numpy-16"])
    pair = Pair("matmul", 2048, "resident", "numpy-16", "same", "numpy-16#2")
    named = 0
    for seed in range(200):
        spread = (0.03, 0.08, 0.15, 0.2)[seed % 4]
        run = record((NUMPY, second, twin), curves, sizes=(128, 512, 2048, 8192), rounds=12,
                     spread=spread, seed=seed)  # fmt: skip
        words = [judged(run, pair._replace(size=s)).verdict.word for s in (128, 512, 2048, 8192)]
        named += sum(word in {"faster", "slower"} for word in words)
    assert named <= 4


def test_the_cost_of_a_round_counts_slots_and_starts() -> None:
    """One more round costs its slots, after the slowest start of a process."""
    run = planted(2.0, rounds=3)
    last = [s.median_s * s.repeats for c in run.cases for r in c.rounds if r.round == 3
            for s in r.slots]  # fmt: skip
    assert round_cost_s(Times(run)) == pytest.approx(math.fsum(last) + 0.2)
    assert round_cost_s(Times(planted(2.0, rounds=0))) is None


def test_an_interrupted_run_is_to_be_completed() -> None:
    """Too few rounds for want of an end are mended by resuming, not by a larger budget."""
    run = replace(planted(4.0, rounds=2), interrupted=True)
    why = judged(run).verdict.why
    assert why == f"fewer than 3 rounds; complete the run (breakeven run --resume {run.id})"
