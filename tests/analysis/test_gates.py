"""Reasons for which a comparison is withheld."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from breakeven.analysis.gates import Gate, gate
from breakeven.analysis.judge import judge
from breakeven.analysis.pairs import Pair
from breakeven.analysis.times import Times
from breakeven.analysis.twins import Twins
from breakeven.model.run import Agreement, Case, Conditions, Floors, Limits, RunRecord, Slot
from records import CUPY, CURVES, NUMPY, TORCH_CPU, TWIN, entry, record

PAIR = Pair("matmul", 2048, "transfer", "torch-cpu-16", "best-cpu", "cupy")


def shut(run: RunRecord, pair: Pair = PAIR) -> Gate | None:
    """Return the gate of a pair."""
    times = Times(run)
    return gate(times, Twins(times), pair)


def reason(run: RunRecord, pair: Pair = PAIR) -> str:
    """Return why a pair is withheld."""
    found = shut(run, pair)
    assert found is not None
    return found.why


def test_a_sound_comparison_passes() -> None:
    """Where nothing is wrong nothing is withheld."""
    assert shut(record()) is None


@pytest.mark.parametrize(
    ("status", "words"),
    [("out_of_memory", "out of memory"), ("ran_on_host", "ran on the host"),
     ("crashed", "process ended"), ("timeout", "in time"), ("disagrees", "disagrees")],
)  # fmt: skip
@pytest.mark.parametrize(("side", "label"), [("cupy", "CuPy"), ("torch-cpu-16", "torch-cpu-16")])
def test_a_failed_side_withholds(
    edit_case: Callable[..., RunRecord], side: str, label: str, status: str, words: str
) -> None:
    """A case that is not ok is not compared, whichever side it is; the reason says which."""
    found = shut(edit_case(record(), side, 2048, status=status, why="it said so"))
    assert found is not None
    assert words in found.why
    assert found.why.startswith(label)
    assert found.reason == ("disagrees" if status == "disagrees" else "status")
    assert not found.mendable
    assert not found.readable


def test_disagreeing_answers_are_never_ranked(edit_case: Callable[..., RunRecord]) -> None:
    """A wrong answer has no speed, however many rounds there are."""
    wrong = Agreement(error=0.4, bound=1e-5, class_="wrong", passed=False)
    found = shut(edit_case(record(), "cupy", 2048, agreement=wrong))
    assert found is not None
    assert "disagrees" in found.why
    assert (found.mendable, found.readable, found.spoils) == (False, False, True)


def test_an_unchecked_answer_is_not_ranked_either(edit_case: Callable[..., RunRecord]) -> None:
    """No agreement is not the same as agreement."""
    assert "has not been compared" in reason(edit_case(record(), "cupy", 2048, agreement=None))


def test_another_precision_is_another_speed_up(edit_case: Callable[..., RunRecord]) -> None:
    """Different dtype, declared precision, or class of error are each told."""
    run = record()
    entries = {e.id: e for e in run.entries}
    for change, words in (
        ({"dtype": "float64"}, "float64"),
        ({"matmul_precision": "tf32"}, "tf32"),
    ):
        other = entries | {"cupy": replace(entries["cupy"], **change)}
        assert words in reason(replace(run, entries=tuple(other.values())))
    loose = Agreement(error=3e-4, bound=1e-2, class_="TF32/half", passed=True)
    assert "TF32/half" in reason(edit_case(run, "cupy", 2048, agreement=loose))


@pytest.mark.parametrize(
    ("voided", "words"),
    [("busy", "other processes"), ("gpu_busy", "used the GPU"), ("two_states", "shared a core")],
)
def test_many_voided_slots_withhold(
    edit_slots: Callable[..., RunRecord], voided: str, words: str
) -> None:
    """Two of six turns lost on one side are over a quarter; the reason names cause and remedy."""

    def change(_case: Case, _round: int, slot: Slot) -> Slot:
        return replace(slot, voided=voided) if slot.turn < 2 else slot

    found = shut(edit_slots(record(), change, entry="torch-cpu-16"))
    assert found is not None
    assert words in found.why
    assert "10 of 30 slots of torch-cpu-16" in found.why
    assert found.mendable


def test_a_quarter_of_voided_slots_is_borne(edit_slots: Callable[..., RunRecord]) -> None:
    """One of six turns lost leaves enough to judge."""

    def change(_case: Case, _round: int, slot: Slot) -> Slot:
        return replace(slot, voided="busy") if slot.turn == 0 else slot

    assert shut(edit_slots(record(), change)) is None


def test_a_figure_at_its_floor_is_withheld() -> None:
    """A call under ten times an empty call is mostly the timing loop."""
    run = record()
    floors = run.limits.floors | {"torch-cpu-16": Floors(empty_call_s=2e-3, message_s=1e-4)}
    assert "at the floor" in reason(replace(run, limits=Limits(floors=floors)))


def _cores(
    edit_slots: Callable[..., RunRecord], used: float, single: float, scouted: float | None = 15.0
) -> tuple[RunRecord, Pair]:
    """Return a run whose 16-thread NumPy kept `used` cores busy in the rounds."""
    one = entry("numpy", 1)
    twin = entry("numpy", 16, twin_of="numpy-16")
    curves = CURVES | {
        "numpy-1": lambda n: single * CURVES["numpy-16"](n),
        "numpy-16-twin": CURVES["numpy-16"],
    }
    run = record((one, NUMPY, twin, CUPY), curves)

    def change(_case: Case, round_: int, slot: Slot) -> Slot:
        return replace(slot, conditions=Conditions(cores_used=scouted if round_ == 0 else used))

    pair = PAIR._replace(base="numpy-16")
    return edit_slots(run, change, entry="numpy-16"), pair


def test_a_cpu_that_was_kept_from_its_cores_is_told(edit_slots: Callable[..., RunRecord]) -> None:
    """Work that 16 threads made 12 times faster cannot have run as fast on 4 cores."""
    assert "had 4.0 cores" in reason(*_cores(edit_slots, used=4.0, single=12.0))


@pytest.mark.parametrize(("used", "single"), [(15.0, 12.0), (1.0, 1.05), (3.0, 3.2)])
def test_threads_that_do_not_help_are_not_asked_for(
    edit_slots: Callable[..., RunRecord], used: float, single: float
) -> None:
    """Small sizes where threads do not help, and work that is parallel in part, pass."""
    assert shut(*_cores(edit_slots, used, single)) is None


def test_work_on_one_thread_is_not_asked_for_more(edit_slots: Callable[..., RunRecord]) -> None:
    """NumPy sorts on one core: a slow moment of the sibling makes no speed-up of it."""
    assert shut(*_cores(edit_slots, used=1.0, single=1.9, scouted=1.0)) is None
    assert "had 1.0 cores" in reason(*_cores(edit_slots, used=1.0, single=1.9, scouted=1.9))


def test_cores_that_were_not_read_when_scouted_excuse_nothing(
    edit_slots: Callable[..., RunRecord],
) -> None:
    """Without a reading the speed-up alone says what was used."""
    assert "had 4.0 cores" in reason(*_cores(edit_slots, used=4.0, single=12.0, scouted=None))


def test_a_session_that_differs_from_itself_is_withheld() -> None:
    """Where the A/A pair names a winner, that size says nothing."""
    biased = CURVES | {"torch-cpu-16-twin": lambda n: 1.5 * CURVES["torch-cpu-16"](n)}
    found = shut(record(curves=biased))
    assert found is not None
    assert "measured against itself" in found.why
    assert not found.mendable


def test_without_an_aa_pair_nothing_is_judged() -> None:
    """Without knowing what the session can tell apart, the ratio is shown but not judged."""
    found = shut(record((NUMPY, TORCH_CPU, CUPY)))
    assert found is not None
    assert "against itself" in found.why
    assert (found.mendable, found.readable, found.spoils) == (True, True, False)


def test_every_gate_says_more_than_a_word() -> None:
    """A twin at other sizes does not speak for this one."""
    run = record()
    cases = tuple(c for c in run.cases if c.entry != TWIN.id or c.size != 2048)
    assert "against itself" in reason(replace(run, cases=cases))
    assert shut(replace(run, cases=cases), PAIR._replace(size=512)) is None


def test_every_withheld_verdict_has_a_code(edit_slots: Callable[..., RunRecord]) -> None:
    """The reason of a verdict that is not settled is also told as a short, stable code."""

    def half(_case: Case, _round: int, slot: Slot) -> Slot:
        return replace(slot, voided="busy") if slot.turn < 3 else slot

    even = CURVES | {"cupy": CURVES["torch-cpu-16"]}
    codes = {
        "busy": edit_slots(record(), half, entry="cupy"),
        "few_rounds": record(rounds=2),
        "no_aa": record((NUMPY, TORCH_CPU, CUPY)),
        "noise": record((NUMPY, TORCH_CPU, TWIN, CUPY), even, spread=0.2),
    }
    for code, run in codes.items():
        verdicts = [v for v in judge(run).verdicts if v.entry == "cupy"]
        assert code in {v.reason for v in verdicts}, code
        assert all((v.reason is None) == (v.why is None) for v in verdicts)
