"""Tests of the screen: the answer first, eighty columns, no torn number, no markup from names."""

from __future__ import annotations

import io
import re

import pytest
from msgspec.structs import replace
from rich.console import Console

from breakeven.analysis.judge import apply, judge
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Verdict
from breakeven.report.console import show
from breakeven.report.grid import Column, fitted
from breakeven.report.lines import wrapped
from breakeven.report.page import Page, build
from records import CUPY, NUMPY, TORCH_CPU, TORCH_CUDA, TWIN, entry, record


def printed(page: Page, width: int = 80) -> list[str]:
    """Return the lines that a console without colour gets."""
    out = io.StringIO()
    show(page, Console(file=out, width=width))
    return out.getvalue().splitlines()


def test_the_first_line_is_the_answer(gpu_page: Page) -> None:
    """Nothing stands before the answer."""
    lines = printed(gpu_page)
    assert gpu_page.answers[0].startswith(lines[0])
    assert " ".join(lines[:3]) == gpu_page.answers[0]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_is_wider_than_the_screen(gpu_page: Page, cpu_page: Page, width: int) -> None:
    """Every line fits the screen, and at most a hundred columns."""
    for page in (gpu_page, cpu_page):
        assert max(len(line) for line in printed(page, width)) <= min(width, 100)


def hard_record() -> RunRecord:
    """Return a record with long names, four GPU entries, extreme ratios and large sizes."""
    gpus = tuple(
        entry(name, device="cuda:0", id=name)
        for name in (
            "cupy",
            "torch-cuda",
            "scripted-with-a-rather-long-name",
            "torch-cuda-compiled",
        )
    )
    sizes = (128, 16384, 131072)
    curves = dict.fromkeys(
        [e.id for e in (NUMPY, TORCH_CPU, TWIN, *gpus)], lambda n: 123.4 + n * 7.77e-3
    )
    run = record((NUMPY, TORCH_CPU, TWIN, *gpus), curves, sizes=sizes)
    verdicts = tuple(
        Verdict(workload="matmul", size=s, scope=scope, base="torch-cpu-16", base_kind="best-cpu",
                entry=g.id, word="inconclusive", ratio=0.000517, low=0.000501, high=0.000533,
                rounds=20, why="96 rounds would settle it")
        for s in sizes for scope in ("resident", "transfer") for g in gpus
    )  # fmt: skip
    return replace(run, verdicts=verdicts)


@pytest.mark.parametrize("width", [0, 1, 5])
def test_a_screen_without_columns_is_printed_on_all_the_same(gpu_page: Page, width: int) -> None:
    """An environment may claim such a width; its words still have to go somewhere."""
    console = Console(file=io.StringIO(), width=width)
    show(gpu_page, console)
    assert isinstance(console.file, io.StringIO)
    assert "overtakes" in console.file.getvalue()


def test_long_names_and_large_numbers_fit_eighty_columns() -> None:
    """Columns that find no room are left out; what is left is whole, and the report has all."""
    lines = printed(build(hard_record()))
    assert max(map(len, lines)) <= 80
    at = next(i for i, line in enumerate(lines) if line.lstrip().startswith("131072 "))
    rows = lines[at : at + 2]
    for row in rows:
        assert "0.000517x" in row
        assert "[0.000501, 0.000533]" in row
        assert ("travels" in row) != ("on device" in row)
        assert row.endswith(("20  inconclusive", "20 inconclusive"))
    assert lines[-1].startswith("The report has every size, entry, interval and reason")


def test_quick_figures_fit_too(gpu_record: RunRecord) -> None:
    """The mark of an indicative figure does not push a line over the edge."""
    page = build(replace(gpu_record, spec=replace(gpu_record.spec, effort="quick")))
    lines = printed(page)
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("~ indicative") for line in lines)
    assert not any(re.search(r"\b(faster|slower)$", line) for line in lines)


def test_names_are_text_and_steer_nothing(gpu_record: RunRecord) -> None:
    """Markup and control characters in a record reach the screen as text, or not at all."""
    run = replace(gpu_record, caveats=("[bold red]x[/] \x1b[31mred :smile:",))
    text = "\n".join(printed(build(run)))
    assert "[bold red]x[/]" in text
    assert ":smile:" in text
    assert "\x1b" not in text


def test_a_terminal_gets_colour_and_a_pipe_none(gpu_page: Page) -> None:
    """Colour marks verdicts on a terminal; the words are the same without it."""
    out = io.StringIO()
    show(gpu_page, Console(file=out, width=80, force_terminal=True, color_system="standard"))
    assert "\x1b[32mfaster" in out.getvalue()
    assert not any("\x1b" in line for line in printed(gpu_page))


def test_statuses_wrap_in_words_and_times_stay_whole(gpu_record: RunRecord) -> None:
    """A status takes as many lines as it needs; it does not widen the table."""
    cases = tuple(
        replace(c, status="out_of_memory", why="needs 3 GiB") if c.entry == "cupy" else c
        for c in gpu_record.cases
    )
    lines = printed(build(replace(gpu_record, cases=cases)))
    assert max(map(len, lines)) <= 80
    assert any("out of" in line for line in lines)


@pytest.mark.parametrize("status", ["unsupported", "unavailable", "interrupted"])
def test_a_long_status_is_not_torn(gpu_record: RunRecord, status: str) -> None:
    """A status of one word stays one word in its cell."""
    cases = tuple(replace(c, status=status) if c.entry == "cupy" else c for c in gpu_record.cases)
    page = build(replace(gpu_record, cases=cases))
    assert max(map(len, printed(page))) <= 80
    table = [line for line in printed(page, 100) if re.match(r" *\d* +(travels|on device)", line)]
    assert len(table) == 10
    assert all(status in line for line in table)


def test_wrapping_keeps_a_number_with_its_unit() -> None:
    """No line ends between a number and its unit, inside an interval, or beside an equals sign."""
    text = "at N = 8192 it takes 12.5 ms [11.9, 13.1] in 5 rounds, 40 % of 3.00 GiB " * 4
    for width in range(24, 60):
        for line in wrapped(text, width):
            assert not re.search(r"(=|N|\[[\d.]+,|\d)$", line) or line.endswith("8192"), line
            assert len(line) <= width


def test_a_grid_keeps_columns_that_must_stay() -> None:
    """Spare columns go from the highest rank; the others stay even if the width is too small."""
    columns = [Column("a", ["12345678"]), Column("b", ["12345678"], spare=1),
               Column("c", ["12345678"], spare=2), Column("d", ["x"], left=True)]  # fmt: skip
    assert fitted(columns, 80).left_out == []
    assert fitted(columns, 22).left_out == ["c"]
    assert fitted(columns, 3).left_out == ["c", "b"]


def tour(cores: int = 16, *, gpu: bool = True, voided: str | None = None) -> RunRecord:
    """Return a judged tour of two workloads, as an engine would leave it."""
    entries = (NUMPY, TORCH_CPU, TWIN, CUPY, TORCH_CUDA) if gpu else (NUMPY, TORCH_CPU, TWIN)
    first = record(entries, sizes=(128, 512, 2048), rounds=3, spread=0.06, voided=voided)
    second = record(entries, sizes=(64, 128, 256), rounds=3, spread=0.06, workload="mlp",
                    voided=voided)  # fmt: skip
    run = replace(
        first,
        spec=replace(first.spec, workloads=first.spec.workloads + second.spec.workloads),
        cases=first.cases + second.cases,
        cold_starts=first.cold_starts + second.cold_starts,
        machine=replace(first.machine, cpu=replace(first.machine.cpu, cores_usable=cores)),
        remarks=(("matmul 8192 was left out: one round of it would take 18.9 s; a larger --budget "
                 "has room"),),
    )  # fmt: skip
    return apply(run, judge(run))


@pytest.mark.parametrize(
    ("run", "most"),
    [(tour(), 66), (tour(gpu=False), 44), (tour(voided="busy"), 25)],
    ids=["gpu", "cpu", "busy"],
)
def test_the_screen_is_short(run: RunRecord, most: int) -> None:
    """A tour fits a page of text; what is left out stands in the report, told in the last line."""
    lines = printed(build(run))
    assert len(lines) <= most
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "The report has every size, entry, interval and reason (--html FILE)."


def test_one_table_holds_both_scopes(gpu_page: Page) -> None:
    """Each size has a line for each scope, with time, ratio, interval, rounds and word."""
    lines = printed(gpu_page)
    at = next(i for i, line in enumerate(lines) if line.lstrip().startswith("8192 "))
    travels, stays = lines[at : at + 2]
    assert " travels " in travels
    assert " on device " in stays
    for line in (travels, stays):
        assert re.search(r"[\d.]+x +\[[\d.]+, [\d.]+\] +5 +faster$", line)


def test_two_libraries_that_lead_in_turn_are_named_by_line(gpu_record: RunRecord) -> None:
    """Where scopes have different leads a column says which library the time is of."""
    verdicts = tuple(
        v for v in gpu_record.verdicts if (v.entry == "cupy") == (v.scope == "transfer")
    )
    lines = printed(build(replace(gpu_record, verdicts=verdicts, advice=())), 100)
    header = next(line for line in lines if " GPU " in f"{line} " and "with" in line)
    assert header.index("with") > header.index("GPU")
    assert any("travels" in line and "CuPy" in line for line in lines)
    assert any("on device" in line and "torch-CUDA" in line for line in lines)


def test_slots_are_counted_in_the_report_alone(gpu_record: RunRecord) -> None:
    """The screen tells a kind of reason; how many slots it took is for the report."""
    verdicts = tuple(
        replace(v, word="withheld", why=f"{i} of 40 slots of cpu do not count", reason="busy")
        if v.size == 512 else v
        for i, v in enumerate(gpu_record.verdicts)
    )  # fmt: skip
    page = build(replace(gpu_record, verdicts=verdicts))
    text = " ".join(printed(page))
    assert "slots" not in text
    assert text.count("other processes took CPU time") == 1
    (table,) = (t for t in page.workloads[0].tables if t.title == "Verdicts")
    assert any("of 40 slots" in cell for row in table.rows for cell in row)
