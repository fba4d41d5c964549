"""Sessions of controls, scripted: the same work again, planted differences, recordings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

import aa
import identical_work
import planted
import recordings
import results_file
from breakeven import lab
from breakeven.engine.plan import again, twin_of
from breakeven.engine.plan import planted as planted_entries
from breakeven.model.machine import Machine
from breakeven.model.run import Entry, RunRecord
from engine.casts import actor, gpu, script
from records import machine

SIZES = (8, 16)
CURVE = {8: 1e-3, 16: 2e-3}
HERE = machine(gpu=False, cores=2)


def session(folder: Path, *, controls: str, rounds: int | None = 3) -> RunRecord:
    """Measure one scripted backend against itself, or with planted differences."""
    one = lab.entry_of(f"{script(folder, one=actor(CURVE))}#one", HERE)
    entries = planted_entries(one) if controls == "planted" else (one, twin_of(one), again(one))
    return alone(folder, entries, SIZES, rounds, HERE)


def alone(
    folder: Path,
    entries: Sequence[Entry],
    sizes: Sequence[int],
    rounds: int | None,
    here: Machine,
) -> RunRecord:
    """Measure entries with a temporary folder of their own, so that they wait for no other run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(folder))
        return lab.measure_entries(entries, {"matmul": sizes}, rounds=rounds, machine=here)


def slowed(run: RunRecord, entry: str, factor: float) -> RunRecord:
    """Return a run in which an entry was slower by a factor, judged again."""
    cases = []
    for case in run.cases:
        rounds = tuple(
            msgspec.structs.replace(
                block,
                slots=tuple(
                    msgspec.structs.replace(s, median_s=s.median_s * factor) for s in block.slots
                ),
            )
            for block in case.rounds
        )
        cases.append(msgspec.structs.replace(case, rounds=rounds) if case.entry == entry else case)
    return lab.judged(msgspec.structs.replace(run, cases=tuple(cases)))


@pytest.fixture(scope="module")
def same(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """Return a session of the same work three times."""
    return session(tmp_path_factory.mktemp("same"), controls="same")


@pytest.fixture(scope="module")
def different(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """Return a session of planted differences, five rounds."""
    return session(tmp_path_factory.mktemp("planted"), controls="planted", rounds=5)


def test_the_same_work_is_counted_twice_a_size_and_names_no_winner(same: RunRecord) -> None:
    """Each size gives one comparison as a run judges it, and one by the bare rule."""
    found = aa.tally(same)
    assert found["session"]["comparisons"] == len(SIZES)
    assert found["bare"]["comparisons"] == len(SIZES)
    assert found["session"]["winners"] == found["bare"]["winners"] == []
    assert found["rounds"] == 3
    total = aa.summary([found], HERE, "c")
    assert (total.met, total.details["comparisons"]) == (None, 2 * len(SIZES))


def test_a_false_winner_among_the_same_work_is_named(same: RunRecord) -> None:
    """A third process that is three times slower is a winner of its first self: a miss."""
    found = aa.tally(slowed(same, "one#2", 3.0))
    assert {w["entry"] for w in found["session"]["winners"]} == {"one#2"}
    assert {w["word"] for w in found["session"]["winners"]} == {"slower"}
    assert aa.summary([found], HERE, "c").met is False


def test_a_twin_that_wins_counts_against_the_bare_rule(same: RunRecord) -> None:
    """It also withholds the comparisons beside it, which then are no comparisons."""
    found = aa.tally(slowed(same, "one-twin", 3.0))
    assert len(found["bare"]["winners"]) == len(SIZES)
    assert found["session"]["withheld"] == {"aa_winner": len(SIZES)}
    assert aa.summary([found], HERE, "c").met is False


def test_enough_comparisons_without_a_winner_meet_the_target(same: RunRecord) -> None:
    """600 are enough, 599 are not yet."""
    one = aa.tally(same)
    most = one | {"session": one["session"] | {"comparisons": 598}}
    assert aa.summary([most], HERE, "c").met is True
    less = one | {"session": one["session"] | {"comparisons": 597}}
    assert aa.summary([less], HERE, "c").met is None


def test_sessions_are_the_unit_and_bound_less_than_comparisons(same: RunRecord) -> None:
    """600 comparisons of one session exclude little: one session without a winner is one trial."""
    one = aa.tally(same)
    most = one | {"session": one["session"] | {"comparisons": 598}}
    found = aa.summary([most], HERE, "c")
    assert found.details["excluded_at_95"] < 0.005
    assert found.details["sessions_excluded_at_95"] == pytest.approx(0.95)
    assert "0 of 1 sessions have one" in found.figure
    assert "under 95 % of sessions" in found.figure
    twelve = aa.summary([most] * 12, HERE, "c").details
    assert twelve["sessions_excluded_at_95"] == pytest.approx(1 - 0.05 ** (1 / 12))
    bad = aa.tally(slowed(same, "one#2", 3.0))
    assert "1 of 3 sessions have one" in aa.summary([most, bad, most], HERE, "c").figure


def test_a_session_that_judged_nothing_is_no_unit(same: RunRecord) -> None:
    """Where all was withheld there is nothing that a winner could have been among."""
    one = aa.tally(same)
    empty = {way: one[way] | {"comparisons": 0} for way in ("session", "bare")}
    found = aa.summary([one, one | empty], HERE, "c").details
    assert (len(found["sessions"]), found["sessions_judged"]) == (2, 1)


def test_sessions_add_up_in_the_result(same: RunRecord, tmp_path: Path) -> None:
    """A second session is added to the file of the first."""
    path = tmp_path / "x.json"
    assert results_file.sessions_of(path) == []
    for _ in range(2):
        sessions = [*results_file.sessions_of(path), aa.tally(same)]
        results_file.write(path, aa.summary(sessions, HERE, "c"))
    assert results_file.read(path).details["comparisons"] == 4 * len(SIZES)


def test_planted_differences_are_told_with_their_size(different: RunRecord) -> None:
    """In five rounds 1.5 and 2 are found; every measured factor is near what was planted."""
    found = planted.tally(different)
    assert len(found["comparisons"]) == 4 * len(SIZES)
    for row in found["comparisons"]:
        assert row["measured"] == pytest.approx(row["factor"], rel=0.05)
        assert row["low"] <= row["measured"] <= row["high"]
    made = {m["factor"]: m for m in planted.by_factor(found["comparisons"])}
    assert made[2.0]["found"] == made[1.5]["found"] == 1.0
    assert (made[2.0]["rounds"], made[1.5]["rounds"]) == (3, 5)
    assert made[2.0]["expected_rounds"] == 3.0
    assert sum(m["wrong"] for m in made.values()) == 0


def test_a_planted_difference_that_is_lost_is_a_miss(different: RunRecord) -> None:
    """An entry of 20 calls made as quick as its base is found nowhere, and called equal once."""
    undone = slowed(different, "one-x20", 0.5)
    made = planted.by_factor(planted.tally(undone)["comparisons"])
    assert not planted.as_expected(made)


def test_rounds_told_count_once_they_could_have_been_taken() -> None:
    """A telling is right when it was enough, wrong when not, open when the run ended before."""
    row = {"word": "slower", "rounds": 8, "told": [[3, 8], [5, 12]]}
    late = {"word": "slower", "rounds": 12, "told": [[3, 8]]}
    cut = {"word": "inconclusive", "rounds": 5, "told": [[3, 8], [5, None]]}
    assert planted.told([row, late, cut]) == (3, 2)


def test_rounds_told_must_be_right_in_95_percent(different: RunRecord) -> None:
    """19 of 20 tellings are enough, 18 are not; without one it cannot be told."""
    kept = {"word": "slower", "rounds": 8, "told": [[3, 8]]}
    late = {"word": "slower", "rounds": 12, "told": [[3, 8]]}
    base = next(r for r in planted.tally(different)["comparisons"] if r["factor"] == 2.0)
    for missed, met in ((1, True), (2, False)):
        rows = [base | {"table": None} | row for row in [kept] * (20 - missed) + [late] * missed]
        found = planted.words({"sessions": [{"comparisons": rows}]})
        assert found.met is met
        assert "15 points fewer" in found.target
        assert "right in 95 %" in found.target
    silent = [base | {"table": None, "told": []}]
    assert planted.words({"sessions": [{"comparisons": silent}]}).met is None


def test_a_planted_result_reads_as_a_sentence(different: RunRecord) -> None:
    """Its figure names each factor; without a comparison nothing is claimed."""
    found = planted.summary([planted.tally(different)], HERE)
    assert "2: 100 % in 3.0 rounds" in found.figure
    assert planted.summary([], HERE).met is None


def test_a_recording_holds_the_slots_of_both_processes(same: RunRecord, tmp_path: Path) -> None:
    """A row for each round and size, in the form that the recordings are read in."""
    rows = identical_work.rows_of(same, "s1")
    assert len(rows) == 3 * len(SIZES)
    assert {len(r["a"]) for r in rows} == {len(r["b"]) for r in rows} == {8}
    path = tmp_path / "new-x.jsonl.gz"
    for number in range(4):
        kept = identical_work.keep(path, identical_work.rows_of(same, f"s{number}"), HERE)
    assert len(kept) == 12 * len(SIZES)
    cells = recordings.cells_of(path)
    assert {(c.kind, c.size) for c in cells} == {("matmul one", n) for n in SIZES}


def test_slots_that_a_gate_voided_are_recorded_as_unknown(same: RunRecord) -> None:
    """A void slot leaves None in its turn."""
    case = next(c for c in same.cases if (c.entry, c.size) == ("one", 8))
    block = case.rounds[0]
    first = msgspec.structs.replace(block.slots[0], voided="busy")
    void = msgspec.structs.replace(block, slots=(first, *block.slots[1:]))
    spoilt = msgspec.structs.replace(case, rounds=(void, *case.rounds[1:]))
    run = msgspec.structs.replace(same, cases=tuple(spoilt if c is case else c for c in same.cases))
    row = next(r for r in identical_work.rows_of(run, "s") if (r["n"], r["i"]) == (8, block.round))
    assert row["a"][first.turn] is None
    assert None not in row["b"]


def test_rounds_and_sessions_are_told_apart(same: RunRecord) -> None:
    """Two sessions at another level differ between each other, not from round to round."""
    calm = identical_work.rows_of(same, "s1")
    level = [r | {"session": "s2", "a": [2 * s for s in r["a"]], "b": [2 * s for s in r["b"]]}
             for r in calm]  # fmt: skip
    for row in identical_work.spreads([*calm, *level]):
        assert row["rounds"] < 0.1
        assert row["sessions"] == pytest.approx(0.6931 / 2**0.5, abs=0.05)
        assert row["void"] == 0.0
    assert identical_work.spreads(calm)[0]["sessions"] is None


def test_the_ratio_between_kinds_is_followed_from_session_to_session() -> None:
    """NumPy twice as slow in the second session moves the ratio by ln 2."""
    rows = [
        {"session": s, "i": 1, "workload": "matmul", "kind": kind, "n": 64, "a": [t], "b": [t]}
        for s, kind, t in (("1", "numpy-2", 1.0), ("1", "torch-cpu-2", 1.0),
                           ("2", "numpy-2", 2.0), ("2", "torch-cpu-2", 1.0))
    ]  # fmt: skip
    (moved,) = identical_work.between(rows)
    assert moved["pair"] == "numpy-2/torch-cpu-2"
    assert moved["sd"] == pytest.approx(0.6931 / 2**0.5, rel=1e-3)


def test_a_gpu_has_both_scopes_in_the_counts(tmp_path: Path) -> None:
    """On a GPU each size is compared with data resident and travelling."""
    here = machine(gpu=True, cores=2)
    one = lab.entry_of(f"{script(tmp_path, one=gpu(CURVE))}#one", here)
    entries = (one, twin_of(one), again(one))
    run = alone(tmp_path, entries, (8,), 3, here)
    found = aa.tally(run)
    assert found["session"]["comparisons"] == 2
    assert found["bare"]["comparisons"] == 2
    kinds = {r["kind"] for r in identical_work.rows_of(run, "s")}
    assert kinds == {"one resident", "one transfer"}
