"""The answer of a self-test."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analysis import known as known_module
from analysis.conftest import edit_slots
from analysis.known import TWIN, curves, known
from breakeven.analysis.checks import checks
from breakeven.analysis.fitness import Answer, answer, believed_from
from breakeven.analysis.trials import together, trials
from breakeven.model.run import RunRecord
from breakeven.model.selftest import Check, CheckWord, Readings


def check(name: str, word: CheckWord = "passed", why: str | None = None) -> Check:
    """Return a check."""
    remedy = "mend it" if word == "failed" else None
    return Check(name=name, title=name, word=word, figure="1", target="2", why=why, remedy=remedy)


def test_a_machine_that_passes_is_fit_from_the_smallest_planted_ratio_found() -> None:
    """Eight calm rounds find 1.10 everywhere."""
    said = answer([check("same_code")], trials(known()))
    assert said.fit == "fit"
    assert said.believed_from == pytest.approx(1.1)
    assert said.sentence == (
        "This machine is fit to be believed for differences of 1.1 times and more."
    )


def test_fewer_rounds_are_believed_for_larger_differences() -> None:
    """Three rounds leave room for what the widest interval would hide, rounded up to a tenth."""
    three, five = (believed_from(trials(known(rounds=n))) for n in (3, 5))
    assert three is not None
    assert five is not None
    assert three > five > 1.2
    assert round(three * 10) == pytest.approx(three * 10)


def test_the_cause_is_told_before_what_follows_from_it() -> None:
    """Other processes come first, then the count of what else failed; the remedy stands there."""
    failed = [
        check("planted_1.20", "failed", "it is wrong"),
        check("same_code", "failed", "it differs"),
        check("other_processes", "failed", "other processes took 0.8 cores"),
    ]
    said = answer(failed, trials(known()))
    assert (said.fit, said.believed_from) == ("not_fit", None)
    assert said.sentence == (
        "This machine is not fit to be believed now: other processes took 0.8 cores; mend it "
        "(2 more failed)."
    )


def test_what_could_not_be_told_leaves_a_machine_fit() -> None:
    """A GPU that is missing is no fault."""
    said = answer([check("device_clock", "unknown", "no GPU takes part")], trials(known()))
    assert said.fit == "fit"


def test_without_a_comparison_nothing_can_be_told() -> None:
    """Two rounds make no machine fit or unfit."""
    found = trials(known(rounds=2))
    said = answer([check("same_code", "unknown", "fewer than 3 rounds")], found)
    assert (said.fit, said.believed_from) == ("unknown", None)
    assert said.sentence.endswith("cannot be told: fewer than 3 rounds.")


@pytest.mark.usefixtures("_eight_sizes")
@pytest.mark.parametrize(("voided", "fit"), [(3, "fit"), (4, "unknown"), (6, "unknown")])
def test_most_places_of_the_same_code_must_have_been_judged(voided: int, fit: str) -> None:
    """A twin that could be judged at two places of eight says nothing of the other six."""
    small = sorted(known_module.SIZES)[:voided]
    run = edit_slots(
        known(),
        lambda case, _round, slot: replace(slot, voided="busy") if case.size in small else slot,
        entry=TWIN.id,
    )
    found = trials(run)
    check = next(c for c in checks(run, found, together(run, found), Readings())
                 if c.name == "same_code")  # fmt: skip
    said = answer([check], found)
    assert (check.word, said.fit) == ("unknown", fit)
    if fit == "unknown":
        assert said.believed_from is None
        told = f"the same code could be judged at {8 - voided} of 8 places alone ("
        assert f"cannot be told: {told}" in said.sentence


def test_a_difference_that_was_not_found_everywhere_is_not_promised() -> None:
    """Where one planted 1.10 came out alike, no smaller difference than 1.2 is believed."""
    found = trials(known(curves(by_10=0.95)))
    assert believed_from(found) == pytest.approx(1.2)


def concluded(run: RunRecord) -> Answer:
    """Return the answer about a session."""
    found = trials(run)
    return answer(checks(run, found, together(run, found), Readings()), found)


@pytest.fixture
def _eight_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sessions have as many sizes as a real one."""
    monkeypatch.setattr("analysis.known.SIZES", (64, 96, 128, 160, 192, 256, 320, 384))


@pytest.mark.usefixtures("_eight_sizes")
@pytest.mark.parametrize("spread", [0.03, 0.06, 0.12])
def test_a_sound_machine_is_seldom_called_unfit(spread: float) -> None:
    """Of 40 honest sessions at eight sizes at most two are, whatever their noise."""
    words = [concluded(known(spread=spread, seed=seed)).fit for seed in range(40)]
    assert words.count("not_fit") <= 2


@pytest.mark.usefixtures("_eight_sizes")
@pytest.mark.parametrize("spread", [0.03, 0.06])
def test_a_clock_that_runs_fast_is_not_missed(spread: float) -> None:
    """Where one entry's clock counts 20 % too much, each of 20 sessions of eight rounds says so."""
    for seed in range(20):
        said = concluded(known(curves(by_20=1.2), spread=spread, seed=seed))
        assert said.fit == "not_fit"


@pytest.mark.usefixtures("_eight_sizes")
def test_a_twin_that_is_a_little_slower_everywhere_is_seen_over_all_places() -> None:
    """Four percent name no winner at any place, and are no chance at eight of them at once."""
    run = known(curves(twin=1.04))
    found = trials(run)
    assert {t.verdict.word for t in found if t.planted == 1.0} <= {
        "some_loss",
        "inconclusive",
        "equivalent",
    }
    one = next(t for t in together(run, found) if t.planted == 1.0)
    assert (one.places, one.rounds, one.holds) == (8, 8, False)
    assert one.low < one.measured < one.high
    assert "over 8 places" in concluded(run).sentence
