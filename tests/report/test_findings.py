"""Findings on the screen, on the page, and as Markdown."""

from __future__ import annotations

import io

from msgspec.structs import replace
from rich.console import Console

from breakeven.lab import report_html
from breakeven.lab.shelf import judged
from breakeven.model.finding import Finding, Location
from breakeven.model.run import RunRecord
from breakeven.report import console, text
from breakeven.report.page import build
from findings.profiles import estimate
from records import record

FOUND = Finding(
    code="BE301", title="A value is read from the GPU in each step", severity="warning",
    evidence=("static", "trace"), kind="implicit-sync",
    location=Location(path="train.py", line=25, column=9, text="curve.append(loss.item())"),
    also=(Location(path="train.py", line=26),),
    message="Line 25 waits for the device 1.0 times in a step, 30 % of the time.",
    explains_share=0.2, gain_ceiling=1.25, fix="Keep the value on the device.",
    snippet="curve.append(loss.detach())", effort="some lines", risk="It is read later.",
    verify="Waits per step fall.",
)  # fmt: skip
WELL = Finding(code="BE000", title="Nothing wrong was found", severity="info",
               evidence=("counter",), kind="none", message="No rule spoke.")  # fmt: skip


def run_with(*found: Finding) -> RunRecord:
    """Return a judged run of products with these findings."""
    return replace(judged(record(sizes=(512, 2048))), findings=found)


def printed(run: RunRecord, width: int = 80) -> str:
    """Return what the screen shows."""
    out = io.StringIO()
    console.show(build(run), Console(file=out, width=width, highlight=False))
    return out.getvalue()


def test_the_screen_names_code_place_worth_and_both_lines() -> None:
    """A finding is told with its place, its ceiling, its fix, and the line before and after."""
    shown = printed(run_with(FOUND))
    begin = shown.index("What stands in the way")
    told = " ".join(shown[begin:].split())
    assert (
        "BE301 warning: A value is read from the GPU in each step (train.py:25:9 (with 26))" in told
    )
    assert "At most 1.25x as fast; effort: some lines. Keep the value on the device." in told
    assert "- curve.append(loss.item()) + curve.append(loss.detach())" in told
    assert max(map(len, shown.splitlines())) <= 80


def test_a_long_line_of_the_user_is_broken() -> None:
    """No line of code is wider than the screen, and all of it is there."""
    long = f"loader = DataLoader(data, {', '.join(f'option_{i}={i}' for i in range(12))})"
    shown = printed(run_with(replace(FOUND, snippet=long)))
    assert max(map(len, shown.splitlines())) <= 80
    assert long in " ".join(shown.split())


def test_a_measured_gain_stands_with_its_interval() -> None:
    """What a trial gained is told in place of the ceiling."""
    shown = printed(run_with(replace(FOUND, gain=estimate(1.2))))
    assert "Tried: 1.20x as fast [1.18, 1.22], 10 repeats" in " ".join(shown.split())


def test_beside_a_table_of_sizes_information_stays_off_the_screen() -> None:
    """A plain run whose findings are information says nothing of them; the report tells all."""
    run = run_with(WELL)
    assert "What stands in the way" not in printed(run)
    assert "Nothing wrong was found" in report_html(run)


def test_the_page_shows_findings_and_takes_names_literally() -> None:
    """Code in a finding is text on the page, whatever it holds."""
    bad = replace(FOUND, snippet="<script>alert(1)</script>")
    page = report_html(run_with(bad))
    assert '<h2 id="findings">What stands in the way</h2>' in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert(1)" not in page
    assert "Seen by the source, a trace. To verify: Waits per step fall." in page


def test_a_document_without_findings_keeps_its_page() -> None:
    """Nothing about findings stands where none are stored."""
    page = report_html(run_with())
    assert 'id="findings"' not in page
    assert "What stands in the way" not in page


def test_markdown_holds_the_line_and_its_mending() -> None:
    """Both lines stand as code."""
    made = text.page_markdown(build(run_with(FOUND)))
    assert "### BE301 warning: A value is read from the GPU in each step" in made
    assert "    - curve.append(loss.item())\n    + curve.append(loss.detach())" in made


def test_control_characters_of_a_line_do_not_reach_the_terminal() -> None:
    """A source line must not steer a terminal."""
    shown = printed(run_with(replace(FOUND, snippet="x = 1\x1b[31m")))
    assert "\x1b" not in shown
