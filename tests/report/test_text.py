"""Tests of the page as Markdown."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.model.run import RunRecord
from breakeven.report.page import Page, build
from breakeven.report.text import page_markdown


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
