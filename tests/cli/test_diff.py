"""``breakeven diff``, from scripted runs and committed documents to its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from breakeven.model.difference import Difference
from breakeven.model.run import RunRecord
from breakeven.store.folder import Store
from cli.spoken import Speaker
from docs.pages import ROOT
from engine.casts import Commands, actor, script

TOUR, LONG, QUICK = (
    str(ROOT / "examples" / "h200" / f"{n}.json") for n in ("tour", "long", "quick")
)
RUN = ("run", "matmul", "--sizes", "8", "--rounds", "8", "--budget", "60", "--json")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return documents of two scripted sessions: in the second one library takes 10 % longer."""
    folder = tmp_path_factory.mktemp("sessions")
    here = Commands(folder)
    found = []
    for seed, mine in enumerate((1e-3, 1.1e-3)):
        cast = script(folder, seed=seed, mine=actor({8: mine}), other=actor({8: 2e-3}))
        code, out, err = here.run(*RUN, "--backends", cast)
        assert code == 0, err
        found.append(folder / f"{seed}.json")
        found[-1].write_text(out)
    return found[0], found[1]


def test_a_scripted_slow_down_of_ten_per_cent_ends_with_1(
    breakeven: Speaker, runs: tuple[Path, Path]
) -> None:
    """The library that takes 10 % longer is slower; the other, whose code is the same, is same."""
    said = breakeven("diff", *runs)
    assert (said.code, said.err) == (1, "")
    assert said.out.startswith("B is slower in 1 of 2 judged cases, most so in matmul 8, mine")
    said = breakeven("diff", *runs, "--json")
    assert said.code == 1
    found = msgspec.json.decode(said.out, type=Difference)
    assert {c.entry: c.word for c in found.changes} == {"mine": "slower", "other": "same"}
    assert found.same_machine


def test_a_gain_is_no_fault(breakeven: Speaker, runs: tuple[Path, Path]) -> None:
    """The other way round the library is faster, and the exit code is 0."""
    said = breakeven("diff", *reversed(runs))
    assert said.code == 0
    assert said.out.startswith("B is faster in 1 of 2 judged cases")


def test_two_machines_are_told_and_end_with_3(breakeven: Speaker) -> None:
    """Two real runs on two H200: nothing is called slower, and nothing was judged."""
    said = breakeven("diff", TOUR, LONG)
    assert said.code == 3
    assert said.out.startswith("Not the same machine")
    assert "GPU-61446437" in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_a_quick_run_of_the_same_machine_is_withheld(breakeven: Speaker) -> None:
    """One machine, one minute apart; a quick run carries no word."""
    said = breakeven("diff", QUICK, TOUR)
    assert said.code == 3
    assert "The same machine" in said.out
    assert "A is a quick run" in said.out


def test_stored_runs_go_by_their_names(breakeven: Speaker, stored: RunRecord) -> None:
    """An id and `last` serve as they do for a report."""
    said = breakeven("diff", stored.id, "last", "--json")
    assert said.code == 0
    assert json.loads(said.out)["a"]["id"] == stored.id


def test_what_cannot_be_compared_is_one_line(breakeven: Speaker, stored: RunRecord) -> None:
    """A run that is not there ends with 2, runs without a common case with 3."""
    said = breakeven("diff", "nothing", "last")
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 1
    empty = msgspec.structs.replace(stored, id="2026-12-09T10-22-07-3f9a", cases=(), verdicts=())
    Store(breakeven.store).save(empty)
    said = breakeven("diff", stored.id, empty.id)
    assert (said.code, said.out) == (3, "")
    assert "no case was measured in both" in said.err
