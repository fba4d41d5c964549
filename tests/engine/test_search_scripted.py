"""The search on scripted crossovers whose places are known: what is found, and what is not."""

from __future__ import annotations

import math

import msgspec
import pytest

from breakeven.analysis.settle import settle
from breakeven.model.run import RunRecord
from breakeven.model.settlement import Settlement
from breakeven.model.verdict import Crossover, Scope
from rehearsal import LONG_ROUNDS, LONG_S, SHORT_ROUNDS, SHORT_S, Play, Rehearsal, concluded
from scripted_plays import Kind, play


def short_run(shown: Play, seed: str) -> dict[Scope, Crossover]:
    """Rehearse a run as short as the tour; return what was concluded in each scope."""
    made = Rehearsal(shown, seed, budget_s=SHORT_S, rounds_most=SHORT_ROUNDS)
    return concluded(made.run())


@pytest.mark.parametrize("kind", ["one", "kinked"])
def test_one_crossover_is_bracketed(kind: Kind) -> None:
    """Brackets hold the true size in both scopes, with the estimate inside."""
    shown = play(kind, 4)
    for scope, found in short_run(shown, kind).items():
        assert found.kind == "bracket"
        assert found.low is not None
        assert found.high is not None
        assert found.estimate is not None
        assert found.low <= shown.truths[scope][0] <= found.high
        assert found.low <= found.estimate.value <= found.high


def test_a_long_run_brackets_within_its_width_and_ends() -> None:
    """With a fine grid a crossover at low noise is held within a factor of 1.25, before all rounds."""
    shown = play("one", 3)
    made = Rehearsal(shown, "long", budget_s=LONG_S, rounds_most=LONG_ROUNDS)
    record = made.run()
    for scope, found in concluded(record).items():
        assert found.low is not None
        assert found.high is not None
        assert found.low <= shown.truths[scope][0] <= found.high
        assert found.high / found.low < 1.25
    on_grid = {c.size for c in record.cases} - set(shown.sizes)
    assert len(on_grid) >= 9


def test_several_crossovers_are_all_listed() -> None:
    """An entry that is ahead in the middle alone is said to change twice, near the true places."""
    shown = play("several", 1)
    for scope, found in short_run(shown, "several").items():
        assert found.kind == "several"
        assert len(found.changes) == 2
        for seen, true in zip(found.changes, shown.truths[scope], strict=True):
            assert abs(math.log(seen / true)) < math.log(2)


@pytest.mark.parametrize(("kind", "word"), [("none", "never"), ("always", "always")])
def test_a_curve_without_a_crossover_is_told_as_that(kind: Kind, word: str) -> None:
    """An entry that loses or wins at every size is said to do so, at the sizes tested."""
    for found in short_run(play(kind, 2), kind).values():
        assert found.kind == word
        assert found.estimate is None
        assert set(found.sizes) == set(play(kind, 2).sizes)


def test_nothing_is_claimed_of_a_flat_curve() -> None:
    """Where both sides are alike at every size there is no crossover, however noise has it."""
    for seed in range(3):
        for found in short_run(play("flat", seed), f"flat/{seed}").values():
            assert found.kind == "undecided"
            assert found.wins_from is None
            assert found.loses_to is None


def test_memory_that_ends_above_the_crossover_does_not_hide_it() -> None:
    """Sizes that the entry has no memory for are left out, and the rest brackets the crossing."""
    shown = play("memory", 0)
    assert shown.memory_to is not None
    assert shown.memory_to < max(shown.sizes)
    for scope, found in short_run(shown, "memory").items():
        assert max(found.sizes) <= shown.memory_to
        if any(shown.truths[scope][0] < s <= shown.memory_to for s in shown.sizes):
            assert found.kind == "bracket"
            assert found.low is not None
            assert found.high is not None
            assert found.low <= shown.truths[scope][0] <= found.high
        else:
            assert found.kind == "never"


def test_a_search_that_loses_its_grid_is_seen() -> None:
    """Planned sizes alone leave the bracket wider than the coarse grid does, by a factor of 2."""

    def without_estimates(record: RunRecord) -> Settlement:
        settled = settle(record)
        blank = [msgspec.structs.replace(p, estimate=None) for p in settled.pairs]
        return msgspec.structs.replace(settled, pairs=tuple(blank))

    factors = []
    for stop_rule in (settle, without_estimates):
        made = Rehearsal(play("one", 4), "one", budget_s=SHORT_S, rounds_most=SHORT_ROUNDS)
        found = concluded(made.run(stop_rule))["resident"]
        assert found.low is not None
        assert found.high is not None
        factors.append(found.high / found.low)
    assert factors[1] > 2 * factors[0]
