"""Tests of the times that are displayed: which slots count, and when no digits are shown."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.model.run import Floors, Limits, Round, RunRecord, Slot
from breakeven.report.evidence import AT_THE_FLOOR, Evidence
from records import CUPY, CURVES, NUMPY, TORCH_CPU, record

ENTRIES = (NUMPY, TORCH_CPU, CUPY)


def slots(*values: float, voided: str | None = None) -> tuple[Slot, ...]:
    """Return slots of the given medians, seconds."""
    return tuple(
        Slot(turn=i, order=i, median_s=v, min_s=v, repeats=5, voided=voided)
        for i, v in enumerate(values)
    )


def with_rounds(rounds: tuple[Round, ...], **fields: object) -> RunRecord:
    """Return a record of NumPy at one size with the given rounds."""
    run = record((NUMPY,), CURVES, sizes=(512,))
    return replace(run, cases=(replace(run.cases[0], rounds=rounds, **fields),))


def wall(number: int, *values: float, voided: str | None = None, scope: str = "resident") -> Round:
    """Return a round of wall slots."""
    return Round(round=number, scope=scope, clock="wall", slots=slots(*values, voided=voided))


def test_the_time_is_the_median_of_the_rounds_medians() -> None:
    """A case shows the median over rounds of the median over slots, with the rounds' span."""
    run = with_rounds((wall(1, 1.0, 2.0, 9.0), wall(2, 3.0, 3.0, 3.0), wall(3, 5.0, 5.0, 70.0)))
    figure = Evidence(run).figure("matmul", 512, "numpy-16", "resident")
    assert (figure.seconds, figure.low, figure.high, figure.rounds) == (3.0, 2.0, 5.0, 3)
    assert figure.text == "3.00 s"


def test_scouting_and_voided_slots_do_not_count() -> None:
    """Round 0 and voided slots are kept out of the time as soon as there is anything else."""
    run = with_rounds((wall(0, 50.0), wall(1, 80.0, voided="busy"), wall(2, 2.0)))
    figure = Evidence(run).figure("matmul", 512, "numpy-16", "resident")
    assert (figure.seconds, figure.rounds, figure.indicative) == (2.0, 1, False)


def test_scouting_alone_is_shown_and_marked() -> None:
    """A case that was only scouted shows that time, marked indicative."""
    figure = Evidence(with_rounds((wall(0, 2.0),))).figure("matmul", 512, "numpy-16", "resident")
    assert (figure.text, figure.indicative, figure.rounds) == ("~2.00 s", True, 0)


def test_other_clocks_do_not_count() -> None:
    """The device clock never stands for what a caller waits for."""
    device = Round(round=1, scope="resident", clock="device", slots=slots(1.0))
    figure = Evidence(with_rounds((device,))).figure("matmul", 512, "numpy-16", "resident")
    assert (figure.text, figure.seconds) == ("-", None)


def test_a_case_whose_slots_are_all_voided_says_so() -> None:
    """Without a slot that counts there is a word and a reason, and no number."""
    run = with_rounds((wall(1, 2.0, voided="busy"), wall(2, 2.0, voided="two_states")))
    figure = Evidence(run).figure("matmul", 512, "numpy-16", "resident")
    assert (figure.text, figure.seconds) == ("voided", None)
    assert "busy, two_states" in (figure.note or "")


def test_a_time_under_ten_floors_has_no_digits() -> None:
    """A time under ten times the empty call is at the floor; at ten times it is a number."""
    run = with_rounds((wall(1, 9.9e-6),))
    floors = Limits(floors={"numpy-16": Floors(empty_call_s=1e-6, message_s=1e-5)})
    low = Evidence(replace(run, limits=floors)).figure("matmul", 512, "numpy-16", "resident")
    assert (low.text, low.seconds, low.low) == (AT_THE_FLOOR, None, None)
    run = with_rounds((wall(1, 1e-5),))
    high = Evidence(replace(run, limits=floors)).figure("matmul", 512, "numpy-16", "resident")
    assert high.text == "10.0 us"


def test_a_cpu_entry_has_one_time_for_both_scopes() -> None:
    """Data of a CPU entry need not travel: its resident time stands in the transfer scope too."""
    evidence = Evidence(record(ENTRIES))
    stay = evidence.figure("matmul", 512, "numpy-16", "resident")
    assert evidence.figure("matmul", 512, "numpy-16", "transfer") == stay
    gpu = evidence.figure("matmul", 512, "cupy", "transfer")
    assert gpu.seconds is not None
    assert gpu.seconds > (evidence.figure("matmul", 512, "cupy", "resident").seconds or 0)


def test_a_status_stands_in_place_of_a_time() -> None:
    """A case that is not ok shows its status, with the reason, even if rounds were measured."""
    run = with_rounds((wall(1, 2.0),), status="out_of_memory", why="needs 3 GiB")
    figure = Evidence(run).figure("matmul", 512, "numpy-16", "resident")
    assert (figure.text, figure.seconds, figure.note) == ("out of memory", None, "needs 3 GiB")


def test_a_size_never_measured_has_a_reason() -> None:
    """A missing case is a dash with a reason, never 0."""
    figure = Evidence(record(ENTRIES)).figure("matmul", 999, "cupy", "resident")
    assert (figure.text, figure.seconds) == ("-", None)
    assert figure.note


def test_quick_figures_are_indicative() -> None:
    """Every time of a quick run is marked."""
    run = record(ENTRIES)
    run = replace(run, spec=replace(run.spec, effort="quick"))
    figure = Evidence(run).figure("matmul", 512, "cupy", "resident")
    assert figure.indicative
    assert figure.text.startswith("~")


def test_best_cpu_is_the_stored_base(gpu_record: RunRecord) -> None:
    """The best CPU entry is the one that verdicts name, whatever the displayed medians say."""
    slower = tuple(replace(v, base="numpy-16") for v in gpu_record.verdicts)
    evidence = Evidence(replace(gpu_record, verdicts=slower))
    assert evidence.best_cpu_at("matmul", 8192) == "numpy-16"
    assert Evidence(replace(gpu_record, verdicts=())).best_cpu_at("matmul", 8192) == "torch-cpu-16"
