"""The catalogue of faults and its pages say the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from breakeven.findings.catalogue import CATALOGUE, NOTHING, UNKNOWN
from breakeven.model.finding import Kind

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = _ROOT / "docs" / "findings"
_HEADINGS = ("## How it is told", "## How to mend it", "## When it stays silent")


def test_each_code_has_a_page_and_no_page_is_left_over() -> None:
    """There is one page a code, and the index beside them."""
    pages = {page.stem for page in _PAGES.glob("*.md")}
    assert pages == set(CATALOGUE) | {"index"}


@pytest.mark.parametrize("code", CATALOGUE)
def test_a_page_says_what_the_catalogue_says(code: str) -> None:
    """Title, kind, severity, effort, fix, risk, verification and question stand in the page."""
    known, page = CATALOGUE[code], (_PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {code}: {known.title}\n")
    effort = f", effort: {known.effort}." if known.effort else "."
    assert f"\nKind `{known.kind}`, severity `{known.severity}`{effort}\n" in page
    for said in (known.fix, known.verify, known.risk, known.question):
        assert said is None or said in page
    assert [heading for heading in _HEADINGS if heading not in page] == []


def test_the_index_lists_each_code_with_its_title() -> None:
    """A row of the index is a code's title, kind and severity."""
    index = (_PAGES / "index.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| \[(BE\d{3})\]\(BE\d{3}\.md\) \| (.+) \| `(.+)` \| `(.+)` \|$", index, re.MULTILINE
    )
    assert rows == [(c.code, c.title, c.kind, c.severity) for c in CATALOGUE.values()]


def test_every_kind_has_a_code() -> None:
    """No kind of fault is without a code."""
    assert {known.kind for known in CATALOGUE.values()} == set(get_args(Kind))


def test_codes_are_ordered_and_named_by_themselves() -> None:
    """The catalogue goes up in codes, and each key is the code of its entry."""
    assert list(CATALOGUE) == sorted(CATALOGUE)
    assert all(key == known.code for key, known in CATALOGUE.items())
    assert (CATALOGUE[NOTHING].kind, CATALOGUE[UNKNOWN].kind) == ("none", "cannot-tell")


def test_what_is_to_be_mended_names_its_effort() -> None:
    """A fault of the user's code that is more than information names the effort of its mending."""
    machine = {"none", "cannot-tell", "contended", "machine-limited"}
    lacking = [
        known.code
        for known in CATALOGUE.values()
        if known.severity != "info" and known.effort is None and known.kind not in machine
    ]
    assert lacking == []
