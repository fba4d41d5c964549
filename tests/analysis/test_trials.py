"""Comparisons whose right answer is known."""

from __future__ import annotations

import pytest

from analysis.known import BASE, BY_10, BY_20, CALLS, SIZES, TWIN, busy, curves, known, with_slots
from breakeven.analysis.trials import settle_trials, trials
from breakeven.engine.plan import planted
from breakeven.model.run import RunRecord
from breakeven.model.selftest import Trial
from records import entry, record


def one(run: RunRecord, identity: str, size: int = 256, scope: str = "resident") -> Trial:
    """Return the trial of an entry at a size."""
    found = [
        t
        for t in trials(run)
        if (t.verdict.entry, t.verdict.size, t.verdict.scope) == (identity, size, scope)
    ]
    assert len(found) == 1
    return found[0]


def test_each_repeat_is_tried_at_each_size() -> None:
    """A twin and two planted differences at two sizes are six trials, with what was planted."""
    found = trials(known())
    assert len(found) == 3 * len(SIZES)
    by_entry = {t.verdict.entry: (t.planted, t.verdict.base_kind) for t in found}
    assert by_entry == {
        TWIN.id: (1.0, "same_code"),
        BY_20.id: (1.2, "planted"),
        BY_10.id: (1.1, "planted"),
    }
    assert {t.verdict.base for t in found} == {BASE.id}


def test_a_gpu_is_tried_in_both_scopes() -> None:
    """What is measured with its journey and without is compared in both."""
    entries = planted(entry("cupy", default=True), CALLS)
    run = record(entries, {e.id: lambda n: 1e-5 * n for e in entries}, sizes=(256,), rounds=3)
    assert {(t.verdict.entry, t.verdict.scope) for t in trials(run)} == {
        (e.id, scope) for e in entries[1:] for scope in ("resident", "transfer")
    }


def test_planted_differences_are_slower_and_the_same_code_is_not() -> None:
    """In eight calm rounds the rule finds both sides, and the A/A margin is told."""
    run = known()
    for identity, ratio in ((BY_20.id, 1 / 1.2), (BY_10.id, 1 / 1.1)):
        verdict = one(run, identity).verdict
        assert verdict.word == "slower"
        assert verdict.ratio == pytest.approx(ratio, rel=0.02)
        trial = one(run, identity)
        assert (trial.rounds, trial.rounds_needed) == (8, None)
        assert trial.low is not None
        assert trial.high is not None
        assert trial.low < trial.planted < trial.high < 1.05 * trial.planted
    same = one(run, TWIN.id).verdict
    assert same.word in {"inconclusive", "equivalent"}
    assert same.margin is not None
    assert 1.05 <= same.margin < 1.1


def test_a_slower_twin_is_named_and_does_not_silence_itself() -> None:
    """The trial of the same code shows its winner, while the planted ones beside it are withheld."""
    run = known(curves(twin=1.3))
    assert one(run, TWIN.id).verdict.word == "slower"
    assert one(run, BY_20.id).verdict.reason == "aa_winner"


def test_two_rounds_say_nothing() -> None:
    """Before the first look every trial is withheld."""
    found = trials(known(rounds=2))
    assert {t.verdict.word for t in found} == {"withheld"}


def test_void_slots_withhold_the_same_code_too() -> None:
    """On a busy machine the same code twice is not judged either, with the reason."""
    verdict = one(with_slots(known(), busy), TWIN.id).verdict
    assert (verdict.word, verdict.reason) == ("withheld", "busy")


def test_a_size_is_open_until_its_planted_differences_are_settled() -> None:
    """Eight calm rounds settle both sizes, three do not."""
    settled = settle_trials(known())
    assert settled.settled
    assert settled.workloads[0].settled_sizes == SIZES
    early = settle_trials(known(rounds=3))
    assert early.workloads[0].open_sizes == SIZES
    assert not early.settled
    assert early.next_look == 5
    assert not any(p.estimate for p in early.pairs)


def test_a_size_is_open_for_eight_rounds_whatever_settles_before() -> None:
    """A planted difference so large that five rounds settle it is measured on, to be contradicted."""
    wrong = known(curves(by_20=1.3, by_10=1.4), rounds=5)
    assert {one(wrong, e.id).verdict.word for e in (BY_20, BY_10)} == {"slower"}
    assert settle_trials(wrong).workloads[0].open_sizes == SIZES


def test_what_more_rounds_cannot_mend_is_settled() -> None:
    """Where the same code differs, its size is measured no further."""
    assert settle_trials(known(curves(twin=1.3))).settled


def test_a_session_that_has_not_begun_is_open() -> None:
    """Before the first round there is nothing to compare, and everything to measure."""
    run = known()
    blank = type(run)(
        id=run.id, started=run.started, command=run.command, spec=run.spec, machine=run.machine
    )
    found = settle_trials(blank)
    assert (found.pairs, found.rounds) == ((), 0)
    assert found.workloads[0].open_sizes == SIZES
