"""Tests of the HTML report: self-contained, the same bytes each time, and safe with any name."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from breakeven.model.remarks import ALWAYS_TOLD
from breakeven.model.run import RunRecord
from breakeven.report import charts
from breakeven.report.html import bundle, firm, in_script, render
from breakeven.report.page import Page, build

EVIL = '</script><script>alert("x")</script><!-- &amp; <img src=x onerror=alert(1)>'


class Outline(HTMLParser):
    """Collects the tags, tables and visible text of a document."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._script = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the tag."""
        self.tags.append((tag, dict(attrs)))
        self._script += tag in {"script", "style"}

    def handle_endtag(self, tag: str) -> None:
        """Leave a script or a style."""
        self._script -= tag in {"script", "style"}

    def handle_data(self, data: str) -> None:
        """Keep text that a reader sees."""
        if not self._script:
            self.text.append(data)


def outline(text: str) -> Outline:
    """Return the parsed document."""
    parser = Outline()
    parser.feed(text)
    return parser


@pytest.fixture(scope="module")
def report(gpu_page: Page) -> str:
    """Return the report of the record with a GPU."""
    return render(gpu_page, charts.specs(gpu_page))


def test_the_same_record_gives_the_same_bytes(gpu_record: RunRecord, report: str) -> None:
    """Nothing of the moment or the machine enters the file."""
    page = build(gpu_record)
    assert render(page, charts.specs(page)) == report


def test_the_file_is_small_and_asks_nothing_of_a_network(report: str) -> None:
    """The file stays under 3 MB and its own tags load nothing."""
    assert len(report.encode()) < 3_000_000
    for tag, attributes in outline(report).tags:
        assert tag not in {"img", "iframe", "object", "embed"}
        assert not (attributes.get("src"))
        assert not ""
        assert (attributes.get("href") or "#").startswith(("#", "data:"))
    assert "default-src 'none'" in report


def test_the_answer_comes_before_picture_and_tables(report: str, gpu_page: Page) -> None:
    """The first screen holds the answer, one picture and the caveats, in this order."""
    body = report[report.index("<body>") :]
    assert gpu_page.answers[0] in "".join(outline(report).text).replace("\u00a0", " ")
    places = [body.index(x) for x in ('class="answer"', 'data-chart="matmul-time"',
                                      gpu_page.caveats[0], "<table>")]  # fmt: skip
    assert places == sorted(places)


def test_every_picture_is_placed_once(report: str, gpu_page: Page) -> None:
    """Each specification has one place in the document."""
    placed = re.findall(r'data-chart="([^"]+)"', report)
    assert sorted(placed) == sorted(charts.specs(gpu_page))


def test_tables_are_semantic_and_hold_all_figures(report: str, gpu_page: Page) -> None:
    """Every table has a caption and scoped headings; every cell of the page is in the text."""
    document = outline(report)
    tags = [tag for tag, _ in document.tags]
    assert tags.count("table") == tags.count("caption")
    assert all(a.get("scope") in {"col", "row"} for tag, a in document.tags if tag == "th")
    assert ("html", {"lang": "en"}) in document.tags
    assert {"header", "main", "footer", "nav", "noscript"} <= set(tags)
    text = {t.strip() for t in document.text}
    for table in gpu_page.workloads[0].tables:
        for row in table.rows:
            assert {cell.strip() for cell in row if cell} <= text


def test_dangerous_names_stay_text(gpu_record: RunRecord) -> None:
    """A name with tags in it is shown, and runs nowhere: neither in text nor inside the JSON."""
    cases = tuple(replace(c, why=EVIL) for c in gpu_record.cases)
    entries = tuple(replace(e, backend=EVIL) if e.id == "cupy" else e for e in gpu_record.entries)
    run = replace(gpu_record, cases=cases, entries=entries, caveats=(EVIL,), command=(EVIL,))
    page = build(run)
    safe, text = render(build(gpu_record), {}), render(page, charts.specs(page))
    document = outline(text)
    scripts = [a for tag, a in document.tags if tag == "script"]
    assert len(scripts) == 3
    assert not [tag for tag, _ in document.tags if tag == "img"]
    assert EVIL in "".join(document.text)
    assert 'alert("x")</script>' not in text
    assert "<script" not in safe


def test_short_names_are_kept_on_one_line_and_escaped() -> None:
    """An entry's name does not break at its hyphens; what stands around it is still escaped."""
    assert firm("<b> torch-cpu-2 & co") == (
        '&lt;b&gt; <span class="name">torch-cpu-2</span> &amp; co'
    )
    assert firm("-x- a--b") == "-x- a--b"


def test_json_in_a_script_is_the_same_json() -> None:
    """The escapes change no value, and leave no character that could end the element."""
    value = {"a": EVIL + "\u2028\u2029", "b": [1.5, None, True]}
    text = in_script(value)
    assert json.loads(text) == value
    assert not set(text) & set("<>&\u2028\u2029")


def test_the_bundle_cannot_end_its_script() -> None:
    """The script that draws holds no end tag and no comment opening."""
    assert "</script" not in bundle()
    assert "<!--" not in bundle()
    assert "window.vegaEmbed=" in bundle()


def test_a_page_without_pictures_needs_no_script(gpu_page: Page) -> None:
    """Without specifications the file has no script at all, and all of its tables."""
    text = render(gpu_page, {})
    assert "<script" not in text
    assert text.count("<table>") > 10


def test_numbers_units_and_options_are_not_torn() -> None:
    """A size stays beside its axis, a number beside its unit, an option in one piece."""
    said = str(firm("at N = 128 it moved by 13 % [1.2, 3.4] (--budget, torch-cpu-16)"))
    assert "N\u00a0=\u00a0128" in said
    assert "13\u00a0%" in said
    assert "[1.2,\u00a03.4]" in said
    assert '<span class="name">--budget</span>' in said
    assert '<span class="name">torch-cpu-16</span>' in said


def test_lesser_caveats_are_folded_away(gpu_record: RunRecord) -> None:
    """Beside the answer stands what weighs; the rest opens on demand, and nothing is lost."""
    general = "A claim holds for this session of this machine."
    run = replace(
        gpu_record, caveats=("Quick run.", general, "A lesser thing."), remarks=("Left out.",)
    )
    page = build(run)
    assert page.weighty == ("Quick run.", general, "Left out.")
    text = render(page, {})
    assert text.index("Left out.") < text.index("<summary>1 more</summary>")
    assert text.index("<summary>1 more</summary>") < text.index("A lesser thing.")


@pytest.mark.parametrize("opening", ALWAYS_TOLD)
def test_what_a_run_took_or_lost_is_told_whatever_else_was_remarked(
    gpu_record: RunRecord, opening: str
) -> None:
    """The screen has room for three remarks; these few stand there all the same."""
    others = tuple(f"remark {i}" for i in range(9))
    page = build(replace(gpu_record, remarks=(*others, f"{opening} 99 s")))
    assert f"{opening} 99 s" in page.weighty
    assert others[-1] not in page.weighty
