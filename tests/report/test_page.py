"""Tests of the view model: it is the record, formatted, and the same everywhere."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from breakeven.model.machine import BackendInfo
from breakeven.model.run import RunRecord, Status
from breakeven.model.verdict import CrossoverKind, Word
from breakeven.report.page import Page, build

STATUSES = [s for s in get_args(Status) if s != "ok"]


def all_text(page: Page) -> str:
    """Return everything that a page says."""
    return msgspec.json.encode(page).decode()


def test_a_page_is_the_same_after_a_round_trip_of_the_record(gpu_record: RunRecord) -> None:
    """A record that was stored and read again gives the same page, byte for byte."""
    again = msgspec.json.decode(msgspec.json.encode(gpu_record), type=RunRecord)
    assert msgspec.json.encode(build(again)) == msgspec.json.encode(build(gpu_record))


def test_the_answer_says_yes_from_where_and_with_what(gpu_page: Page) -> None:
    """The answer names bracket, library and condition, with those that were not told apart."""
    assert gpu_page.answers == (
        (
            "matmul: yes, the GPU pays from somewhere between N = 610 and N = 790 on with CuPy or "
            "torch-CUDA if the data must travel; from somewhere between N = 256 and N = 310 on with "
            "CuPy "
            "if the data already lives on the GPU."
        ),
    )


def test_the_answer_can_be_no(gpu_record: RunRecord) -> None:
    """Where the GPU overtakes in no scope the answer is no, with sizes and best ratio."""
    never = tuple(
        replace(c, kind="never", low=None, high=None, estimate=None, best_ratio=5.0, best_size=8192)
        for c in gpu_record.crossovers
    )
    (answer,) = build(replace(gpu_record, crossovers=never)).answers
    assert answer.startswith("matmul: no, the GPU does not overtake the best CPU setting")
    assert "N = 128, 512, 1024, 2048, 8192 tested" in answer
    assert "5 rounds" in answer


@pytest.mark.parametrize(
    ("kind", "sizes", "words"),
    [
        ("always", (2048,), "yes, the GPU pays at N = 2048 (the only size judged) with CuPy"),
        ("never", (2048,), "does not overtake the best CPU setting at N = 2048 (the only size"),
        ("always", (512, 1024), "at every size judged (N = 512 to 1024)"),
        ("always", (128, 512, 1024, 2048, 8192), "at every size tested (N = 128 to 8192)"),
    ],
)
def test_an_answer_speaks_of_the_sizes_it_rests_on(
    gpu_record: RunRecord, kind: CrossoverKind, sizes: tuple[int, ...], words: str
) -> None:
    """One size is not every size, and those that could not be judged are not claimed."""
    found = tuple(
        replace(c, kind=kind, sizes=sizes, low=None, high=None, estimate=None,
                wins_from=sizes[0], wins_to=sizes[-1])
        for c in gpu_record.crossovers
    )  # fmt: skip
    page = build(replace(gpu_record, crossovers=found))
    assert words in page.answers[0]
    if len(sizes) == 1:
        shown = [c.text for c in page.workloads[0].crossovers if c.scope != "cold"]
        assert all("at N = 2048 (the only size judged)" in text for text in shown)


def test_without_a_gpu_the_answer_is_about_numpy_and_a_stored_run(cpu_page: Page) -> None:
    """Without a GPU: torch on the CPU against NumPy, and the stored run with its labels."""
    opening, answer = cpu_page.answers
    assert opening == "No GPU on this machine."
    assert answer == (
        "matmul: torch-cpu-2 is faster than NumPy at N = 512 and 2048 (2.00x [1.80, 2.20] at 2048, "
        "3 rounds); not settled at N = 128 (0.900x [0.810, 0.990], 3 rounds). At N = 2048 "
        "torch-cpu-2 takes 80.0 ms, a stored NVIDIA H200 run (CuPy, data travelling) 4.00 ms: "
        "20.0x (other machine, not paired, indicative)."
    )
    assert sum("no NVIDIA driver was found" in line for line in cpu_page.environment) == 1


def test_when_all_is_withheld_nothing_is_claimed(gpu_record: RunRecord) -> None:
    """A run whose comparisons are all withheld gives the reason and names no winner."""
    verdicts = tuple(
        replace(
            v, word="withheld", ratio=None, low=None, high=None, why="the machine is busy; stop it"
        )
        for v in gpu_record.verdicts
    )
    run = replace(gpu_record, verdicts=verdicts, crossovers=(), bands=(), advice=())
    page = build(run)
    assert page.answers == ("Nothing was named faster or slower: the machine is busy; stop it.",)
    assert len(page.workloads[0].unsettled) == 1
    assert "faster" not in "".join(
        w for row in page.workloads[0].rows for w in (s.word for s in row.speedups)
    )


def test_a_quick_run_gives_no_verdict(gpu_record: RunRecord) -> None:
    """Quick figures are indicative: no word of a verdict stands on the page."""
    page = build(replace(gpu_record, spec=replace(gpu_record.spec, effort="quick")))
    assert page.answers[0].startswith("matmul (indicative, one round, no verdict): CuPy was ahead")
    words = {s.word for w in page.workloads for row in w.rows for s in row.speedups}
    assert words == {"indicative"}
    times = {t.figure.indicative for row in page.workloads[0].rows for t in row.others}
    assert times == {True}


@pytest.mark.parametrize("status", STATUSES)
def test_every_status_is_told_with_its_reason(gpu_record: RunRecord, status: str) -> None:
    """A case that is not ok stands in the list with sizes and reason, and in its cell."""
    cases = tuple(
        replace(c, status=status, why=f"because of {status}", rounds=())
        if c.entry == "cupy" and c.size >= 2048
        else c
        for c in gpu_record.cases
    )
    (workload,) = build(replace(gpu_record, cases=cases)).workloads
    words = status.replace("_", " ")
    assert workload.statuses == (f"CuPy: {words} at N = 2048 and 8192 (because of {status})",)
    assert {t.figure.text for t in workload.rows[-1].others if t.entry == "cupy"} == {words}


@pytest.mark.parametrize("word", get_args(Word))
def test_every_word_is_shown_as_stored(gpu_record: RunRecord, word: str) -> None:
    """The page repeats the stored word and judges nothing itself."""
    verdicts = tuple(replace(v, word=word) for v in gpu_record.verdicts)
    page = build(replace(gpu_record, verdicts=verdicts))
    shown = {s.word for row in page.workloads[0].rows for s in row.speedups}
    assert shown == {word.replace("_", " ")}


def test_a_ratio_without_interval_is_not_shown(gpu_record: RunRecord) -> None:
    """A ratio never stands bare: without its interval there is a dash."""
    verdicts = tuple(replace(v, ratio=123.0, low=None, high=None) for v in gpu_record.verdicts)
    page = build(replace(gpu_record, verdicts=verdicts, crossovers=(), bands=(), advice=()))
    assert "123x" not in all_text(page)


def test_same_backend_twice_names_no_winner(cpu_record: RunRecord) -> None:
    """The same backend entered twice is said to be that."""
    verdicts = tuple(
        replace(v, base_kind="same", word="equivalent", ratio=1.0, low=0.98, high=1.02)
        for v in cpu_record.verdicts
    )
    page = build(replace(cpu_record, verdicts=verdicts, crossovers=(), references=()))
    assert page.answers[1].startswith("matmul: the same backend entered twice. ")
    assert "equivalent at 3 of 3 sizes" in page.answers[1]


def test_tables_hold_what_the_record_holds(gpu_page: Page) -> None:
    """Each kind of evidence has its table, with as many cells as columns in every row."""
    (workload,) = gpu_page.workloads
    titles = [t.title for t in workload.tables]
    assert titles == [
        "Times and speed-up", "Verdicts", "Every entry", "Pay-back", "Agreement", "Phases",
        "Rates achieved", "Memory", "One-shot timing", "A/A check", "Slots",
    ]  # fmt: skip
    for table in (*workload.tables, *gpu_page.tables, gpu_page.details):
        widths = {len(table.columns), len(table.numeric), *(len(row) for row in table.rows)}
        assert len(widths) == 1, table.title


def test_an_interrupted_run_says_how_far_it_came(gpu_record: RunRecord) -> None:
    """A run that ended early says so, once."""
    run = replace(gpu_record, interrupted=True, rounds_planned=8)
    assert "The run was interrupted: round 5 of 8 planned was reached." in build(run).caveats
    told = replace(run, caveats=("The run was interrupted: fewer rounds.",))
    assert sum("interrupted" in c for c in build(told).caveats) == 1


def test_an_empty_record_still_makes_a_page(gpu_record: RunRecord) -> None:
    """A run that measured nothing says that, for each workload asked for."""
    run = replace(gpu_record, cases=(), verdicts=(), crossovers=(), paybacks=(), bands=(),
                  advice=(), achieved=(), naive=(), entries=())  # fmt: skip
    assert build(run).answers == ("matmul: nothing could be measured; the reasons stand below.",)


def test_the_record_is_left_as_it_was(gpu_record: RunRecord) -> None:
    """Building a page changes nothing in the record."""
    before = msgspec.json.encode(gpu_record)
    build(gpu_record)
    assert msgspec.json.encode(gpu_record) == before


def test_the_environment_tells_a_missing_gpu_once(cpu_record: RunRecord) -> None:
    """GPU backends that only lack the GPU stand in its line; another reason has its own."""
    absent = tuple(
        BackendInfo(name=n, device="cuda:0", available=False, why_not="no NVIDIA driver was found")
        for n in ("cupy", "torch-cuda")
    )
    broken = BackendInfo(name="torch-cpu", device="cpu", available=False, why_not="it does not import",
                         fix="install it again")  # fmt: skip
    lines = build(replace(cpu_record, backends=(*absent, broken))).environment
    assert len(lines) == 5
    assert lines[2] == "GPU none: no NVIDIA driver was found; CuPy and torch-CUDA took no part"
    assert lines[4] == "torch-CPU took no part: it does not import (install it again)"


def test_a_scripted_backend_goes_by_its_entry(gpu_record: RunRecord) -> None:
    """The file that scripts a backend is no name for it."""
    entries = tuple(
        replace(e, backend="scripted:x.json#gpu") if e.id == "cupy" else e
        for e in gpu_record.entries
    )
    page = build(replace(gpu_record, entries=entries))
    assert "with cupy" in page.answers[0]
    assert "scripted:" not in page.answers[0]


def test_the_axis_is_called_as_its_workload_calls_it(gpu_record: RunRecord) -> None:
    """A workload of another package names its axis, on the page and in every sentence."""
    (spec,) = gpu_record.spec.workloads
    named = replace(gpu_record.spec, workloads=(replace(spec, axis="atoms"),))
    page = build(replace(gpu_record, spec=named))
    assert page.workloads[0].axis == "atoms"
    assert "atoms = 610" in page.answers[0]
    assert "N = " not in "".join(page.answers)
    assert page.workloads[0].tables[0].columns[0] == "atoms"
