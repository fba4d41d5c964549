"""Everything concluded from a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from breakeven.analysis.judge import apply, judge
from breakeven.model.run import Agreement, Limits, RunRecord
from records import CUPY, CURVES, NUMPY, TORCH_CPU, TORCH_CUDA, TWIN, entry, record, with_naive


def test_the_reference_machine_is_told_as_it_is() -> None:
    """On the scripted H200 curves every crossover lies where the curves cross."""
    found = {(c.scope, c.base_kind, c.entry): c for c in judge(record()).crossovers}
    resident = found["resident", "best-cpu", "cupy"]
    moving = found["transfer", "best-cpu", "cupy"]
    assert (resident.kind, moving.kind) == ("bracket", "bracket")
    assert resident.low is not None
    assert resident.high is not None
    assert resident.low <= 271 <= resident.high
    assert moving.low is not None
    assert moving.high is not None
    assert moving.low <= 1200 <= moving.high
    assert found["cold", "best-cpu", "cupy"].kind == "never"
    assert found["resident", "numpy", "torch-cpu-16"].base == "numpy-16"


def test_every_comparison_has_one_verdict() -> None:
    """No pair is judged twice, none is left out."""
    verdicts = judge(record()).verdicts
    counted = Counter((v.size, v.scope, v.base_kind, v.entry) for v in verdicts)
    assert set(counted.values()) == {1}
    assert len(counted) == 4 * (2 * 2 * 2 + 1)


def test_no_ratio_without_an_interval() -> None:
    """A verdict has all of its figures or none of them."""
    for run in (record(), record(rounds=2), record(voided="busy"), record(spread=0.5)):
        for v in judge(run).verdicts:
            assert len({v.ratio is None, v.low is None, v.high is None}) == 1
            if v.word == "withheld":
                assert v.why
            else:
                assert v.verdict_low is not None
                assert v.margin is not None
                assert v.margin >= 1.05 - 1e-12


def test_judging_again_gives_the_same() -> None:
    """The same record gives the same conclusions to the last digit, also after storing."""
    run = record()
    run = replace(run, naive_shots=with_naive(run))
    judged = judge(run)
    assert judge(apply(run, judged)) == judged
    stored = msgspec.json.decode(msgspec.json.encode(run), type=RunRecord)
    assert judge(stored) == judged


def test_conclusions_fill_the_record() -> None:
    """Each conclusion stands in its place, what was measured is unchanged."""
    run = record()
    run = replace(run, naive_shots=with_naive(run), remarks=("pinned",))
    judged = judge(run)
    filled = apply(run, judged)
    assert filled.limits.aa == judged.aa
    assert filled.limits.floors == run.limits.floors
    assert filled.verdicts == judged.verdicts
    assert filled.naive == judged.naive
    assert (filled.cases, filled.remarks) == (run.cases, run.remarks)
    assert filled.bands
    assert filled.advice
    assert filled.paybacks
    assert filled.achieved
    assert filled.crossovers
    assert filled.caveats
    assert msgspec.json.decode(msgspec.json.encode(filled), type=RunRecord) == filled


def test_a_busy_machine_names_no_winner() -> None:
    """With every slot void: no winner, no band, no choice, no crossover, no pay-back."""
    judged = judge(record(voided="busy"))
    assert {v.word for v in judged.verdicts} == {"withheld"}
    assert {b.kind for b in judged.bands} == {"open"}
    assert {a.choice for a in judged.advice} == {None}
    assert {c.kind for c in judged.crossovers} == {"undecided"}
    assert all(p.calls is None and p.why for p in judged.paybacks)
    assert any(c.startswith("Busy machine") for c in judged.caveats)


def test_the_same_backend_twice_names_neither() -> None:
    """NumPy entered twice makes one comparison a size, and no winner."""
    second = entry("numpy", 2, default=True, id="numpy-2#2")
    first = entry("numpy", 2, default=True)
    twin = entry("numpy", 2, twin_of="numpy-2")
    curves = dict.fromkeys(("numpy-2", "numpy-2#2", "numpy-2-twin"), CURVES["numpy-16"])
    judged = judge(record((first, second, twin), curves))
    assert [(v.base_kind, v.base, v.entry) for v in judged.verdicts] == [
        ("same", "numpy-2", "numpy-2#2")
    ] * 4
    assert not {v.word for v in judged.verdicts} & {"faster", "slower"}
    assert judged.bands == ()


def test_disagreeing_answers_are_ranked_nowhere(edit_case: Callable[..., RunRecord]) -> None:
    """A backend that answers wrongly at every size appears in no winner, choice or pay-back."""
    run = record()
    wrong = Agreement(error=0.7, bound=1e-5, class_="wrong", passed=False)
    for size in (128, 512, 2048, 8192):
        run = edit_case(run, "cupy", size, agreement=wrong)
    judged = judge(run)
    assert {v.ratio for v in judged.verdicts if v.entry == "cupy"} == {None}
    assert not any("cupy" in b.entries for b in judged.bands)
    assert "cupy" not in {a.choice for a in judged.advice}
    assert all(p.calls is None and p.reuses is None for p in judged.paybacks if p.entry == "cupy")
    assert {c.kind for c in judged.crossovers if c.entry == "cupy"} == {"undecided"}


def test_a_run_of_nothing_concludes_nothing() -> None:
    """A record without a case has no verdict, yet is judged."""
    judged = judge(replace(record(), cases=(), cold_starts=(), limits=Limits()))
    assert judged.verdicts == ()
    assert judged.paybacks == ()
    assert {c.kind for c in judged.crossovers} == {"undecided"}


@pytest.mark.parametrize("entries", [(CUPY, TORCH_CUDA), (NUMPY,), (TORCH_CPU, TWIN)])
def test_runs_without_a_pair_conclude_nothing(entries: tuple[object, ...]) -> None:
    """GPU entries alone, or one CPU entry alone, have nobody to be compared with."""
    judged = judge(record(entries))  # type: ignore[arg-type]
    assert judged.verdicts == ()
    assert judged.crossovers == ()
    assert judged.achieved


@settings(max_examples=25)
@given(
    st.integers(0, 9), st.floats(0.0, 0.6), st.integers(0, 1000),
    st.sampled_from([None, "busy", "two_states"]), st.sampled_from(["quick", "tour", "full"]),
)  # fmt: skip
def test_any_record_can_be_judged(
    rounds: int, spread: float, seed: int, voided: str | None, effort: str
) -> None:
    """However few or noisy its rounds, a record is judged, and what results can be stored."""
    run = record(rounds=rounds, spread=spread, seed=seed, voided=voided, sizes=(128, 512, 2048))
    run = replace(run, spec=replace(run.spec, effort=effort))
    filled = apply(run, judge(run))
    assert msgspec.json.decode(msgspec.json.encode(filled), type=RunRecord) == filled
    if effort == "quick" or rounds < 3 or voided:
        assert {v.word for v in filled.verdicts} == {"withheld"}
