"""Tests of the page as Markdown and of the record as comma-separated values."""

from __future__ import annotations

import csv
import io

from msgspec.structs import replace

from breakeven.model.run import RunRecord
from breakeven.report.page import Page, build
from breakeven.report.text import page_csv, page_markdown


def test_markdown_holds_answer_and_every_table(gpu_page: Page) -> None:
    """The answer stands first, and each table has a rule of its own."""
    text = page_markdown(gpu_page)
    assert text.splitlines()[2].startswith(
        "**matmul: yes, the GPU pays from somewhere between N = 610"
    )
    tables = [*gpu_page.workloads[0].tables, *gpu_page.tables, gpu_page.details]
    assert sum(line.startswith(("| --", "|  --")) for line in text.splitlines()) == len(tables)
    assert all(f"### {t.title}" in text for t in tables)


def test_markdown_takes_names_literally(gpu_record: RunRecord) -> None:
    """A pipe, a tag or a line break in the record cannot break a table or become markup."""
    run = replace(gpu_record, remarks=("a|b <script>alert(1)</script>\n# head",))
    text = page_markdown(build(run))
    assert "a\\|b &lt;script&gt;alert(1)&lt;/script&gt; \\# head" in text
    assert "<script" not in text


def test_csv_has_a_line_for_each_round(gpu_record: RunRecord) -> None:
    """Every round of every case is one line whose median is that of its slots."""
    lines = list(csv.DictReader(io.StringIO(page_csv(gpu_record))))
    assert len(lines) == sum(len(c.rounds) for c in gpu_record.cases)
    first = gpu_record.cases[0].rounds[0]
    medians = sorted(s.median_s for s in first.slots)
    assert float(lines[0]["median_s"]) == (medians[2] + medians[3]) / 2
    assert lines[0]["scope"] == "resident"


def test_csv_keeps_cases_without_rounds_and_voided_rounds(gpu_record: RunRecord) -> None:
    """A case without rounds has its status and reason; a voided round has no median, not 0."""
    case = gpu_record.cases[0]
    lost = replace(case, status="crashed", why='killed, "9"', rounds=())
    voided = tuple(
        replace(r, slots=tuple(replace(s, voided="busy") for s in r.slots)) for r in case.rounds[:1]
    )
    run = replace(gpu_record, cases=(lost, replace(case, rounds=voided)))
    dead, busy = csv.DictReader(io.StringIO(page_csv(run)))
    assert (dead["status"], dead["why"], dead["median_s"]) == ("crashed", 'killed, "9"', "")
    assert (busy["voided"], busy["slots"], busy["median_s"]) == ("6", "6", "")
