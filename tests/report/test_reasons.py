"""Tests of the reasons behind verdicts that are not settled: each kind once."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.model.run import Conditions, RunRecord, Slot
from breakeven.model.verdict import Verdict
from breakeven.report import reasons
from breakeven.report.evidence import Evidence
from breakeven.report.page import build

SIZES = (128, 512, 1024, 2048, 8192)


def withheld(run: RunRecord, code: str) -> RunRecord:
    """Return the record with every verdict withheld for one reason, told with a count of slots."""
    verdicts = tuple(
        replace(v, word="withheld", ratio=None, low=None, high=None, reason=code,
                why=f"{v.size % 7} of 8 slots of cpu do not count")
        for v in run.verdicts
    )  # fmt: skip
    return replace(
        run, verdicts=verdicts, crossovers=(), bands=(), advice=(), paybacks=(), naive=()
    )


def busy(run: RunRecord) -> RunRecord:
    """Return the record of a machine on which others took 1.9 cores."""
    cases = tuple(
        replace(c, rounds=tuple(
            replace(r, slots=tuple(
                replace(s, voided="busy", conditions=Conditions(foreign_cores=1.9))
                for s in r.slots)) for r in c.rounds))
        for c in run.cases
    )  # fmt: skip
    return withheld(replace(run, cases=cases), "busy")


def lines(run: RunRecord, *, named: bool = False) -> tuple[str, ...]:
    """Return the lines of the best-cpu verdicts of CuPy."""
    evidence = Evidence(run)
    found = [v for v in evidence.verdicts("matmul", base_kind="best-cpu") if v.entry == "cupy"]
    return reasons.grouped(evidence, found, SIZES, named=named)


def test_each_kind_of_reason_is_told_once_with_one_remedy(gpu_record: RunRecord) -> None:
    """Counts of slots differ from size to size; the reason is one."""
    (line,) = lines(withheld(gpu_record, "busy"))
    assert line == (
        "Other processes took CPU time at N = 128 to 8192 (on the device, travelling): "
        "stop them and run again."
    )


def test_places_are_told_apart_by_scope_and_entry(gpu_record: RunRecord) -> None:
    """Sizes stand with the scope that they are open in; the entry is named where there are more."""

    def change(v: Verdict) -> Verdict:
        code = "few_rounds" if v.scope == "transfer" and v.size < 1000 else None
        return replace(v, why="why" if code else None, reason=code)

    run = replace(gpu_record, verdicts=tuple(change(v) for v in gpu_record.verdicts))
    assert lines(run) == (
        "Fewer than 3 rounds at N = 128 and 512 (travelling): give more time (--budget).",
    )
    assert "N = 128 and 512 (CuPy travelling)" in lines(run, named=True)[0]


def test_open_verdicts_tell_the_rounds_that_would_settle_them(gpu_record: RunRecord) -> None:
    """Sizes that rounds can settle are named; where none can, that is said."""

    def change(v: Verdict, needed: dict[int, int | None]) -> Verdict:
        hit = v.scope == "resident" and v.size in needed
        return replace(v, why="open" if hit else None, reason="noise" if hit else None,
                       rounds_needed=needed.get(v.size))  # fmt: skip

    def told(needed: dict[int, int | None]) -> str:
        verdicts = tuple(change(v, needed) for v in gpu_record.verdicts)
        return lines(replace(gpu_record, verdicts=verdicts))[0]

    assert "8 rounds in all would settle N = 512 at this noise" in told({128: None, 512: 8})
    assert "12 rounds in all would settle it at this noise" in told({128: 8, 512: 12})
    assert "even 20 rounds may not settle it" in told({128: None})


def test_a_reason_without_a_code_is_told_as_stored(gpu_record: RunRecord) -> None:
    """A document judged before there were codes keeps its words."""
    verdicts = tuple(replace(v, why="it rained; wait.", reason=None) for v in gpu_record.verdicts)
    (line,) = lines(replace(gpu_record, verdicts=verdicts))
    assert line.startswith("It rained; wait at N = 128 to 8192")


def test_a_busy_machine_is_the_answer(gpu_record: RunRecord) -> None:
    """Everything withheld for other processes: who took how much, and what to do."""
    page = build(busy(gpu_record))
    assert page.answers == (
        (
            "The machine is busy: other processes took 1.9 of 16 cores; nothing was named faster or "
            "slower. Stop them and run again."
        ),
    )
    assert page.workloads[0].withheld
    assert page.workloads[0].notes == ()


def test_a_quick_run_on_a_busy_machine_says_so(gpu_record: RunRecord) -> None:
    """Where no slot of a quick run counts, the headline is that of a full run; no table is named."""
    run = busy(gpu_record)
    quick = build(replace(run, spec=replace(run.spec, effort="quick")))
    assert quick.answers == build(run).answers
    assert quick.answers[0].startswith("The machine is busy: other processes took 1.9 of 16 cores")


def test_a_busy_machine_is_the_answer_before_any_verdict_was_reached(
    cpu_record: RunRecord,
) -> None:
    """Scouted once and void: what kept it from being compared is told, not that nothing was."""
    run = replace(busy(cpu_record), verdicts=())
    said = " ".join(build(run).answers)
    assert "he machine is busy: other processes took 1.9 of" in said
    assert "nothing to compare" not in said


def test_more_time_is_no_remedy_for_a_busy_machine(gpu_record: RunRecord) -> None:
    """Rounds are few because others void them: who does is named, and --budget is not."""

    def half(slot: Slot, place: int) -> Slot:
        return replace(slot, voided="busy") if place % 2 else slot

    cases = tuple(
        replace(c, rounds=tuple(
            replace(r, slots=tuple(half(s, i) for i, s in enumerate(r.slots))) for r in c.rounds))
        for c in gpu_record.cases
    )  # fmt: skip
    run = withheld(replace(gpu_record, cases=cases), "few_rounds")
    assert reasons.disturbance(run) == "busy"
    said = " ".join((*build(run).answers, *lines(run)))
    assert "ewer than 3 rounds, since other processes took CPU time" in said
    assert "--budget" not in said
    assert reasons.disturbance(gpu_record) is None


def test_an_interrupted_run_is_to_be_resumed(gpu_record: RunRecord) -> None:
    """More time is no remedy for a run that was cut short; the screen tells that it was."""
    run = replace(withheld(gpu_record, "few_rounds"), interrupted=True, caveats=(
        "The run was interrupted: what was measured stands, with fewer rounds.",))  # fmt: skip
    page = build(run)
    said = " ".join((*page.answers, *page.weighty, *page.workloads[0].unsettled))
    assert f"breakeven run --resume {run.id}" in page.answers[0]
    assert "--budget" not in said
    assert page.weighty[0].startswith("The run was interrupted")


def test_times_of_a_busy_machine_stand_beside_no_other(cpu_record: RunRecord) -> None:
    """The answer of a run in which nothing was judged for want of idle cores stays with that."""
    assert "NVIDIA H200" in build(cpu_record).answers[1]
    assert "H200" not in " ".join(build(busy(cpu_record)).answers)
