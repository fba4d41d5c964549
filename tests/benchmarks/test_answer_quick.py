"""How quick an answer was, and whether a dense sweep bears it out, on trails that were made up."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import msgspec
import pytest

import answer_quick
import crossover_session
import dense_reference
from answer_quick import compared, met, narrow
from breakeven.backends.scripted import Actor
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Crossover, Estimate
from records import machine
from rehearsal import LONG_ROUNDS, LONG_S, Rehearsal
from scripted_plays import play
from sweeps import (
    Case,
    Reading,
    Step,
    Trail,
    dense_sizes,
    effort,
    plain_crossings,
    plain_readings,
    spec_of,
)

HERE = machine()
CASE = Case("matmul", (128, 512, 2048), ("torch-cpu", "torch-cuda"))


def trail(*steps: tuple[float, float], ended: str = "reached") -> Trail:
    """Return a trail of one scope from seconds and the factor of the bracket then."""
    made = [Step(s, n, {"resident": (100.0, 100.0 * f)}) for n, (s, f) in enumerate(steps, 1)]
    return Trail(made, ended)


def test_a_share_is_that_of_the_first_time_within_a_width() -> None:
    """Each way counts until its bracket was first that narrow, not until its session ended."""
    search, sweep = trail((10, 3.0), (20, 1.4), (30, 1.2)), trail((40, 2.0), (80, 1.2), (120, 1.1))
    row = compared(search, sweep, 1.25, "resident")
    assert (row["search_s"], row["sweep_s"], row["share"]) == (30, 80, 0.375)
    assert compared(search, sweep, 2.0, "resident")["share"] == 0.5
    assert met([row]) is True


def test_a_sweep_that_was_ended_gives_a_bound() -> None:
    """The share is then at most that of the time it had taken; too early an end tells nothing."""
    search = trail((30, 1.2))
    late, early = trail((100, 2.0), ended="time"), trail((40, 2.0), ended="time")
    assert compared(search, late, 1.25, "resident")["share_at_most"] == 0.3
    assert met([compared(search, late, 1.25, "resident")]) is True
    assert met([compared(search, early, 1.25, "resident")]) is None


def test_a_search_that_is_slower_or_never_arrives_is_a_miss() -> None:
    """Over half the sweep's time is a miss, as is a bracket that the sweep alone reached."""
    sweep = trail((50, 1.2))
    assert met([compared(trail((26, 1.2)), sweep, 1.25, "resident")]) is False
    assert met([compared(trail((26, 3.0), ended="time"), sweep, 1.25, "resident")]) is False
    neither = compared(trail((9, 3.0)), trail((9, 3.0)), 1.25, "resident")
    assert met([neither]) is None
    assert met([]) is None


def test_the_row_names_a_miss_with_its_share() -> None:
    """A share of 0.8 leaves the row unmet, and stands in its figure."""
    made = answer_quick.result(CASE, trail((40, 1.2)), trail((50, 1.2)), {}, HERE)
    assert made.met is False
    assert "a share of 0.80" in made.figure
    assert [s["seconds"] for s in made.details["search"]["steps"]] == [40]


def test_every_scope_must_be_narrow() -> None:
    """A session goes on while one of its brackets is wide or open, and two rows need more rounds."""
    both = {"resident": (100.0, 110.0), "transfer": (100.0, None)}
    assert not narrow(1.25)(Trail([Step(1.0, 1, both)]))
    closed = both | {"transfer": (100.0, 120.0)}
    assert narrow(1.25)(Trail([Step(1.0, 1, closed)]))
    assert not narrow(1.25)(Trail())
    assert not crossover_session.enough(Trail([Step(1.0, 1, closed)]))
    assert crossover_session.enough(Trail([Step(1.0, crossover_session.ROUNDS, closed)]))


def test_a_dense_grid_goes_from_end_to_end() -> None:
    """Neighbours lie a factor of 1.19 apart at most before they are aligned, both ends included."""
    sizes = dense_sizes(64, 4096)
    assert (sizes[0], sizes[-1], len(sizes)) == (64, 4096, 25)
    steps = [b / a for a, b in pairwise(sizes)]
    assert max(steps[5:]) < 1.22


def test_the_sweep_measures_all_sizes_and_searches_none() -> None:
    """It has its rounds and sizes beforehand; the search has neither, and first calls are in none."""
    dense, search = (spec_of(CASE, dense=d, seed=1) for d in (True, False))
    assert len(dense.workloads[0].sizes) > len(search.workloads[0].sizes)
    assert (dense.rounds, search.rounds) == (20, None)
    assert effort(dense, HERE).cold_most == 0
    assert effort(dense, HERE).detail_s == 0
    assert effort(search, HERE).grid_step == pytest.approx(1.19)


def rehearsed(truth_kind: str = "one") -> tuple[RunRecord, tuple[float, ...]]:
    """Return a drawn record with the true crossing of its resident scope."""
    shown = play(truth_kind, 3)  # type: ignore[arg-type]
    record = Rehearsal(shown, "dense", budget_s=LONG_S, rounds_most=LONG_ROUNDS).run()
    return record, shown.truths["resident"]


def test_plain_medians_find_a_crossing_without_the_rule() -> None:
    """Straight lines between plain medians pass equality near the true size, rising."""
    record, (truth,) = rehearsed()
    found = plain_crossings(plain_readings(record, "resident", lambda _: "base", "entry"))
    rising = [size for size, up in found if up]
    assert len(rising) == 1
    assert abs(rising[0] / truth - 1) < 0.05


def test_crossings_know_their_direction() -> None:
    """An entry that stops winning is told from one that begins to."""
    readings = [Reading(100, -1.0, 3), Reading(200, 1.0, 3), Reading(400, -1.0, 3)]
    found = plain_crossings(readings)
    assert [up for _, up in found] == [True, False]
    assert found[0][0] == pytest.approx(math.sqrt(100 * 200))


def bracket(**changes: Any) -> Crossover:  # noqa: ANN401  fields of the record
    """Return a bracket around 500."""
    estimate = Estimate(value=500.0, low=480.0, high=520.0, level=0.95, n=5)
    values = {
        "workload": "matmul", "scope": "resident", "base": "best-cpu", "base_kind": "best-cpu",
        "entry": "entry", "kind": "bracket", "sizes": (128, 512), "low": 470.0, "high": 540.0,
        "estimate": estimate,
    }  # fmt: skip
    return Crossover(**(values | changes))


def test_a_bracket_beside_the_dense_crossing_holds_it_or_not() -> None:
    """The dense crossing lies inside, and the estimate within 5 %; otherwise the row is a miss."""
    record, (truth,) = rehearsed()
    good = bracket(low=truth * 0.9, high=truth * 1.1, estimate=None)
    row = dense_reference.beside(good, record)
    assert row["holds"] is True
    assert row["off"] is None
    near = msgspec.structs.replace(
        good, estimate=Estimate(value=truth, low=truth, high=truth, level=0.95, n=5)
    )
    shown = dense_reference.beside(near, record)
    assert dense_reference.met([shown]) is True
    wrong = dense_reference.beside(bracket(low=truth * 2, high=truth * 3), record)
    assert wrong["holds"] is False
    assert dense_reference.met([shown, wrong]) is False
    assert dense_reference.met([row]) is None
    assert dense_reference.met([]) is None


def test_the_actor_of_a_play_is_a_scripted_one() -> None:
    """Rehearsed curves are those that a scripted backend would play."""
    assert isinstance(play("one", 0).entry, Actor)
